import type { Severity } from '../../audit/rule.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { configurationOf, gapsOf } from '../audit-formats/finding-text.ts';
import { auditColumns } from '../audit-formats/table.ts';
import type { AuditItem, AuditReport } from '../documents/audit.ts';
import type { RenderOptions } from '../style.ts';
import type { Mark } from './marks.ts';
import { lineOf } from './owners-among.ts';
import type { PageData, PageReference, PageState } from './page-data.ts';
import {
  columnFacts,
  factsOf,
  PageObjects,
  pageHead,
  pageTable,
  present,
  stillView,
} from './page-parts.ts';

const verdicts = {
  failed: 'There are findings that count.',
  incomplete: 'Nothing was found that fails it, but not everything could be read.',
  passed: 'Nothing was found that fails it.',
} as const;

const marks: Readonly<Record<Severity, Mark>> = {
  error: 'goes',
  warning: 'changes',
  info: 'new',
};

/** `audit`: the objects with findings, below the owners that they name, and every finding as a row. */
export function auditPage(report: AuditReport, options: RenderOptions): PageData {
  const { items, verdict, summary, coverage, rules } = report;
  const { error, warning, info, baseline, waived } = summary;
  const columns = auditColumns(items, options);
  const objects = new PageObjects();
  // A finding that counts decides how its object is drawn, the most severe first.
  for (const item of items.toSorted((a, b) => Number(isCounted(b)) - Number(isCounted(a)))) {
    objects.add(item.object, stateOf(item), [
      ...columnFacts(item, columns),
      ...factsOf(
        ['What to do', item.fix.summary],
        ['Waiver', waiverOf(item)],
        ['Rule of Kubernetes', item.kubernetesRule],
      ),
    ]);
  }
  for (const object of items.flatMap(({ related }) => related)) objects.add(object, present);
  const references = items.flatMap((item) => referenceIn(item, objects));
  const title = `Audit: ${verdict}`;
  const found = rules.filter(({ findings }) => findings > 0);
  return {
    ...pageHead(report, options),
    at: report.at,
    title,
    summary: [
      `${verdicts[verdict]} ${coverage.objects} objects of ${coverage.kinds} kinds were read.`,
      `Errors: ${error}, warnings: ${warning}, infos: ${info}; in the baseline: ${baseline}, waived: ${waived}.`,
      ...found.map(({ id, title, findings }) => `${id} (${findings}): ${title}`),
      `Rules that found nothing: ${rules.length - found.length} of ${rules.length}.`,
      configurationOf(report),
    ].filter((line) => line !== ''),
    gaps: gapsOf(report),
    legend: { goes: 'error', changes: 'warning', new: 'info', stays: 'waived or in the baseline' },
    objects: objects.all(),
    references: uniqueOf(references),
    views: items.length === 0 ? [] : [stillView(title)],
    table: pageTable(items, columns, ({ object }) => objectKey(object)),
  };
}

function isCounted({ status }: AuditItem): boolean {
  return status === 'new';
}

function stateOf(item: AuditItem): PageState {
  const { severity, rule, status } = item;
  return isCounted(item)
    ? { mark: marks[severity], words: rule }
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
function referenceIn(item: AuditItem, objects: PageObjects): PageReference[] {
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
    return [lineOf({ ...reference, owner: objectKey(there), dependent }, 'solid', message)];
  }
  const [found, state]: [PageReference['class'], PageState] = unresolvable.has(rule)
    ? ['unresolvable', { mark: 'unseen', words: 'cannot be looked up' }]
    : ['dangling', { mark: 'gone', words: 'is not there as it is named' }];
  const named = { apiVersion, kind, namespace: '', name, uid };
  const owner = objects.add(named, state, [], `named ${apiVersion} ${kind} ${name} ${uid}`);
  return [lineOf({ ...reference, owner, dependent }, found, message)];
}

/** Several findings may be about one reference. */
function uniqueOf(references: readonly PageReference[]): PageReference[] {
  return [...new Map(references.map((one) => [`${one.owner} ${one.dependent}`, one])).values()];
}
