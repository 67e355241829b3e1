import { type Severity, severities } from '../../audit/rule.ts';
import { type ObjectReference, objectKey, tableName } from '../../kube/object-reference.ts';
import type { Mark } from '../../output/pages/marks.ts';
import { ownerLine } from '../../output/pages/owners-among.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker, present } from '../../output/pages/page-maker.ts';
import type { RenderOptions } from '../../output/style.ts';
import { groupingsBy, kindAndPlace, onOneScreen } from '../../output/tables/one-screen.ts';
import type { Column } from '../../output/tables/table.ts';
import { type Answer, distinctNames } from '../answer.ts';
import { overdue } from '../orphans/document.ts';
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

/** The findings that count, the most severe first; `wide` shows the others too, and the fixes. */
export function auditTable(report: AuditReport, options: RenderOptions): string {
  const items = options.wide ? report.items : report.items.filter(isNewFinding);
  return onOneScreen(
    {
      items,
      columns: auditColumns(items),
      objectOf: ({ object }) => object,
      groupings: groupingsBy(
        (item) =>
          JSON.stringify([
            ruleAndResult(item),
            item.object.apiVersion,
            kindAndPlace(item),
            causeOf(item),
          ]),
        ruleAndResult,
      ),
      noun: 'finding',
      withoutAge: (item) => ({ ...item, message: causeOf(item) }),
    },
    options,
  );
}

function ruleAndResult(item: AuditItem): string {
  return JSON.stringify([item.severity, item.rule, resultOf(item)]);
}

/** Why it is a problem, without its age. */
function causeOf({ reason, message }: AuditItem): string {
  return reason ?? message;
}

const severityPaints = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

function auditColumns(items: readonly AuditItem[]): Column<AuditItem>[] {
  const places: Column<AuditItem>[] = items.some(({ place }) => place !== undefined)
    ? [['PLACE', ({ place }) => (place ? `${place.path}:${place.line}` : ''), 'wide']]
    : [];
  return [
    ['SEVERITY', ({ severity }) => ({ text: severity, paint: severityPaints[severity] })],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => tableName(object)],
    ['RULE', ({ rule }) => rule],
    ['RESULT', (item) => brief(resultOf(item)) ?? ''],
    ['STATUS', ({ status }) => status, 'wide'],
    ['FIX', ({ fix }) => fix.command ?? fix.summary, 'wide'],
    ...places,
    ['REASON', messageWithResult],
  ];
}

function resultOf({ consequence, rule, overdue: isLate }: AuditItem): string {
  return isLate ? overdue : consequenceWords(consequence, rule);
}

/** With the whole result, where that is too long to stand in a column, or where there is room. */
function messageWithResult(item: AuditItem, { wide }: RenderOptions): string {
  const { message } = item;
  const result = resultOf(item);
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

const auditVerdicts = {
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
      `${auditVerdicts[verdict]} ${coverage.objects} objects of ${coverage.kinds} kinds were read.`,
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
