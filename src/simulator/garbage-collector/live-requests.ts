import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { refusal, sameReferences, updateObject, type Written } from '../api-server/api-server.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Lookup, OwnerLookup } from './owner-lookup.ts';
import type { OwnershipNode } from './ownership-node.ts';

interface Sender {
  readonly context: RunContext;
  readonly lookup: OwnerLookup;
}

/** Mirrors getObject: a GET by the node's own coordinates. */
export function* getObject({ context, lookup }: Sender, identity: ObjectReference): Task<Lookup> {
  yield context.schedule.request();
  return lookup.find(identity, identity.namespace);
}

/**
 * Mirrors deleteObject: bound to the object as it was judged; when only something else than its
 * references changed meanwhile, it is deleted all the same (GC-33).
 */
export function* deleteAsJudged(
  { context }: Sender,
  judged: ObjectRecord,
  policy: PropagationPolicy,
): Task<Written> {
  const { state, schedule } = context;
  const gone = () => refusal(404, 'NotFound', `${judged.name} is gone`);
  yield schedule.request();
  const live = state.get(judged.type, judged.namespace, judged.name);
  if (!live) return gone();
  if (live === judged) return deleteObject(context, live, { propagationPolicy: policy });
  yield schedule.request();
  const again = state.get(judged.type, judged.namespace, judged.name);
  if (!again) return gone();
  if (again.uid !== judged.uid || !sameReferences(again.ownerReferences, judged.ownerReferences)) {
    return refusal(409, 'Conflict', `${judged.name} was changed meanwhile`, 'GC-33');
  }
  yield schedule.request();
  const current = state.get(judged.type, judged.namespace, judged.name);
  if (current?.uid !== judged.uid) return gone();
  return deleteObject(context, current, { propagationPolicy: policy });
}

/**
 * How a patch changes references: given those stored, or those of the garbage collector's own copy.
 */
export interface ReferencePatch {
  /** Strategic merge: applied by the server to what it has stored. */
  readonly merge: (stored: readonly OwnerReference[]) => readonly OwnerReference[];
  /** JSON merge: the whole list, computed from the cached object. */
  readonly replace: (cached: ObjectRecord) => readonly OwnerReference[];
}

/**
 * Mirrors patch: strategic merge, and for custom resources, which do not take one, a JSON merge
 * patch bound to the resourceVersion in the informer's cache (GC-31, GC-32).
 */
export function* patchReferences(
  { context }: Sender,
  node: OwnershipNode,
  record: ObjectRecord,
  patch: ReferencePatch,
): Task<Written> {
  const { state, schedule } = context;
  const { type, namespace, name } = record;
  const find = () => state.get(type, namespace, name);
  const gone = () => refusal(404, 'NotFound', `${name} is gone`);
  yield schedule.request();
  const live = find();
  if (!live) return gone();
  if (isBuiltInGroup(type.group)) {
    if (live.uid !== node.identity.uid) {
      return refusal(409, 'Conflict', `${name} is another object now`, 'GC-31');
    }
    return store(context, live, patch.merge(live.ownerReferences));
  }
  const cached = node.seen ?? live;
  const wanted = patch.replace(cached);
  yield schedule.request();
  const current = find();
  if (!current) return gone();
  if (current !== cached) return refusal(409, 'Conflict', `${name} was changed meanwhile`, 'GC-31');
  return store(context, current, wanted);
}

function store(
  context: RunContext,
  live: ObjectRecord,
  ownerReferences: readonly OwnerReference[],
): Written {
  if (sameReferences(live.ownerReferences, ownerReferences)) {
    return { reply: { code: 200, reason: '' }, result: 'unchanged', after: live, rule: 'GC-31' };
  }
  return updateObject(context, live, { ...live, ownerReferences });
}

/** Mirrors removeFinalizer: GET and PATCH by name, up to four times on conflict (GC-34). */
export function* removeFinalizer(
  sender: Sender,
  identity: ObjectReference,
  finalizer: string,
): Task<
  | { readonly before: ObjectRecord; readonly written: Written }
  | 'gone'
  | 'absent'
  | 'failed'
  | 'conflict'
> {
  const { context } = sender;
  for (const pause of [0, 10, 50, 250]) {
    if (pause > 0) yield pause;
    const found = yield* getObject(sender, identity);
    if (found.kind === 'absent') return 'gone';
    if (found.kind !== 'found') return 'failed';
    const before = found.record;
    if (!before.finalizers.includes(finalizer)) return 'absent';
    yield context.schedule.request();
    const live = context.state.get(before.type, before.namespace, before.name);
    if (!live) return 'conflict';
    if (live !== before) continue;
    const finalizers = before.finalizers.filter((name) => name !== finalizer);
    const written = updateObject(context, before, { ...before, finalizers });
    return written.result === 'refused' ? 'failed' : { before, written };
  }
  return 'conflict';
}
