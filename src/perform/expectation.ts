import type { Fate, Plan, PlannedObject } from '../deletion/plan/plan.ts';
import { disappearsOnceReleased } from '../deletion/plan/plan-totals.ts';
import { namesNamespace } from '../kube/well-known-kinds.ts';

/** The end of an object that a run waits for. */
export interface ExpectedEnd {
  /** An object that is expected to be deleted is waited for. */
  readonly fate: Fate;
  /** The plan allows another end as well, because a finalizer may block the object: it is no difference. */
  readonly mayStay?: boolean;
  /** The plan says that another object of its name may be created: it is no difference. */
  readonly mayBeRecreated?: boolean;
}

/** By uid, the ends that are not simply those of the plan. */
export type Expectation = ReadonlyMap<string, ExpectedEnd>;

/** Each object is expected to end as planned. */
export const asPlanned: Expectation = new Map();

export function expectedEnd(expectation: Expectation, { uid, fate }: PlannedObject): ExpectedEnd {
  return expectation.get(uid) ?? { fate };
}

/**
 * Whatever finalizers block, targets are waited for, as kubectl does: the program that removes the finalizer may be
 * working. Objects that are deleted after these finalizers are waited for, too.
 */
export function expectationOf(plan: Plan): Expectation {
  const recreated = remadeObjects(plan);
  const requested = new Set(plan.requests.map(({ uid }) => uid));
  return new Map(
    plan.objects.map((object) => {
      const { uid } = object;
      const end = endToWaitFor(object, requested);
      return [uid, recreated.has(uid) ? { ...end, mayBeRecreated: true } : end] as const;
    }),
  );
}

/** The same without a wait for blocked objects: a controller comes again. */
export function expectationOfController(plan: Plan): Expectation {
  const recreated = remadeObjects(plan);
  return new Map(
    plan.objects.flatMap(({ uid, fate }) =>
      recreated.has(uid) ? [[uid, { fate, mayBeRecreated: true }] as const] : [],
    ),
  );
}

function endToWaitFor(object: PlannedObject, requested: ReadonlySet<string>): ExpectedEnd {
  const { uid, fate, then, waitsFor = [] } = object;
  // Whether it is deleted depends on a program that may not run.
  if (object.likely) return { fate: 'unknown' };
  const isAwaited = requested.has(uid)
    ? fate === 'terminating' || fate === 'unknown' || disappearsOnceReleased(object)
    : disappearsOnceReleased(object) &&
      waitsFor.every(({ object: holder }) => requested.has(holder.uid));
  if (!isAwaited) return { fate };
  return { fate: then === 'recreated' ? then : 'deleted', mayStay: true };
}

/**
 * uids of objects that may be recreated without being reported: a remark announced it, or the namespace
 * is deleted in which they are recreated.
 * @internal
 */
export function remadeObjects({ objects, remarks }: Plan): Set<string> {
  const uids = new Set(
    remarks.flatMap((remark) =>
      remark.code === 'recreated' ? remark.objects.map(({ uid }) => uid) : [],
    ),
  );
  const namespaces = new Set(
    objects.flatMap((object) =>
      namesNamespace(object) && object.fate === 'deleted' ? [object.name] : [],
    ),
  );
  for (const { namespace, uid } of objects) if (namespaces.has(namespace)) uids.add(uid);
  return uids;
}
