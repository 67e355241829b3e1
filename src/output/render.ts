import { usageError } from '../errors.ts';
import type { Answer } from './answers/answer.ts';
import type { FleetReport } from './documents/fleet.ts';
import { flowed, spelled, stacked } from './fit-text.ts';
import { jsonText, printable } from './printable.ts';
import type { RenderOptions } from './style.ts';

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

/** How each kind of document reads; each loads on first use. */
const answers = {
  Audit: async () => (await import('./answers/audit.ts')).auditAnswer,
  Backups: async () => (await import('./answers/backups.ts')).backupsAnswer,
  CollectorHealth: async () => (await import('./answers/why.ts')).healthAnswer,
  Containers: async () => (await import('./answers/containers.ts')).containersAnswer,
  DeletionComparison: async () =>
    (await import('./answers/deletion-comparison.ts')).comparisonAnswer,
  Diagnosis: async () => (await import('./answers/why.ts')).whyAnswer,
  Forecast: async () => (await import('./answers/forecast.ts')).forecastAnswer,
  Images: async () => (await import('./answers/images.ts')).imagesAnswer,
  InvalidOwnerReferences: async () =>
    (await import('./answers/invalid-references.ts')).invalidReferencesAnswer,
  Orphans: async () => (await import('./answers/orphans.ts')).orphansAnswer,
  Owners: async () => (await import('./answers/graph.ts')).graphAnswer,
  Plan: async () => (await import('./answers/plan.ts')).planAnswer,
  PodGCPreview: async () => (await import('./answers/podgc-preview.ts')).podGcPreviewAnswer,
  Restoration: async () => (await import('./answers/restoration.ts')).restorationAnswer,
  Settings: async () => (await import('./answers/settings.ts')).settingsAnswer,
  Simulation: async () => (await import('./answers/simulation.ts')).simulationAnswer,
  SnapshotDiff: async () => (await import('./answers/snapshot-diff.ts')).snapshotDiffAnswer,
  SnapshotInfo: async () => (await import('./answers/snapshot-info.ts')).snapshotInfoAnswer,
  Status: async () => (await import('./answers/status.ts')).statusAnswer,
  StuckDeletions: async () => (await import('./answers/stuck.ts')).stuckAnswer,
  Tree: async () => (await import('./answers/graph.ts')).graphAnswer,
};

type AnswerOf<K extends keyof typeof answers> = Awaited<ReturnType<(typeof answers)[K]>>;

/** A document that has an answer, or several of one kind. */
export type Report =
  | { [K in keyof typeof answers]: Parameters<AnswerOf<K>['table']>[0] }[keyof typeof answers]
  | FleetReport;

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
    case 'table':
    case 'wide':
    case 'tree':
      return flowed(spelled(await renderText(report, format, options), options), options);
    default:
      return renderText(report, format, options);
  }
}

async function renderText(report: Report, format: Format, options: RenderOptions): Promise<string> {
  if (report.kind === 'Fleet') return renderFleet(report, format, options);
  const answer = await (answers[report.kind] as () => Promise<Answer<Report>>)();
  const load = answer.texts?.[format];
  if (load) return (await load())(report, options);
  switch (format) {
    case 'name':
      return [...(answer.names?.(report) ?? [])].map((name) => `${name}\n`).join('');
    case 'svg':
    case 'html': {
      if (!answer.page) throw new Error(`${report.kind} has no page`);
      const page = answer.page(report, options);
      if (format === 'html') return (await import('./pages/page-html.ts')).pageHtml(page);
      return (await import('./pictures/picture-svg.ts')).pictureSvg(page);
    }
    default:
      return answer.table(report, { ...options, wide: format === 'wide' });
  }
}

async function renderFleet(
  { clusters }: FleetReport,
  format: Format,
  options: RenderOptions,
): Promise<string> {
  if (format === 'name') return '';
  const texts = clusters.map(async ({ context, report, failure }) => {
    const answer = report ? await renderText(report, format, options) : '';
    const fault = failure ? `not read: ${printable(failure.message)}\n` : '';
    return `CLUSTER ${printable(context)}\n${answer}${fault}`;
  });
  return stacked(await Promise.all(texts));
}

/** Is it for people, with a place for words above and below? */
export function isTable(output: string): boolean {
  return output === 'table' || output === 'wide';
}

/** Checks `-o` against what a command can print. */
export function formatOf(output: string, formats: readonly Format[]): Format {
  const format = formats.find((known) => known === output);
  if (format) return format;
  throw usageError(`unable to match a printer suitable for the output format "${output}"`, [
    `Allowed formats are: ${formats.join(', ')}.`,
  ]);
}
