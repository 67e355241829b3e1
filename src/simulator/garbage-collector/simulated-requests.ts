import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { refusal, sameReferences, updateObject, type Written } from '../api-server/api-server.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import { accepted } from '../api-server/request.ts';
import type { Task } from '../engine/clock.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { CollectorRequests, ReferencePatch } from './collector-requests.ts';
import type { Lookup, OwnerLookup } from './owner-lookup.ts';
import type { OwnershipNode } from './ownership-node.ts';

/**
 * The garbage collector's requests to the simulated API server; each takes a request's time. A class,
 * because V8 keeps something of every generator function for long, and a cluster is played hundreds of times.
 */
export class SimulatedRequests implements CollectorRequests {
  readonly #context: RunContext;
  readonly #lookup: OwnerLookup;

  constructor(context: RunContext, lookup: OwnerLookup) {
    this.#context = context;
    this.#lookup = lookup;
  }

  *get(identity: ObjectReference): Task<Lookup> {
    yield this.#context.schedule.request();
    return this.#lookup.find(identity, identity.namespace);
  }

  *findOwner(reference: OwnerReference, namespace: string): Task<Lookup> {
    if (isLookedUp(this.#lookup, reference)) yield this.#context.schedule.request();
    return this.#lookup.find(reference, namespace);
  }

  *deleteAsJudged(judged: ObjectRecord, propagationPolicy: PropagationPolicy): Task<Written> {
    const { state, schedule, minor } = this.#context;
    yield schedule.request();
    const live = stored(state, judged);
    if (!live) return gone(judged);
    // Before v1.34 the request names the uid alone.
    const isNamed = minor < 34 ? live.uid === judged.uid : live === judged;
    if (isNamed) return deleteObject(this.#context, live, { propagationPolicy });
    yield schedule.request();
    const again = stored(state, judged);
    if (!again) return gone(judged);
    const isSame =
      again.uid === judged.uid && sameReferences(again.ownerReferences, judged.ownerReferences);
    if (!isSame) return changed(judged, 'GC-33');
    yield schedule.request();
    const current = stored(state, judged);
    if (current?.uid !== judged.uid) return gone(judged);
    return deleteObject(this.#context, current, { propagationPolicy });
  }

  *patchReferences(
    node: OwnershipNode,
    record: ObjectRecord,
    patch: ReferencePatch,
  ): Task<Written> {
    const { state, schedule } = this.#context;
    yield schedule.request();
    const live = stored(state, record);
    if (!live) return gone(record);
    if (isBuiltInGroup(record.type.group)) {
      if (live.uid !== node.identity.uid) {
        return refusal(409, 'Conflict', `${record.name} was recreated`, 'GC-31');
      }
      return store(this.#context, live, patch.merge(live.ownerReferences));
    }
    const cached = node.seen ?? live;
    const wanted = patch.replace(cached);
    yield schedule.request();
    const current = stored(state, record);
    if (!current) return gone(record);
    return current === cached ? store(this.#context, current, wanted) : changed(record, 'GC-31');
  }

  *setFinalizers(before: ObjectRecord, finalizers: readonly string[]): Task<Written> {
    yield this.#context.schedule.request();
    const live = stored(this.#context.state, before);
    if (!live) return gone(before);
    return live === before
      ? updateObject(this.#context, before, { ...before, finalizers })
      : changed(before, 'GC-34');
  }

  *pause(milliseconds: number): Task<void> {
    yield milliseconds;
  }

  *all<T>(tasks: readonly Task<T>[]): Task<readonly T[]> {
    const done: T[] = [];
    for (const task of tasks) this.#context.clock.start(task, (value) => done.push(value));
    while (done.length < tasks.length) yield 1;
    return done;
  }
}

function stored(
  state: ClusterState,
  { type, namespace, name }: ObjectRecord,
): ObjectRecord | undefined {
  return state.get(type, namespace, name);
}

function gone({ name }: ObjectRecord): Written {
  return refusal(404, 'NotFound', `${name} does not exist`);
}

function changed({ name }: ObjectRecord, rule: string): Written {
  return refusal(409, 'Conflict', `${name} was changed meanwhile`, rule);
}

/** A kind that maps to nothing is not asked for. */
function isLookedUp(lookup: OwnerLookup, { apiVersion, kind }: OwnerReference): boolean {
  const mapping = lookup.types.mapKind(apiVersion, kind).kind;
  return mapping === 'served' || mapping === 'list-kind';
}

function store(
  context: RunContext,
  live: ObjectRecord,
  ownerReferences: readonly OwnerReference[],
): Written {
  if (sameReferences(live.ownerReferences, ownerReferences)) {
    return { reply: accepted, result: 'unchanged', after: live, rule: 'GC-31' };
  }
  return updateObject(context, live, { ...live, ownerReferences });
}
