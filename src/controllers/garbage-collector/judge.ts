import {
  FOREGROUND,
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
  ORPHAN,
} from '../../kube/object-record.ts';
import { isEventType, isMonitored } from '../../kube/resource-type.ts';
import { collectorOff } from '../../settings/enabled-controllers.ts';
import {
  type ClassifiedReference,
  classifyReference,
} from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/**
 * What the garbage collector does when it processes one object: `delete` it; remove the references that are not solid
 * (`patch`); keep it; do nothing because it has no owner, because a reference freezes it, because it is already being
 * deleted, or because its kind is not watched or no garbage collector runs; or the answer is unknown.
 */
export type Action =
  | 'delete'
  | 'patch'
  | 'keep'
  | 'unowned'
  | 'frozen'
  | 'terminating'
  | 'ignored'
  | 'unknown';

export interface Judgement {
  readonly action: Action;
  /** The DELETE's propagation policy. */
  readonly policy: PropagationPolicy | undefined;
  readonly references: readonly ClassifiedReference[];
  readonly rule: string;
  readonly because: string;
}

/**
 * Mirrors attemptToDeleteItem, pkg/controller/garbagecollector/garbagecollector.go (GC-22):
 * the decision on the live object and the owners it names. Doubt comes before everything but an
 * unresolvable reference, which freezes the object whatever the others turn out to be.
 */
export function judge(graph: Graph, record: ObjectRecord): Judgement {
  return judgeBy(graph, record, classifiedReferences(graph, record));
}

/** The same, where its references are classified already. Where it is off, what would be garbage stays (GC-78). */
function judgeBy(
  graph: Graph,
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
): Judgement {
  const decide: Decide = (action, rule, because, policy) => {
    const stays = whereOff[action];
    const off = collectorOff(stays && graph.snapshot.controllers);
    if (!stays || !off) return { action, policy, references, rule, because };
    const but = `${because}; but ${off}`;
    return { action: stays, policy: undefined, references, rule: 'GC-78', because: but };
  };

  const isWatched = isMonitored(record.type);
  const isEnding = isWatched && isBeingDeleted(record);
  if (references.length === 0 && !isEnding) return decide('unowned', 'GC-22.8', 'it has no owner');
  if (!isWatched) {
    const rule = isEventType(record.type) ? 'GC-8' : 'GC-9';
    return decide(
      'ignored',
      rule,
      `the garbage collector does not watch ${record.type.kind} objects`,
    );
  }
  if (isEnding) {
    return decide(
      'terminating',
      isDeletingDependents(record) ? 'GC-23' : 'GC-22.1',
      `it is already being deleted${references.length === 0 ? '' : '; its references are not looked at again'}`,
    );
  }
  const orphaned = references.filter((reference) => isOrphaned(graph, reference));
  if (orphaned.length > 0) {
    const names = orphaned.map(({ reference: { kind, name } }) => `${kind} ${name}`).join(', ');
    const removed = `${names} is being deleted and orphans its dependents, which removes the reference`;
    const left = references.filter((reference) => !orphaned.includes(reference));
    if (left.length === 0) return decide('patch', 'GC-37', removed);
    const then = judgeBy(graph, record, left);
    const because = `${removed}; then ${then.because}`;
    return then.action === 'keep'
      ? decide('patch', 'GC-37', because)
      : { ...then, references, because };
  }
  const frozen = references.find((reference) => reference.class === 'unresolvable');
  if (frozen) {
    const rule = frozen.rule === 'GC-45' ? 'GC-45' : 'GC-30';
    return decide(
      'frozen',
      rule,
      `${frozen.because}; while that reference stays, it is never deleted or changed`,
    );
  }
  const unread = references.find((reference) => reference.class === 'unknown');
  if (unread) {
    const solid = references.find((reference) => reference.class === 'solid');
    const survives = solid ? `; it lives on in any case, as ${solid.because}` : '';
    return decide('unknown', unread.rule, unread.because + survives);
  }
  return judgeByOwners(graph, record, references, decide);
}

type Decide = (
  action: Action,
  rule: string,
  because: string,
  policy?: PropagationPolicy,
) => Judgement;

function judgeByOwners(
  graph: Graph,
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
  decide: Decide,
): Judgement {
  const solid = references.filter((reference) => reference.class === 'solid');
  const ofEvents = references.filter(isOfEndingEvent);
  if (ofEvents.length > 0 && solid.length + ofEvents.length === references.length) {
    const stays = references.map(({ because }) => because).join('; ');
    const late =
      'the garbage collector does not watch Events: it notices the end of this one late, and looks at the object then';
    return decide('keep', 'GC-21', `${stays}; ${late}`);
  }
  const dependents = () => graph.dependentsOf(record.uid).filter(({ type }) => isMonitored(type));
  const waiting = references.filter((reference) => reference.class === 'waiting').length;
  const dangling = references.length - solid.length - waiting;
  const counts = { solid: solid.length, waiting, dangling };
  const decided = decideByOwners(counts, () => dependents().length > 0, record.finalizers);
  if (decided.action === 'keep') {
    return decide('keep', decided.rule, solid.map((reference) => reference.because).join('; '));
  }
  if (decided.action === 'patch') {
    return removal(references, solid, decide);
  }
  const because = references.map((reference) => reference.because).join('; ');
  const isCycle = decided.rule === 'GC-22.12' && dependents().some(isDeletingDependents);
  const cycle = isCycle
    ? '; one of its dependents is itself being deleted in the foreground, so its own references stop blocking first'
    : '';
  return decide('delete', decided.rule, because + cycle, decided.policy);
}

/** At least one owner is solid: only the other references are removed, where the API server permits it (GC-67). */
function removal(
  references: readonly ClassifiedReference[],
  solid: readonly ClassifiedReference[],
  decide: Decide,
): Judgement {
  const kept = solid[0]?.because;
  const removed = removedUids(references);
  const left = references.filter(({ reference }) => !removed.has(reference.uid));
  if (left.filter(({ reference }) => reference.controller === true).length > 1) {
    const because = `${kept}; the other references stay as well: the API server refuses to change an object that has two controllers`;
    return decide('keep', 'GC-67', because);
  }
  const because = `${kept}, so only the other references are removed`;
  const all =
    '; but that is done by uid, which takes this one along and leaves it without an owner';
  return decide('patch', 'GC-22.11', left.length > 0 ? because : because + all);
}

/**
 * Does the reference freeze the object only until its owner, which is being deleted, has orphaned its dependents? Their
 * references are removed by uid, whatever else they say (orphanDependents; GC-37).
 */
function isOrphaned(graph: Graph, { class: found, reference }: ClassifiedReference): boolean {
  const owner = found === 'unresolvable' ? graph.withUid(reference.uid) : undefined;
  return owner !== undefined && isBeingDeleted(owner) && owner.finalizers.includes(ORPHAN);
}

const whereOff: Readonly<Partial<Record<Action, Action>>> = { delete: 'ignored', patch: 'keep' };

/**
 * Does it only wait for an Event that is being deleted in the foreground? The garbage collector does not watch Events: it polls
 * this one, and looks at its dependents after it was deleted (GC-21).
 */
function isOfEndingEvent({ class: verdict, found }: ClassifiedReference): boolean {
  return verdict === 'waiting' && found !== undefined && isEventType(found.type);
}

/** @internal */
export function classifiedReferences(
  graph: Graph,
  record: ObjectRecord,
): readonly ClassifiedReference[] {
  return record.ownerReferences.map((reference) => classifyReference(graph, record, reference));
}

/** References are removed by uid, which takes along an honoured one that shares it (GC-31). */
function removedUids(references: readonly ClassifiedReference[]): ReadonlySet<string> {
  return new Set(
    references.filter(({ class: cls }) => cls !== 'solid').map(({ reference }) => reference.uid),
  );
}

/** How many of the references of an object are of each class. */
interface ReferenceCounts {
  readonly solid: number;
  readonly dangling: number;
  readonly waiting: number;
}

export type OwnersDecision =
  | { readonly action: 'keep'; readonly rule: 'GC-22.10' }
  | { readonly action: 'patch'; readonly rule: 'GC-22.11' }
  | {
      readonly action: 'delete';
      readonly rule: 'GC-22.12' | 'GC-22.13';
      readonly policy: PropagationPolicy;
    };

/**
 * The table of GC-22, once each reference of an object is classified: the last part of attemptToDeleteItem,
 * pkg/controller/garbagecollector/garbagecollector.go.
 */
export function decideByOwners(
  { solid, dangling, waiting }: ReferenceCounts,
  hasDependents: () => boolean,
  finalizers: readonly string[],
): OwnersDecision {
  if (solid > 0 && dangling + waiting === 0) return { action: 'keep', rule: 'GC-22.10' };
  if (solid > 0) return { action: 'patch', rule: 'GC-22.11' };
  if (waiting > 0 && hasDependents())
    return { action: 'delete', rule: 'GC-22.12', policy: 'Foreground' };
  return { action: 'delete', rule: 'GC-22.13', policy: policyOf(finalizers) };
}

/** The policy that the finalizers of an object ask for. */
function policyOf(finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

const judgementsByGraph = new WeakMap<Graph, ReadonlyMap<ObjectRecord, Judgement>>();

/**
 * What the garbage collector does with the objects of a graph, in the snapshot's order, each judged once however
 * many ask. Left out, as nothing can be said about them: objects without references, and those whose only one is
 * honoured and leads to another object that is no Event (GC-22.10).
 */
export function judgementsIn(graph: Graph): ReadonlyMap<ObjectRecord, Judgement> {
  let judgements = judgementsByGraph.get(graph);
  if (!judgements) {
    judgements = judgeAll(graph);
    judgementsByGraph.set(graph, judgements);
  }
  return judgements;
}

function judgeAll(graph: Graph): ReadonlyMap<ObjectRecord, Judgement> {
  const judgements = new Map<ObjectRecord, Judgement>();
  for (const record of graph.unverifiedDependents()) {
    const references = classifiedReferences(graph, record);
    if (isPlain(record, references)) continue;
    judgements.set(record, judgeBy(graph, record, references));
  }
  return judgements;
}

function isPlain(record: ObjectRecord, references: readonly ClassifiedReference[]): boolean {
  const [only, ...others] = references;
  if (only?.class !== 'solid' || others.length > 0) return false;
  const { found } = only;
  if (!found || isEventType(found.type)) return false;
  return found.name !== record.name || found.uid !== record.uid;
}
