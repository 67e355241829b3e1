import { type Severity, severities } from '../../audit/rule.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { tableName } from '../../kube/object-name.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { Mark } from '../../output/pages/marks.ts';
import { ownerLine } from '../../output/pages/owners-among.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker, present } from '../../output/pages/page-maker.ts';
import type { RenderOptions } from '../../output/style.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import { type Answer, distinctNames } from '../answer.ts';
import { consequenceWords, mostResultWords } from '../words.ts';
import type { AuditItem, AuditReport } from './document.ts';
import { configurationOf, isNewFinding, unreadSentences } from './formats/finding-text.ts';

export const auditAnswer = {
  tableOf: auditTable,
  pageOf: auditPage,
  namesOf: ({ items }: AuditReport) => distinctNames(items.filter(isNewFinding)),
  texts: {
    sarif: async () => (await import('./formats/sarif.ts')).auditSarif,
    junit: async () => (await import('./formats/junit.ts')).auditJunit,
    github: async () => (await import('./formats/github.ts')).auditGithub,
    gitlab: async () => (await import('./formats/gitlab.ts')).auditGitlab,
    markdown: async () => (await import('./formats/markdown.ts')).auditMarkdown,
    prometheus: async () => (await import('./formats/prometheus.ts')).auditPrometheus,
  },
} satisfies Answer<AuditReport>;

/** The findings that count, deletions with one cause in one row; `wide` shows the others too, and the fixes. */
export function auditTable(report: AuditReport, options: RenderOptions): string {
  const items = options.wide ? report.items : report.items.filter(isNewFinding);
  const isOneEach = options.wide || options.marks || options.labels;
  return renderItems(isOneEach ? items : byCause(items), auditColumns(items), options);
}

/** A finding, with the objects of which all the same is said. */
interface AuditRow extends AuditItem {
  readonly others?: readonly AuditItem[];
}

/** Deletions that do not end for one reason, of one kind in one namespace, are one row. */
function byCause(items: readonly AuditItem[]): readonly AuditRow[] {
  const groups = Map.groupBy(items, (item) => {
    const { severity, consequence, object, reason } = item;
    if (reason === undefined) return item;
    const { namespace, apiVersion, kind } = object;
    return JSON.stringify([severity, consequence, namespace, apiVersion, kind, reason]);
  });
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? [];
    const { message, reason = message } = first;
    const isOfOneAge = others.every((other) => other.message === message);
    return { ...first, others, message: isOfOneAge ? message : reason };
  });
}

function objectNames({ object, others = [] }: AuditRow): string {
  if (others.length === 0) return tableName(object);
  const names = [object.name, ...others.map((other) => other.object.name)];
  return `${counted(names.length, object.kind)}: ${firstOf(names)}`;
}

const severityPaints = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

function auditColumns(items: readonly AuditItem[]): Column<AuditRow>[] {
  const places: Column<AuditRow>[] = items.some(({ place }) => place !== undefined)
    ? [['PLACE', ({ place }) => (place ? `${place.path}:${place.line}` : ''), 'wide']]
    : [];
  return [
    ['SEVERITY', ({ severity }) => ({ text: severity, paint: severityPaints[severity] })],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', objectNames],
    ['RULE', ({ rule }) => rule],
    ['RESULT', ({ consequence, rule }) => brief(consequenceWords(consequence, rule)) ?? ''],
    ['STATUS', ({ status }) => status, 'wide'],
    ['FIX', ({ fix }) => fix.command ?? fix.summary, 'wide'],
    ...places,
    ['REASON', messageWithResult],
  ];
}

/** With the whole result, where that is too long to stand in a column, or where there is room. */
function messageWithResult(
  { message, consequence, rule }: AuditItem,
  { wide }: RenderOptions,
): string {
  const result = consequenceWords(consequence, rule);
  const short = brief(result);
  return short === result || (short !== undefined && !wide)
    ? message
    : `${message}. ${result.charAt(0).toUpperCase()}${result.slice(1)}`;
}

/** Details come after a colon or a semicolon; undefined of a sentence. */
function brief(result: string): string | undefined {
  const [short = '', condition] = result.split(/[:;] |,? (while|until|unless) /, 2);
  // Without its condition it would be said of every case.
  if (condition !== undefined && notDeleted.test(short)) return 'not deleted yet';
  return short.split(' ').length <= mostResultWords ? short : undefined;
}

const notDeleted = /^(never|not) deleted$/;

const verdicts = {
  failed: 'There are findings that count.',
  incomplete: 'Nothing was found that fails it, but not everything could be read.',
  passed: 'Nothing was found that fails it.',
} as const;

const severityMarks: Readonly<Record<Severity, Mark>> = {
  error: 'goes',
  warning: 'changes',
  info: 'new',
};

/** `audit`: the objects with findings, below the owners that they name, and every finding as a row. */
export function auditPage(report: AuditReport, options: RenderOptions): PageData {
  const { items, at, verdict, summary, coverage, rules } = report;
  const { error, warning, info, baseline, waived } = summary;
  const page = new PageMaker(auditColumns(items), options);
  // A finding that counts decides how its object is drawn, the most severe first.
  for (const item of bySeverity(items)) {
    page.add(item.object, findingState(item), [
      ...page.factsOf(item),
      ['What to do', item.fix.summary],
      ['Waiver', waiverOf(item)],
      ['Rule of Kubernetes', item.kubernetesRule],
    ]);
  }
  for (const object of items.flatMap(({ related }) => related)) page.add(object, present);
  for (const item of bySeverity(items)) page.row(item, objectKey(item.object));
  const references = items.flatMap((item) => referenceIn(item, page));
  const found = rules.filter(({ findings }) => findings > 0);
  const made = page.page(report, {
    title: `Audit: ${verdict}`,
    figure: figureOf(items.filter(isNewFinding).length, 'finding', 'findings', !coverage.complete),
    first: 'rows',
    summary: [
      `${verdicts[verdict]} ${coverage.objects} objects of ${coverage.kinds} kinds were read.`,
      `Errors: ${error}, warnings: ${warning}, infos: ${info}; in the baseline: ${baseline}, waived: ${waived}.`,
      ...(found.length === 0
        ? []
        : [`Rules: ${found.map(({ id, findings }) => `${id} (${findings})`).join(', ')}.`]),
      `Rules that found nothing: ${rules.length - found.length} of ${rules.length}.`,
      configurationOf(report),
    ].filter((line) => line !== ''),
    gaps: unreadSentences(report),
    legend: { goes: 'error', changes: 'warning', new: 'info', stays: 'waived or in the baseline' },
    references: uniqueOf(references),
  });
  return { ...made, at };
}

/** Findings that count, the most severe first; then all others. */
function bySeverity(items: readonly AuditItem[]): AuditItem[] {
  const rank = (item: AuditItem) =>
    (isNewFinding(item) ? 0 : severities.length) + severities.indexOf(item.severity);
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function findingState(item: AuditItem): PageState {
  const { severity, rule, status } = item;
  return isNewFinding(item)
    ? { mark: severityMarks[severity], words: rule }
    : { mark: 'stays', words: `${rule}, ${status}` };
}

function waiverOf({ waiver, lapsedWaiver }: AuditItem): string | undefined {
  if (waiver) return `${waiver.reason}${waiver.expires ? `, until ${waiver.expires}` : ''}`;
  return lapsedWaiver && `the ${lapsedWaiver.by} does not count: ${lapsedWaiver.because}`;
}

/** The rules about references whose owner cannot be looked up. */
const unresolvable: ReadonlySet<string> = new Set([
  'namespaced-owner-of-cluster-object',
  'unserved-owner-kind',
  'unserved-owner-version',
]);

/** What a finding's reference leads to: the owner that is there, or no more than what the reference says of one. */
function referenceIn(item: AuditItem, page: PageMaker<AuditItem>): PageReference[] {
  const { object, reference, related, message, rule } = item;
  if (!reference) return [];
  const { apiVersion, kind, name, uid } = reference;
  const isOwner = (one: ObjectReference) =>
    one.uid === uid &&
    one.kind === kind &&
    one.name === name &&
    (one.namespace === '' || one.namespace === object.namespace);
  const dependent = objectKey(object);
  const there = unresolvable.has(rule) ? undefined : related.find(isOwner);
  if (there) {
    return [ownerLine({ ...reference, owner: objectKey(there), dependent }, 'solid', message)];
  }
  const [found, state]: [PageReference['class'], PageState] = unresolvable.has(rule)
    ? ['unresolvable', { mark: 'unseen', words: 'cannot be looked up' }]
    : ['dangling', { mark: 'gone', words: 'is not there as it is named' }];
  const named = { apiVersion, kind, namespace: '', name, uid };
  const owner = page.add(named, state, [], `named ${apiVersion} ${kind} ${name} ${uid}`);
  return [ownerLine({ ...reference, owner, dependent }, found, message)];
}

/** Several findings may be about one reference. */
function uniqueOf(references: readonly PageReference[]): PageReference[] {
  return [...new Map(references.map((one) => [`${one.owner} ${one.dependent}`, one])).values()];
}
