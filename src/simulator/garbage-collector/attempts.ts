import {
  decideByOwners,
  type OwnersDecision,
  type PropagationPolicy,
} from '../../controllers/garbage-collector/judge.ts';
import {
  FOREGROUND,
  isDeletingDependents,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { nothingThere, otherUidThere } from '../../snapshot/graph/owner-place.ts';
import type { Written } from '../api-server/api-server.ts';
import type { Task } from '../engine/clock.ts';
import type { Timeline, Verb } from '../engine/timeline.ts';
import type { Outcome } from '../engine/work-queue.ts';
import type { CollectorRequests, ReferencePatch } from './collector-requests.ts';
import type { Lookup } from './owner-lookup.ts';
import type { AbsentOwnerCache, OwnershipGraph } from './ownership-graph.ts';
import { identityOfReference, type OwnershipNode } from './ownership-node.ts';

/** What the garbage collector's workers work with; `W` is what their requests wait for. */
export interface GcContext<W = number> {
  readonly requests: CollectorRequests<W>;
  readonly timeline: Timeline;
  readonly graph: OwnershipGraph;
  readonly absentOwners: AbsentOwnerCache;
  /** Puts a node into the queue of deletions. */
  readonly queue: (node: OwnershipNode) => void;
  /** Applies an event to the graph, as an informer would; `event` returns whether the graph changed. */
  readonly enqueueGraphEvent: (event: () => boolean) => void;
  /** Objects whose owners the input says too little about, by uid. */
  readonly unknown: Map<string, string>;
  /** Keeps an owner that was not read until more is known: further attempts would end alike. Default: another attempt. */
  readonly awaitNews?: ((owner: OwnershipNode) => void) | undefined;
}

/** What follows from a write that the API server refused, or did not answer (0). */
function outcomeOfRefusal({ reply: { code } }: Written): Outcome {
  return code === 409 || code === 429 || code >= 500 || code === 0 ? 'retry' : 'requeue';
}

/** Mirrors attemptToDeleteWorker and attemptToDeleteItem, garbagecollector.go (GC-20 to GC-24). */
export function* attemptToDeleteItem<W>(
  worker: GcContext<W>,
  node: OwnershipNode,
): Task<Outcome, W> {
  const { graph, requests } = worker;
  if (!node.isObserved) {
    const known = graph.node(node.identity.uid);
    if (!known || known.isObserved) return 'forget';
  }
  if (node.beingDeleted && !node.deletingDependents) return requeueVirtual(node);
  const live = yield* requests.get(node.identity);
  if (live.kind === 'namespaced-owner-of-cluster-object') return 'forget';
  if (live.kind === 'absent') return forgetVirtual(worker, node, live.because);
  if (live.kind === 'unknown') {
    for (const { identity } of node.dependents ?? [])
      worker.unknown.set(identity.uid, live.because);
    if (!worker.awaitNews) return 'requeue';
    worker.awaitNews(node);
    return 'forget';
  }
  if (live.kind === 'no-answer') return 'retry';
  if (live.kind !== 'found') return 'requeue';
  const { record } = live;
  if (record.uid !== node.identity.uid) {
    return forgetVirtual(worker, node, otherUidThere(node.identity, record.namespace));
  }
  if (node.deletingDependents) return yield* releaseForeground(worker, node);
  if (record.ownerReferences.length === 0) return requeueVirtual(node);

  const references = yield* classifyReferences(worker, node.identity, record.ownerReferences);
  const { solid, dangling, waiting, failed } = references;
  if (failed?.kind === 'unknown') worker.unknown.set(record.uid, failed.because);
  else worker.unknown.delete(record.uid);
  if (failed?.kind === 'no-answer') return 'retry';
  if (failed) {
    return failed.kind === 'namespaced-owner-of-cluster-object' ? 'forget' : 'requeue';
  }
  const counts = { solid: solid.length, dangling: dangling.length, waiting: waiting.length };
  const decided = decideByOwners(counts, () => node.hasDependents, record.finalizers);
  if (decided.action === 'keep') return requeueVirtual(node);
  if (decided.action === 'patch') return yield* removeReferences(worker, node, record, references);
  if (decided.rule === 'GC-22.12') {
    const outcome = yield* unblockCycle(worker, node, record);
    if (outcome) return outcome;
  }
  return yield* deleteItem(worker, node, record, decided, references);
}

/** A virtual node is looked at again until an informer delivers the object (GC-21). */
function requeueVirtual(node: OwnershipNode): Outcome {
  return node.isObserved ? 'forget' : 'requeue';
}

/** The object does not exist: removes it from the graph, as an informer would (GC-22.4, GC-22.6). */
function forgetVirtual<W>(
  { graph, enqueueGraphEvent: tell }: GcContext<W>,
  { identity }: OwnershipNode,
  because = nothingThere(identity, identity.namespace),
): Outcome {
  tell(() => graph.forgetVirtual(identity, because));
  return 'forget';
}

/** Mirrors processDeletingDependentsItem (GC-23). */
function* releaseForeground<W>(worker: GcContext<W>, node: OwnershipNode): Task<Outcome, W> {
  const blocking = node.blockingDependents();
  if (blocking.length > 0) {
    for (const dependent of blocking) if (!dependent.deletingDependents) worker.queue(dependent);
    return 'forget';
  }
  const because = 'no dependent blocks its deletion any more';
  const outcome = yield* removeFinalizer(worker, node.identity, FOREGROUND, because, 'GC-23');
  return outcome === 'forget' ? requeueVirtual(node) : outcome;
}

/** At least one owner is solid: only the other references go (GC-22.11). */
function* removeReferences<W>(
  worker: GcContext<W>,
  node: OwnershipNode,
  record: ObjectRecord,
  { dangling, waiting, because }: ClassifiedReferences,
): Task<Outcome, W> {
  const uids = new Set([...dangling, ...waiting].map(({ uid }) => uid));
  const written = yield* worker.requests.patchReferences(node, record, withoutOwners(uids));
  if (written.result === 'refused') return outcomeOfRefusal(written);
  const reason = `${because.join('; ')}: references to owners that do not exist are removed`;
  noteWrite(worker, 'patch', record, written, reason, 'GC-22.11');
  return requeueVirtual(node);
}

/** Removes every reference to these uids. */
function withoutOwners(uids: ReadonlySet<string>): ReferencePatch {
  const keep = (references: readonly OwnerReference[]) =>
    references.filter(({ uid }) => !uids.has(uid));
  return {
    merge: keep,
    replace: (cached) => keep(cached.ownerReferences),
    strategic: [...uids].map((uid) => ({ $patch: 'delete', uid })),
  };
}

/** Where a dependent is being deleted in the foreground itself, its references stop blocking first (GC-32). */
function* unblockCycle<W>(
  worker: GcContext<W>,
  node: OwnershipNode,
  record: ObjectRecord,
): Task<Outcome | undefined, W> {
  const isCycle = [...(node.dependents ?? [])].some(({ deletingDependents }) => deletingDependents);
  if (!isCycle) return undefined;
  const written = yield* worker.requests.patchReferences(node, record, unblocking(node));
  if (written.result === 'refused') return outcomeOfRefusal(written);
  const because =
    'one of its dependents is itself being deleted in the foreground, so its own references stop blocking';
  noteWrite(worker, 'patch', record, written, because, 'GC-32');
  return undefined;
}

/** blockOwnerDeletion becomes false: where it was true, or with JSON merge everywhere (GC-32). */
function unblocking(node: OwnershipNode): ReferencePatch {
  const { owners } = node;
  const unblocked = (owner: OwnerReference) => ({ ...owner, blockOwnerDeletion: false });
  return {
    merge: (stored) => {
      const merged = [...stored];
      for (const owner of owners) {
        if (owner.blockOwnerDeletion !== true) continue;
        const at = merged.findIndex(({ uid }) => uid === owner.uid);
        const changed = unblocked(owner);
        if (at < 0) merged.push(changed);
        else merged[at] = changed;
      }
      return merged;
    },
    replace: () => owners.map(unblocked),
    strategic: owners.filter((owner) => owner.blockOwnerDeletion === true).map(unblocked),
  };
}

function* deleteItem<W>(
  worker: GcContext<W>,
  node: OwnershipNode,
  record: ObjectRecord,
  { policy, rule }: Extract<OwnersDecision, { readonly action: 'delete' }>,
  { because }: ClassifiedReferences,
): Task<Outcome, W> {
  const written = yield* worker.requests.deleteAsJudged(record, policy);
  const { code } = written.reply;
  if (code === 404) return forgetVirtual(worker, node);
  if (code !== 409) noteWrite(worker, 'delete', record, written, because.join('; '), rule, policy);
  return written.result === 'refused' ? outcomeOfRefusal(written) : requeueVirtual(node);
}

function noteWrite<W>(
  { timeline }: GcContext<W>,
  verb: Verb,
  record: ObjectRecord,
  { result }: Written,
  because: string,
  rule: string,
  policy?: PropagationPolicy,
): void {
  if (result === 'unchanged') return;
  timeline.note('garbage-collector-controller', verb, record, result, () => ({
    because,
    rule,
    ...(policy && { policy }),
  }));
}

interface ClassifiedReferences {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  readonly waiting: readonly OwnerReference[];
  /** The lookup that made the garbage collector give up on the whole object (GC-30, GC-45). */
  readonly failed: Lookup | undefined;
  /** One clause per reference. */
  readonly because: readonly string[];
}

/**
 * Asks for each owner in turn; each question takes a request's time, so the answers are of
 * different moments. Mirrors classifyReferences and isDangling, garbagecollector.go (GC-27).
 */
function* classifyReferences<W>(
  { requests, absentOwners }: GcContext<W>,
  item: ObjectReference,
  references: readonly OwnerReference[],
): Task<ClassifiedReferences, W> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  const because: string[] = [];
  for (const reference of references) {
    const { kind, name, uid } = reference;
    const key = identityOfReference(reference, '');
    const keyInNamespace = identityOfReference(reference, item.namespace);
    const absent = absentOwners.whyAbsent(key) ?? absentOwners.whyAbsent(keyInNamespace);
    if (absent !== undefined) {
      dangling.push(reference);
      because.push(absent);
      continue;
    }
    const found = yield* requests.findOwner(reference, item.namespace);
    if (found.kind === 'absent') {
      absentOwners.add(found.namespaced ? keyInNamespace : key);
      dangling.push(reference);
      because.push(found.because);
    } else if (found.kind !== 'found') {
      return { solid, dangling, waiting, failed: found, because: [...because, found.because] };
    } else if (found.record.uid !== uid) {
      const why = otherUidThere(reference, found.record.namespace);
      absentOwners.add(found.record.type.namespaced ? keyInNamespace : key, why);
      dangling.push(reference);
      because.push(why);
    } else if (isDeletingDependents(found.record)) {
      waiting.push(reference);
      because.push(`${kind} ${name} is being deleted in the foreground`);
    } else {
      solid.push(reference);
      because.push(`${kind} ${name} exists${isTerminating(found.record)}`);
    }
  }
  return { solid, dangling, waiting, failed: undefined, because };
}

function isTerminating({ deletionTimestamp, finalizers }: ObjectRecord): string {
  if (deletionTimestamp === undefined) return '';
  return `, being deleted until ${finalizers.length > 0 ? `${finalizers.join(', ')} is removed` : 'its grace period ends'}`;
}

/**
 * Removes the references to the owner from all its dependents in parallel, and then its finalizer. Mirrors
 * attemptToOrphanWorker and orphanDependents, garbagecollector.go (GC-37).
 */
export function* attemptToOrphan<W>(worker: GcContext<W>, owner: OwnershipNode): Task<Outcome, W> {
  const dependents = [...(owner.dependents ?? [])];
  const outcomes = yield* worker.requests.all(
    dependents.map((dependent) => orphan(worker, owner, dependent)),
  );
  if (outcomes.includes('retry')) return 'retry';
  if (outcomes.includes('requeue')) return 'requeue';
  const because = 'all its dependents have been orphaned';
  return yield* removeFinalizer(worker, owner.identity, ORPHAN, because, 'GC-37');
}

function* orphan<W>(
  worker: GcContext<W>,
  owner: OwnershipNode,
  dependent: OwnershipNode,
): Task<Outcome, W> {
  const record = dependent.seen;
  if (!record) return 'forget';
  const uids = new Set([owner.identity.uid]);
  const written = yield* worker.requests.patchReferences(dependent, record, withoutOwners(uids));
  if (written.reply.code === 404) return 'forget';
  if (written.result === 'refused') return outcomeOfRefusal(written);
  const { kind, name } = owner.identity;
  const because = `its owner ${kind} ${name} is deleted and orphans its dependents`;
  noteWrite(worker, 'patch', record, written, because, 'GC-37');
  return 'forget';
}

/** Mirrors removeFinalizer: GET and PATCH by name, up to four times on conflict (GC-34). */
function* removeFinalizer<W>(
  worker: GcContext<W>,
  identity: ObjectReference,
  finalizer: string,
  because: string,
  rule: string,
): Task<Outcome, W> {
  const { requests } = worker;
  for (const pause of [0, 10, 50, 250]) {
    if (pause > 0) yield* requests.pause(pause);
    const found = yield* requests.get(identity);
    if (found.kind === 'absent') return 'forget';
    if (found.kind === 'no-answer') return 'retry';
    if (found.kind !== 'found') return 'requeue';
    const before = found.record;
    if (!before.finalizers.includes(finalizer)) return 'forget';
    const left = before.finalizers.filter((name) => name !== finalizer);
    const written = yield* requests.setFinalizers(before, left);
    if (written.reply.code === 409) continue;
    if (written.result === 'refused') return written.reply.code === 404 ? 'retry' : 'requeue';
    noteWrite(worker, 'patch', before, written, because, rule);
    return 'forget';
  }
  return 'retry';
}
