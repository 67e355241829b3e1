import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { objectKey, referenceTo } from '../../kube/object-reference.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { isPod, namespaceFinalizer, specFinalizersOf } from '../../kube/well-known-kinds.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { failuresOf, type ObjectReport, reportInWords, reportsOf } from '../../programs/reports.ts';
import { type Cause, type Link, link, type Trail, widest } from '../chain.ts';
import { isYoung } from '../deletion-age.ts';
import { type FixRequest, finalizeNamespace } from '../fix-request.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  readInFull,
  readWhole,
  valueIn,
} from '../inquiry.ts';
import { finalizerRemoval } from '../programs/finalizer-removal.ts';
import { finalizerLink } from './finalizer-link.ts';
import { controllerManagerLink, overdueLink } from './program-links.ts';
import { judgeLink, judgingPolicies } from './refusal-links.ts';
import { rehearseDeletion } from './rehearsals.ts';
import { unreadKindLinks } from './unreadable-kind-links.ts';

const controller = 'namespace-controller';

/** What a namespace's spec.finalizers wait for (GC-71 to GC-76). */
export function namespaceLinks(inquiry: Inquiry, namespace: ObjectRecord, trail: Trail): Link[] {
  const finalizers = specFinalizersOf(namespace);
  if (finalizers.length === 0) return [];
  const content = inquiry.ask({ ask: 'content', namespace: namespace.name });
  const evidence: Evidence[] = [
    ...conditionsOf(inquiry, namespace),
    ...evidenceOf(content, ({ records, unread }) =>
      [
        countsOf(records),
        unread.length > 0 ? `${counted(unread.length, 'kind')} could not be read` : '',
      ]
        .filter(Boolean)
        .join('; '),
    ),
  ];
  const details = { rule: 'GC-72', evidence, finalizer: namespaceFinalizer };
  if (content.state !== 'read') {
    const because = 'the content of the namespace could not be read';
    return [link(namespace, 'namespace-unread', 'unknown', because, details)];
  }
  const { records, unread } = content.value;
  const broken = unreadKindLinks(inquiry, unread);
  // Without its last entry the namespace is deleted, and its remaining objects stay in etcd.
  const isEmpty = records.length + broken.length + reportsOf(namespace).length === 0;
  // Entries that are not the namespace controller's block the namespace whatever it still contains.
  const foreign = finalizers
    .filter((finalizer) => finalizer !== namespaceFinalizer)
    .map((finalizer) => {
      const isHarmless = isEmpty || finalizers.length > 1;
      const fix = isHarmless ? finalizeNamespace(namespace, finalizer) : undefined;
      return specFinalizerLink(inquiry, namespace, finalizer, { evidence, fix });
    });
  const pods = records.filter(isPod);
  // While a pod is left, the namespace controller touches nothing else.
  const held = pods.length > 0 ? pods : records;
  if (held.length > 0) {
    const cause: Cause = pods.length > 0 ? 'namespace-pods' : 'namespace-content';
    const why =
      pods.length > 0
        ? `namespace still contains ${counted(pods.length, 'Pod')}; other objects are deleted afterwards`
        : `namespace still contains ${countsOf(records)}`;
    const later = isYoung(namespace, inquiry.now) ? records.filter(waitsForProgram) : [];
    const links = leftLinks(inquiry, namespace, { held, later, broken }, trail);
    return [link(namespace, cause, 'waiting', why, { ...details, links }), ...foreign];
  }
  if (broken.length > 0) {
    const because =
      'no objects remain in what could be read, but the namespace controller finishes only when it can list every kind';
    const unlisted = { ...details, rule: 'GC-74', links: broken };
    return [link(namespace, 'namespace-unread', 'waiting', because, unlisted), ...foreign];
  }
  if (namespace.facts?.specFinalizers === undefined)
    return [finalizersUnread(inquiry, namespace, evidence)];
  if (!finalizers.includes(namespaceFinalizer)) return foreign;
  return [emptyLink(inquiry, namespace, evidence), ...foreign];
}

function finalizersUnread(
  inquiry: Inquiry,
  record: ObjectRecord,
  evidence: readonly Evidence[],
): Link {
  const { type, name } = record;
  const reading = readWhole(inquiry.ask({ ask: 'object', type, namespace: '', name }));
  const because = 'no objects remain, but its spec.finalizers were not read';
  return link(record, 'namespace-unread', 'unknown', because, {
    rule: 'GC-71',
    evidence: [...evidence, ...evidenceOf(reading, () => 'has no spec')],
    next: readInFull,
  });
}

/** An entry of spec.finalizers that a program other than the namespace controller removes. */
function specFinalizerLink(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  finalizer: string,
  { evidence, fix }: Pick<Link, 'evidence'> & { readonly fix: FixRequest | undefined },
): Link {
  const removal = finalizerRemoval(inquiry, namespace, finalizer, {
    named: undefined,
    isListed: false,
  });
  const what = `its spec.finalizers hold ${finalizer}, which a program has to remove`;
  const reasons = [what, ...(removal.hint === undefined ? [] : [removal.hint])];
  const because = [...reasons, ...removal.reasons].join('; ');
  const isRemovable = removal.verdict === 'removable';
  const state = isRemovable ? 'blocked' : 'unknown';
  return link(namespace, 'namespace-finalizer', state, because, {
    rule: 'GC-71',
    finalizer,
    evidence: [...evidence, ...removal.evidence],
    programs: removal.programs,
    next: `Find out which program removes ${finalizer}. If it will never run again, remove the entry through the finalize subresource.`,
    fix: isRemovable ? fix : undefined,
  });
}

/** No object remains among those that were read; the namespace controller may have seen more. */
function emptyLink(inquiry: Inquiry, namespace: ObjectRecord, evidence: readonly Evidence[]): Link {
  const reported = inWords(reportsOf(namespace), inquiry.now);
  const but = reported.length === 0 ? '' : `; but ${reported.join('; ')}`;
  if (reported.length > 0 && inquiry.origin === 'files') {
    const because = `no objects remain in the input${but}`;
    return link(namespace, 'namespace-unread', 'unknown', because, {
      rule: 'GC-74',
      finalizer: namespaceFinalizer,
      evidence,
      next: 'Ask the cluster: which kinds can be listed, and whether anything is left of them.',
    });
  }
  return overdueLink(inquiry, namespace, 'namespace-empty', {
    controller,
    because: `no objects remain and every kind could be read, but the namespace controller has not finished it${but}`,
    rule: 'GC-71',
    finalizer: namespaceFinalizer,
    evidence,
    next:
      reported.length > 0
        ? 'It tries again within a minute. If it reports the same again, resolve what it reports.'
        : 'It tries again within a minute. If it does not, remove the entry through the finalize subresource.',
    fix: reported.length > 0 ? undefined : finalizeNamespace(namespace, namespaceFinalizer),
  });
}

/** What a namespace still contains, and which kinds could not be read. */
interface NamespaceContent {
  readonly held: readonly ObjectRecord[];
  /** Those that a program has to release once they are deleted. */
  readonly later: readonly ObjectRecord[];
  readonly broken: readonly Link[];
}

/** Objects that are not being deleted yet wait for those that are, and share one link. */
function leftLinks(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  { held, later, broken }: NamespaceContent,
  trail: Trail,
): Link[] {
  const sorted = held.toSorted(stuckFirst);
  const ending = sorted.filter(isBeingDeleted).slice(0, widest);
  const followed = ending.map((one) => trail.follow(one));
  followed.push(...later.slice(0, widest).map((one) => laterLink(inquiry, one, trail)));
  const left = sorted.filter((one) => !isBeingDeleted(one) && !later.includes(one));
  const awaited = [...followed, ...broken];
  const rest = left
    .slice(0, 1)
    .map((one) => notDeletedLink(inquiry, namespace, one, left, awaited));
  return [...followed, ...rest, ...broken];
}

/** `first` stands for all that are left. `awaited`: what they wait for. */
function notDeletedLink(
  inquiry: Inquiry,
  namespace: ObjectRecord,
  first: ObjectRecord,
  left: readonly ObjectRecord[],
  awaited: readonly Link[],
): Link {
  const rehearsed = left.slice(0, widest).map((one) => rehearseDeletion(inquiry, one, controller));
  const failures = failuresOf(namespace);
  const reported = failures.flatMap(
    ({ message }) =>
      judgeLink(inquiry, message, { refused: { cause: 'deletion-refused', by: controller } }) ?? [],
  );
  const refusals = refusalsOnce([
    ...rehearsed.flatMap(({ refusal }) => refusal ?? []),
    ...reported,
    ...judgingPolicies(inquiry, first, 'delete', controller),
  ]);
  const manager = controllerManagerLink(inquiry, controller);
  const isHeld = awaited.length + refusals.length > 0 || manager.state === 'blocked';
  const more = left.length - 1;
  const not = more === 0 ? 'it is' : `it and ${counted(more, 'other object')} are`;
  const them = more === 0 ? 'it' : 'them';
  const waits =
    inWords(failures, inquiry.now).join('; ') ||
    `the namespace controller has not reached ${them}, or waits for something else first`;
  const because = `${not} not deleted yet${refusals.length > 0 ? '' : `: ${waits}`}`;
  return link(first, 'object-left', isHeld ? 'waiting' : 'blocked', because, {
    rule: 'GC-72',
    evidence: rehearsed.flatMap(({ evidence }) => evidence),
    links: refusals.length > 0 ? refusals : [manager],
  });
}

/**
 * Does a program have to remove a finalizer from it, once it is deleted? All other objects are removed within moments: they are what a
 * deletion that has just begun will wait for.
 */
function waitsForProgram(record: ObjectRecord): boolean {
  const isOfKubernetes = (finalizer: string) =>
    finalizer === FOREGROUND ||
    finalizer === ORPHAN ||
    (knownFinalizer(finalizer, record.type)?.setBy.runsIn ?? 'workload') !== 'workload';
  return !isBeingDeleted(record) && !record.finalizers.every(isOfKubernetes);
}

function laterLink(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link {
  const { type, namespace, name } = record;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  const current = valueIn(reading) ?? record;
  const links = current.finalizers.map((one) =>
    withoutSteps(finalizerLink(inquiry, current, one, trail)),
  );
  const because = 'it is not deleted yet, and will wait for its finalizers';
  return link(current, 'object-left', 'waiting', because, {
    rule: 'GC-72',
    evidence: evidenceOf(reading, () => `finalizers ${current.finalizers.join(', ')}`),
    links,
  });
}

/** Nothing has to be done about a finalizer of an object that is not being deleted. */
function withoutSteps({ command: _, fix: __, ...one }: Link): Link {
  return { ...one, next: '', links: one.links.map(withoutSteps) };
}

/** One webhook or policy refuses all alike; that it may refuse says nothing where it does. */
function refusalsOnce(refusals: readonly Link[]): Link[] {
  const sure = refusals.filter(({ state }) => state !== 'unknown');
  const byJudge = Map.groupBy(sure.length > 0 ? sure : refusals, ({ object }) => objectKey(object));
  return [...byJudge.values()].flatMap(([first]) => first ?? []);
}

/** Objects that will not be deleted by themselves come first, then by kind and name. */
function stuckFirst(a: ObjectRecord, b: ObjectRecord): number {
  const held = Number(b.finalizers.length > 0) - Number(a.finalizers.length > 0);
  const nameOf = ({ type, name }: ObjectRecord) => `${printedKindOf(type)}/${name}`;
  return held || compareText(nameOf(a), nameOf(b));
}

function countsOf(records: readonly ObjectRecord[]): string {
  return countsByKind(records.map(referenceTo)) || 'nothing';
}

/** What the namespace controller found when it last looked, which may be long ago. */
function conditionsOf(inquiry: Inquiry, namespace: ObjectRecord): Evidence[] {
  const { type, name } = namespace;
  const reading = inquiry.ask({ ask: 'object', type, namespace: '', name });
  const reported = inWords(reportsOf(namespace), inquiry.now);
  return reported.length === 0 ? [] : evidenceOf(reading, () => reported.join('; '));
}

function inWords(reports: readonly ObjectReport[], now: number): string[] {
  return reports.map((report) => reportInWords(report, now));
}
