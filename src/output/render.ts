import type { DeletionComparison } from '../deletion/plan/compare-policies.ts';
import { mayGo } from '../deletion/plan/going.ts';
import type { Plan } from '../deletion/plan/plan.ts';
import { usageError } from '../errors.ts';
import type { Restoration } from '../restore/plan/restoration.ts';
import type { AuditReport } from './documents/audit.ts';
import type { BackupsReport } from './documents/backups.ts';
import type { FleetReport } from './documents/fleet.ts';
import type { ForecastReport } from './documents/forecast.ts';
import type { InvalidReferencesReport } from './documents/invalid-references.ts';
import type { ContainersReport } from './documents/nodes/containers.ts';
import type { ImagesReport } from './documents/nodes/images.ts';
import type { OrphansReport } from './documents/orphans.ts';
import type { GraphReport } from './documents/owners-and-tree.ts';
import type { PodGcPreview } from './documents/podgc-preview.ts';
import type { SettingsReport } from './documents/settings.ts';
import type { SimulationReport } from './documents/simulation.ts';
import type { SnapshotDiff } from './documents/snapshot-diff.ts';
import type { SnapshotInfo } from './documents/snapshot-info.ts';
import type { StatusReport } from './documents/status.ts';
import type { WhyDocument } from './documents/stuck.ts';
import { flowed, spelled, stacked } from './fit-text.ts';
import type { PagedReport } from './pages/page-of.ts';
import { jsonText, printable, printedName } from './printable.ts';
import type { RenderOptions } from './style.ts';

export type Report =
  | AuditReport
  | BackupsReport
  | DeletionComparison
  | GraphReport
  | OrphansReport
  | Plan
  | InvalidReferencesReport
  | SimulationReport
  | PodGcPreview
  | ForecastReport
  | FleetReport
  | ImagesReport
  | ContainersReport
  | Restoration
  | SettingsReport
  | SnapshotDiff
  | SnapshotInfo
  | StatusReport
  | WhyDocument;
export type Format =
  | 'table'
  | 'wide'
  | 'json'
  | 'yaml'
  | 'name'
  | 'tree'
  | 'dot'
  | 'mermaid'
  | 'svg'
  | 'html'
  | 'sarif'
  | 'junit'
  | 'github'
  | 'gitlab'
  | 'markdown'
  | 'prometheus';

export const listFormats: readonly Format[] = ['table', 'wide', 'json', 'yaml', 'name'];
export const pagedListFormats: readonly Format[] = [...listFormats, 'html'];
export const auditFormats: readonly Format[] = [
  ...listFormats,
  'sarif',
  'junit',
  'github',
  'gitlab',
  'markdown',
  'html',
  'prometheus',
];
export const documentFormats: readonly Format[] = ['table', 'wide', 'json', 'yaml'];
export const pictureFormats: readonly Format[] = [...documentFormats, 'svg', 'html'];
export const graphFormats: readonly Format[] = [
  ...listFormats,
  'tree',
  'dot',
  'mermaid',
  'svg',
  'html',
];

type TextOf<R> = (report: R, options: RenderOptions, wide: boolean) => string;
type Loaded<R> = () => Promise<TextOf<R>>;

/** The tables of reports that have no other form; each loads on first use. */
const tables: { readonly [K in Report['kind']]?: Loaded<Extract<Report, { kind: K }>> } = {
  Backups: async () => (await import('./tables/backups-table.ts')).backupsTable,
  Containers: async () => (await import('./tables/containers-table.ts')).containersTable,
  CollectorHealth: async () => (await import('./tables/why-table.ts')).whyGcTable,
  DeletionComparison: async () => (await import('./tables/plan/compare-table.ts')).compareTable,
  Diagnosis: async () => (await import('./tables/why-table.ts')).whyTree,
  Forecast: async () => (await import('./tables/forecast-table.ts')).forecastTable,
  Images: async () => (await import('./tables/images-table.ts')).imagesTable,
  InvalidOwnerReferences: async () =>
    (await import('./tables/invalid-references-table.ts')).invalidReferencesTable,
  Orphans: async () => (await import('./tables/orphans-table.ts')).orphansTable,
  Plan: async () => (await import('./tables/plan/plan-table.ts')).planTable,
  PodGCPreview: async () => (await import('./tables/podgc-preview-table.ts')).podGcPreviewTable,
  Restoration: async () => (await import('./tables/plan/restoration-table.ts')).restorationTable,
  Settings: async () => (await import('./tables/settings-table.ts')).settingsTable,
  Simulation: async () => (await import('./tables/simulation-table.ts')).simulationTable,
  SnapshotDiff: async () => (await import('./tables/snapshot-diff-table.ts')).snapshotDiffTable,
  SnapshotInfo: async () => (await import('./tables/snapshot-info-table.ts')).snapshotInfoTable,
  Status: async () => (await import('./tables/status-table.ts')).statusTable,
  StuckDeletions: async () => (await import('./tables/stuck-table.ts')).stuckTable,
};

/** The formats that only audits have. */
const auditTexts: { readonly [F in Format]?: () => Promise<(report: AuditReport) => string> } = {
  sarif: async () => (await import('./audit-formats/sarif.ts')).auditSarif,
  junit: async () => (await import('./audit-formats/junit.ts')).auditJunit,
  github: async () => (await import('./audit-formats/github.ts')).auditGithub,
  gitlab: async () => (await import('./audit-formats/gitlab.ts')).auditGitlab,
  markdown: async () => (await import('./audit-formats/markdown.ts')).auditMarkdown,
  prometheus: async () => (await import('./audit-formats/prometheus.ts')).auditPrometheus,
};

/** A report as text. Formatters load only when they are needed. */
export async function render(
  report: Report,
  format: Format,
  options: RenderOptions,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${jsonText(report, 2)}\n`;
    case 'yaml': {
      const { renderYaml } = await import('./yaml.ts');
      return renderYaml(report);
    }
    case 'name':
      return [...namesIn(report)].map((name) => `${name}\n`).join('');
    case 'table':
    case 'wide':
    case 'tree':
      return flowed(spelled(await renderText(report, format, options), options), options);
    default:
      return renderText(report, format, options);
  }
}

async function renderText(report: Report, format: Format, options: RenderOptions): Promise<string> {
  const wide = format === 'wide';
  switch (report.kind) {
    case 'Audit': {
      const load = auditTexts[format];
      if (load) return (await load())(report);
      if (format === 'html') break;
      const { auditTable } = await import('./audit-formats/table.ts');
      return auditTable(report, options, wide);
    }
    case 'Owners':
    case 'Tree':
      if (format === 'svg' || format === 'html') break;
      return renderGraph(report, format, options);
    case 'Fleet': {
      const texts = report.clusters.map(async ({ context, report: own, failure }) => {
        const answer = own ? await renderText(own, format, options) : '';
        const fault = failure ? `not read: ${printable(failure.message)}\n` : '';
        return `CLUSTER ${printable(context)}\n${answer}${fault}`;
      });
      return stacked(await Promise.all(texts));
    }
    case 'Plan': {
      if (format !== 'markdown') break;
      const { planMarkdown } = await import('./tables/plan/plan-markdown.ts');
      return planMarkdown(report, options);
    }
  }
  if (format === 'svg' || format === 'html')
    return renderPage(report as PagedReport, format, options);
  const table = await (tables[report.kind] as Loaded<Report>)();
  return table(report, options, wide);
}

async function renderPage(
  report: PagedReport,
  format: 'svg' | 'html',
  options: RenderOptions,
): Promise<string> {
  const { pageOf } = await import('./pages/page-of.ts');
  const data = pageOf(report, options);
  if (format === 'svg') {
    const { pictureSvg } = await import('./pictures/picture-svg.ts');
    return pictureSvg(data);
  }
  const { pageHtml } = await import('./pages/page-html.ts');
  return pageHtml(data);
}

async function renderGraph(
  report: GraphReport,
  format: Format,
  options: RenderOptions,
): Promise<string> {
  if (format === 'dot' || format === 'mermaid') {
    const { graphDot, graphMermaid } = await import('./pictures/graph-drawing.ts');
    return format === 'dot' ? graphDot(report) : graphMermaid(report);
  }
  const { graphTable, graphTree } = await import('./tables/graph-table.ts');
  return format === 'tree'
    ? graphTree(report, options)
    : graphTable(report, options, format === 'wide');
}

/** What `-o name` prints of the reports that have it. */
function namesIn(report: Report): Iterable<string> {
  switch (report.kind) {
    case 'Audit':
      return distinctNames(report.items.filter(({ status }) => status === 'new'));
    case 'Forecast':
    case 'InvalidOwnerReferences':
    case 'Orphans':
    case 'PodGCPreview':
    case 'SnapshotDiff':
    case 'StuckDeletions':
      return distinctNames(report.items);
    case 'Restoration':
      return distinctNames(report.objects.map((object) => ({ object })));
    case 'Plan':
      return report.objects.filter(mayGo).map(printedName);
    case 'DeletionComparison':
      return report.objects.map(({ object }) => printedName(object));
    case 'Owners':
    case 'Tree':
      return report.nodes.filter(({ observed }) => observed).map(printedName);
    case 'Backups':
      return report.items.map(({ path }) => path);
    case 'SnapshotInfo':
      return report.kinds.map(({ resource }) => printable(resource));
    default:
      return [];
  }
}

function distinctNames(
  items: readonly { readonly object: Parameters<typeof printedName>[0] }[],
): ReadonlySet<string> {
  return new Set(items.map(({ object }) => printedName(object)));
}

/** Checks `-o` against what a command can print. */
export function formatOf(output: string, formats: readonly Format[]): Format {
  const format = formats.find((known) => known === output);
  if (format) return format;
  throw usageError(`unable to match a printer suitable for the output format "${output}"`, [
    `Allowed formats are: ${formats.join(', ')}.`,
  ]);
}
