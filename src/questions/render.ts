import { usageError } from '../errors.ts';
import { inBlocks, jsonParts, piecesOf, yamlParts } from '../output/document-parts.ts';
import { flowed, spelled, stacked } from '../output/fit-text.ts';
import { type PrintedText, printable, printedText } from '../output/printable.ts';
import type { RenderOptions } from '../output/style.ts';
import { jsonText } from '../syntax/json-text.ts';
import { type Answer, distinctNames } from './answer.ts';
import type { FleetReport } from './fleet.ts';

export const documentFormats = ['table', 'wide', 'json', 'yaml'] as const;
export const pictureFormats = [...documentFormats, 'svg', 'html'] as const;
export const listFormats = [...documentFormats, 'name'] as const;
export const pagedListFormats = [...listFormats, 'html'] as const;
export const timelineFormats = [...listFormats, 'markdown', 'html'] as const;
export const graphFormats = [...listFormats, 'tree', 'dot', 'mermaid', 'svg', 'html'] as const;
const reviewFormats = ['sarif', 'junit', 'github', 'gitlab', 'markdown', 'html'] as const;
export const auditFormats = [...listFormats, ...reviewFormats, 'prometheus'] as const;

export type Format = (typeof graphFormats)[number] | (typeof auditFormats)[number];

/** How each kind of document reads; each loads on first use. */
const answers = {
  Audit: async () => (await import('./audit/text.ts')).auditAnswer,
  Backups: async () => (await import('./backups/text.ts')).backupsAnswer,
  CollectorHealth: async () => (await import('./why/text.ts')).diagnosisAnswer,
  Containers: async () => (await import('./nodes/text.ts')).nodesAnswer,
  DeletionChain: async () => (await import('./deleted/chain-text.ts')).chainAnswer,
  DeletionComparison: async () => (await import('./delete/comparison-text.ts')).comparisonAnswer,
  Deletions: async () => (await import('./deleted/deletions-text.ts')).deletionsAnswer,
  Diagnosis: async () => (await import('./why/text.ts')).diagnosisAnswer,
  Forecast: async () => (await import('./forecast/text.ts')).forecastAnswer,
  Images: async () => (await import('./nodes/text.ts')).nodesAnswer,
  InvalidOwnerReferences: async () =>
    (await import('./invalid-ownerrefs/text.ts')).invalidReferencesAnswer,
  Orphans: async () => (await import('./orphans/text.ts')).orphansAnswer,
  Owners: async () => (await import('./owners/text.ts')).graphAnswer,
  Plan: async () => (await import('./delete/text.ts')).planAnswer,
  PodGCPreview: async () => (await import('./podgc-preview/text.ts')).podGcAnswer,
  Restoration: async () => (await import('./restore/text.ts')).restorationAnswer,
  Settings: async () => (await import('./settings/text.ts')).settingsAnswer,
  Simulation: async () => (await import('./simulate/text.ts')).simulationAnswer,
  SnapshotDiff: async () => (await import('./snapshot/diff-text.ts')).diffAnswer,
  SnapshotInfo: async () => (await import('./snapshot/info-text.ts')).snapshotInfoAnswer,
  Status: async () => (await import('./status/text.ts')).statusAnswer,
  StuckDeletions: async () => (await import('./why/stuck-text.ts')).stuckAnswer,
  Tree: async () => (await import('./owners/text.ts')).graphAnswer,
} satisfies Record<string, () => Promise<Answer<never>>>;

type AnswerOf<K extends keyof typeof answers> = Awaited<ReturnType<(typeof answers)[K]>>;

/** A document that has an answer, or several of one kind. */
export type Report =
  | { [K in keyof typeof answers]: Parameters<AnswerOf<K>['tableOf']>[0] }[keyof typeof answers]
  | FleetReport;

/** A report as text. Formatters load only when they are needed. */
export async function render(
  report: Report,
  format: Format,
  options: RenderOptions,
): Promise<PrintedText> {
  return printedText(await reportText(report, format, options), options);
}

/** Rows of a table that are drawn together: in a longer one each block has its own widths. */
const rowsOfBlock = 1000;

/** For what needs all of it: sorting, templates. */
export function withWholeList(report: Report): Report {
  return report.kind === 'Deletions' ? { ...report, items: [...report.items] } : report;
}

/** A report as text, in the parts in which it is written: of a long list, one after the other. */
export async function* renderParts(
  report: Report,
  format: Format,
  options: RenderOptions,
): AsyncGenerator<PrintedText> {
  const parts = report.kind === 'Deletions' ? partsOfList(report, format, options) : undefined;
  if (!parts) yield render(report, format, options);
  else for await (const text of parts) yield printedText(text, options);
}

async function* partsOfList(
  list: Extract<Report, { kind: 'Deletions' }>,
  format: Format,
  options: RenderOptions,
): AsyncGenerator<string> {
  if (format === 'json') {
    yield* inBlocks(jsonParts(list));
    yield '\n';
  } else if (format === 'yaml') {
    const { renderYaml } = await import('../output/yaml.ts');
    yield* inBlocks(yamlParts(list, renderYaml));
  } else if (isTable(format)) {
    let { noHeaders } = options;
    for (const rows of piecesOf(list.items, rowsOfBlock)) {
      yield await reportText({ ...list, items: rows }, format, { ...options, noHeaders });
      noHeaders = true;
    }
  } else yield await reportText(list, format, options);
}

async function reportText(report: Report, format: Format, options: RenderOptions): Promise<string> {
  if (format === 'json') return `${jsonText(report, 2)}\n`;
  if (format === 'yaml') return (await import('../output/yaml.ts')).renderYaml(report);
  const text = await renderText(report, format, options);
  const isOnScreen = isTable(format) || format === 'tree';
  return isOnScreen ? flowed(spelled(text, options), options) : text;
}

async function renderText(report: Report, format: Format, options: RenderOptions): Promise<string> {
  if (report.kind === 'Fleet') return renderFleet(report, format, options);
  const answer = await (answers[report.kind] as () => Promise<Answer<Report>>)();
  const load = answer.texts?.[format];
  if (load) return (await load())(report, options);
  switch (format) {
    case 'name':
      return [...namesIn(report, answer)].map((name) => `${name}\n`).join('');
    case 'svg':
    case 'html': {
      if (!answer.pageOf) throw new Error(`${report.kind} has no page`);
      const page = answer.pageOf(report, options);
      if (format === 'html') return (await import('../output/pages/page-html.ts')).pageHtml(page);
      return (await import('../output/pictures/picture-svg.ts')).pictureSvg(page);
    }
    default:
      return answer.tableOf(report, { ...options, wide: format === 'wide' });
  }
}

/** What an answer gives as names, else the objects that its items are about. */
function namesIn(report: Report, { namesOf }: Answer<Report>): Iterable<string> {
  if (namesOf) return namesOf(report);
  const items = 'items' in report ? [...report.items] : [];
  return distinctNames(items.filter((item) => 'object' in item));
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
