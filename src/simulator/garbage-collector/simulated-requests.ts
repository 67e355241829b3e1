import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { withChanges } from '../../kube/records/stored-record.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { refusal, sameReferences, updateObject, type Written } from '../api-server/api-server.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { CollectorRequests } from './collector-requests.ts';
import type { OwnerLookup } from './owner-lookup.ts';

/** The garbage collector's requests to the simulated API server; each takes a request's time. */
export function simulatedRequests(context: RunContext, lookup: OwnerLookup): CollectorRequests {
  const { state, schedule, clock } = context;
  const find = ({ type, namespace, name }: ObjectRecord) => state.get(type, namespace, name);
  const gone = ({ name }: ObjectRecord) => refusal(404, 'NotFound', `${name} is gone`);
  const changed = ({ name }: ObjectRecord, rule: string) =>
    refusal(409, 'Conflict', `${name} was changed meanwhile`, rule);
  return {
    *get(identity) {
      yield schedule.request();
      return lookup.find(identity, identity.namespace);
    },
    *findOwner(reference, namespace) {
      if (isLookedUp(lookup, reference)) yield schedule.request();
      return lookup.find(reference, namespace);
    },
    *deleteAsJudged(judged, policy) {
      yield schedule.request();
      const live = find(judged);
      if (!live) return gone(judged);
      if (live === judged) return deleteObject(context, live, { propagationPolicy: policy });
      yield schedule.request();
      const again = find(judged);
      if (!again) return gone(judged);
      const isSame =
        again.uid === judged.uid && sameReferences(again.ownerReferences, judged.ownerReferences);
      if (!isSame) return changed(judged, 'GC-33');
      yield schedule.request();
      const current = find(judged);
      if (current?.uid !== judged.uid) return gone(judged);
      return deleteObject(context, current, { propagationPolicy: policy });
    },
    *patchReferences(node, record, patch) {
      yield schedule.request();
      const live = find(record);
      if (!live) return gone(record);
      if (isBuiltInGroup(record.type.group)) {
        if (live.uid !== node.identity.uid) {
          return refusal(409, 'Conflict', `${record.name} is another object now`, 'GC-31');
        }
        return store(context, live, patch.merge(live.ownerReferences));
      }
      const cached = node.seen ?? live;
      const wanted = patch.replace(cached);
      yield schedule.request();
      const current = find(record);
      if (!current) return gone(record);
      return current === cached ? store(context, current, wanted) : changed(record, 'GC-31');
    },
    *setFinalizers(before, finalizers) {
      yield schedule.request();
      const live = find(before);
      if (!live) return gone(before);
      return live === before
        ? updateObject(context, before, withChanges(before, { finalizers }))
        : changed(before, 'GC-34');
    },
    *pause(milliseconds) {
      yield milliseconds;
    },
    *all<T>(tasks: readonly Task<T>[]) {
      const done: T[] = [];
      for (const task of tasks) clock.start(task, (value) => done.push(value));
      while (done.length < tasks.length) yield 1;
      return done;
    },
  };
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
    return { reply: { code: 200, reason: '' }, result: 'unchanged', after: live, rule: 'GC-31' };
  }
  return updateObject(context, live, withChanges(live, { ownerReferences }));
}
