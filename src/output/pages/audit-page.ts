import type { Severity } from '../../audit/rule.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { configurationOf, gapsOf, locationOf, sentenceOf } from '../audit-formats/finding-text.ts';
import type { AuditItem, AuditReport } from '../documents/audit.ts';
import type { RenderOptions } from '../style.ts';
import type { Mark } from './marks.ts';
import type { PageData, PageFact, PageObject, PageReference } from './page-data.ts';
import { factsOf, identityFacts, pageHead, present, stillView } from './page-parts.ts';

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
  const objects = new Map<string, PageObject>();
  for (const [id, found] of Map.groupBy(items, ({ object }) => objectKey(object))) {
    objects.set(id, objectOf(id, found));
  }
  for (const object of items.flatMap(({ related }) => related)) {
    const id = objectKey(object);
    if (!objects.has(id)) {
      objects.set(id, { ...object, id, state: present, facts: identityFacts(object) });
    }
  }
  const references = items.flatMap((item) => {
    const owner = ownerOf(item);
    if (!owner) return [];
    if (!objects.has(owner.object.id)) objects.set(owner.object.id, owner.object);
    return [owner.reference];
  });
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
    objects: [...objects.values()],
    references: uniqueOf(references),
    views: objects.size === 0 ? [] : [stillView(title)],
    table: {
      columns: ['Severity', 'Rule', 'Status', 'Finding', 'Fix', 'Place'],
      rows: items.map((item) => ({
        object: objectKey(item.object),
        cells: [
          item.severity,
          item.rule,
          statusOf(item),
          sentenceOf(item),
          [item.fix.summary, item.fix.command].filter(Boolean).join(': '),
          placeOf(item) ?? '',
        ],
      })),
    },
  };
}

/** The most severe finding of an object that counts decides how it is drawn. */
function objectOf(id: string, items: readonly AuditItem[]): PageObject {
  const [first] = items as readonly [AuditItem, ...AuditItem[]];
  const counted = items.find(({ status }) => status === 'new');
  return {
    ...first.object,
    id,
    state: counted
      ? { mark: marks[counted.severity], words: counted.rule }
      : { mark: 'stays', words: `${first.rule}, ${first.status}` },
    facts: [...items.flatMap(factsOfFinding), ...identityFacts(first.object)],
  };
}

function factsOfFinding(item: AuditItem): PageFact[] {
  const { rule, severity, fix, kubernetesRule } = item;
  return factsOf(
    ['Finding', `${severity} ${rule}`],
    ['Reason', sentenceOf(item)],
    ['Rule', kubernetesRule],
    ['Status', statusOf(item)],
    ['Fix', fix.summary],
    ['Command', fix.command],
    ['Place', placeOf(item)],
  );
}

function statusOf({ status, waiver, lapsedWaiver }: AuditItem): string {
  if (waiver) return `waived: ${waiver.reason}${waiver.expires ? `, until ${waiver.expires}` : ''}`;
  if (!lapsedWaiver) return status;
  return `${status}: the ${lapsedWaiver.by} does not waive it any more: ${lapsedWaiver.because}`;
}

function placeOf(item: AuditItem): string | undefined {
  const { path, line, isFile } = locationOf(item);
  return isFile ? `${path}:${line}` : undefined;
}

/** The rules about references whose owner cannot be looked up. */
const unresolvable: ReadonlySet<string> = new Set([
  'namespaced-owner-of-cluster-object',
  'unserved-owner-kind',
  'unserved-owner-version',
]);

/** What a finding's reference leads to: the owner that is there, or no more than what the reference says of one. */
function ownerOf(item: AuditItem): { object: PageObject; reference: PageReference } | undefined {
  const { object, reference, related, message, rule } = item;
  if (!reference) return undefined;
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  const isOwner = (one: ObjectReference) =>
    one.uid === uid &&
    one.kind === kind &&
    one.name === name &&
    (one.namespace === '' || one.namespace === object.namespace);
  const isUnresolvable = unresolvable.has(rule);
  const there = isUnresolvable ? undefined : related.find(isOwner);
  const named = there ?? { apiVersion, kind, namespace: '', name, uid };
  const id = there ? objectKey(there) : `named ${apiVersion} ${kind} ${name} ${uid}`;
  const absent = isUnresolvable
    ? ({ mark: 'unseen', words: 'cannot be looked up' } as const)
    : ({ mark: 'gone', words: 'is not there as it is named' } as const);
  return {
    object: { ...named, id, state: there ? present : absent, facts: identityFacts(named) },
    reference: {
      owner: id,
      dependent: objectKey(object),
      class: there ? 'solid' : isUnresolvable ? 'unresolvable' : 'dangling',
      ...(controller && { controller }),
      ...(blockOwnerDeletion && { blocks: true }),
      because: message,
    },
  };
}

/** Several findings may be about one reference. */
function uniqueOf(references: readonly PageReference[]): PageReference[] {
  return [...new Map(references.map((one) => [`${one.owner} ${one.dependent}`, one])).values()];
}
