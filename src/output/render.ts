import type { DeletionComparison } from '../deletion/plan/compare-policies.ts';
import type { Plan } from '../deletion/plan/plan.ts';
import { usageError } from '../errors.ts';
import type { Restoration } from '../restore/plan/restoration.ts';
import type { AuditReport } from './documents/audit.ts';
import type { BackupsReport } from './documents/backups.ts';
import type { ContainersReport } from './documents/containers.ts';
import type { FleetReport } from './documents/fleet.ts';
import type { ForecastReport } from './documents/forecast.ts';
import type { ImagesReport } from './documents/images.ts';
import type { InvalidReferencesReport } from './documents/invalid-references.ts';
import type { OrphansReport } from './documents/orphans.ts';
import type { GraphReport } from './documents/owners-and-tree.ts';
import type { PodGcPreview } from './documents/podgc-preview.ts';
import type { SettingsReport } from './documents/settings.ts';
import type { SimulationReport } from './documents/simulation.ts';
import type { SnapshotInfo } from './documents/snapshot-info.ts';
import type { StuckDeletionsReport } from './documents/stuck.ts';
import type { DiagnosisReport, GarbageCollectorHealthReport } from './documents/why.ts';
import { flowed, spelled } from './fit-text.ts';
import { jsonText, printable, printedName } from './printable.ts';
import type { RenderOptions } from './render-options.ts';

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
  | SnapshotInfo
  | DiagnosisReport
  | StuckDeletionsReport
  | GarbageCollectorHealthReport;
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
export const simulationFormats: readonly Format[] = ['table', 'wide', 'json', 'yaml'];
export const nodeFormats: readonly Format[] = ['table', 'wide', 'json', 'yaml', 'svg', 'html'];
export const graphFormats: readonly Format[] = [...listFormats, 'tree', 'dot', 'mermaid'];

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
  const wide = format === 'wide';
  switch (report.kind) {
    case 'Audit': {
      if (format === 'name') return namesOf(report.items.filter(({ status }) => status === 'new'));
      return auditText(report, format, options);
    }
    case 'Backups': {
      if (format === 'name') return report.items.map(({ path }) => `${path}\n`).join('');
      const { backupsTable } = await import('./tables/backups-table.ts');
      return backupsTable(report, options, wide);
    }
    case 'Owners':
    case 'Tree':
      return renderGraph(report, format, options);
    case 'Orphans': {
      if (format === 'name') return namesOf(report.items);
      const { orphansTable } = await import('./tables/orphans-table.ts');
      return orphansTable(report, options, wide);
    }
    case 'InvalidOwnerReferences': {
      if (format === 'name') return namesOf(report.items);
      const { invalidReferencesTable } = await import('./tables/invalid-references-table.ts');
      return invalidReferencesTable(report, options, wide);
    }
    case 'Simulation': {
      const { simulationTable } = await import('./tables/simulation-table.ts');
      return simulationTable(report, options, wide);
    }
    case 'PodGCPreview': {
      if (format === 'name') return namesOf(report.items);
      const { podGcPreviewTable } = await import('./tables/podgc-preview-table.ts');
      return podGcPreviewTable(report, options, wide);
    }
    case 'Forecast': {
      if (format === 'name') return namesOf(report.items);
      const { forecastTable } = await import('./tables/forecast-table.ts');
      return forecastTable(report, options, wide);
    }
    case 'Fleet': {
      const { asOneReport } = await import('./documents/fleet.ts');
      const answered = await renderText(asOneReport(report), format, options);
      if (format !== 'table' && !wide) return answered;
      const { fleetTable } = await import('./tables/fleet-table.ts');
      return fleetTable(report, answered, options);
    }
    case 'Plan': {
      const { planNames, planTable } = await import('./tables/plan-table.ts');
      return format === 'name' ? planNames(report) : planTable(report, options, wide);
    }
    case 'DeletionComparison': {
      const { compareNames, compareTable } = await import('./tables/compare-table.ts');
      return format === 'name' ? compareNames(report) : compareTable(report, options, wide);
    }
    case 'Images':
    case 'Containers':
      return renderNodes(report, format, options);
    case 'Restoration': {
      if (format === 'name') return namesOf(report.objects.map((object) => ({ object })));
      const { restorationTable } = await import('./tables/restoration-table.ts');
      return restorationTable(report, options, wide);
    }
    case 'Diagnosis': {
      const { whyTree } = await import('./tables/why-table.ts');
      return whyTree(report, options, wide);
    }
    case 'StuckDeletions': {
      if (format === 'name') return namesOf(report.items);
      const { stuckTable } = await import('./tables/stuck-table.ts');
      return stuckTable(report, options, wide);
    }
    case 'CollectorHealth': {
      const { whyGcTable } = await import('./tables/why-table.ts');
      return whyGcTable(report, options, wide);
    }
    case 'Settings': {
      const { settingsTable } = await import('./tables/settings-table.ts');
      return settingsTable(report, options, wide);
    }
    case 'SnapshotInfo': {
      const { snapshotInfoTable } = await import('./tables/snapshot-info-table.ts');
      return snapshotInfoTable(report, format, options);
    }
  }
}

/** An audit in the formats that only audits have; each loads on first use. */
async function auditText(
  report: AuditReport,
  format: Format,
  options: RenderOptions,
): Promise<string> {
  switch (format) {
    case 'sarif': {
      const { auditSarif } = await import('./audit-formats/sarif.ts');
      return auditSarif(report);
    }
    case 'junit': {
      const { auditJunit } = await import('./audit-formats/junit.ts');
      return auditJunit(report);
    }
    case 'github': {
      const { auditGithub } = await import('./audit-formats/github.ts');
      return auditGithub(report);
    }
    case 'gitlab': {
      const { auditGitlab } = await import('./audit-formats/gitlab.ts');
      return auditGitlab(report);
    }
    case 'markdown': {
      const { auditMarkdown } = await import('./audit-formats/markdown.ts');
      return auditMarkdown(report);
    }
    case 'html': {
      const { auditHtml } = await import('./audit-formats/html.ts');
      return auditHtml(report);
    }
    case 'prometheus': {
      const { auditPrometheus } = await import('./audit-formats/prometheus.ts');
      return auditPrometheus(report);
    }
    default: {
      const { auditGroups, auditTable } = await import('./audit-formats/table.ts');
      const wide = format === 'wide';
      const { groupBy } = options;
      return groupBy
        ? auditGroups(report, options, wide, groupBy)
        : auditTable(report, options, wide);
    }
  }
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
  const { graphNames, graphTable, graphTree } = await import('./tables/graph-table.ts');
  if (format === 'name') return graphNames(report);
  return format === 'tree'
    ? graphTree(report, options)
    : graphTable(report, options, format === 'wide');
}

async function renderNodes(
  report: ImagesReport | ContainersReport,
  format: Format,
  options: RenderOptions,
): Promise<string> {
  if (format === 'svg' || format === 'html') {
    const { diskPicture } = await import('./pictures/disk-picture.ts');
    return diskPicture(report, format);
  }
  const wide = format === 'wide';
  if (report.kind === 'Images') {
    const { imagesTable } = await import('./tables/images-table.ts');
    return imagesTable(report, options, wide);
  }
  const { containersTable } = await import('./tables/containers-table.ts');
  return containersTable(report, options, wide);
}

/** One a line; of several clusters, each behind its cluster and a tab. */
function namesOf(
  items: readonly {
    readonly object: { apiVersion: string; kind: string; name: string };
    readonly cluster?: string;
  }[],
): string {
  const lines = items.map(({ object, cluster }) => {
    const name = `${printedName(object)}\n`;
    return cluster === undefined ? name : `${printable(cluster)}\t${name}`;
  });
  return [...new Set(lines)].join('');
}

/** Checks `-o` against what a command can print. */
export function formatOf(output: string, formats: readonly Format[]): Format {
  const format = formats.find((known) => known === output);
  if (format) return format;
  throw usageError(
    'unknown-output',
    `unable to match a printer suitable for the output format "${output}"`,
    `Allowed formats are: ${formats.join(', ')}.`,
  );
}
