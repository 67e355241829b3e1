import type { PlannedRequest } from '../../deletion/plan/plan.ts';
import { FOREGROUND, ORPHAN } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Ending } from '../progress-event.ts';
import type { Execution, Pace } from '../run-context.ts';
import type { StallWatch } from './stall-watch.ts';
import { isToGo, type TrackedObject, type TrackedObjects } from './tracked-objects.ts';

/** Has what was planned for this object come true, so far as it must be waited for? */
function isMet(object: TrackedObject, tracked: TrackedObjects): boolean {
  if (object.present === false || object.kept !== undefined) return true;
  if (object.expected.fate !== 'orphaned') return !isToGo(object);
  return object.present === true && tracked.hasLostOwners(object);
}

/**
 * The objects whose fate the accepted requests bring about: those that are reached from one over
 * owner references, a namespace or a definition, and not from one that was not accepted.
 */
export function expectedObjects(
  tracked: TrackedObjects,
  requests: readonly PlannedRequest[],
  accepted: ReadonlySet<string>,
): TrackedObject[] {
  if (requests.every(({ uid }) => accepted.has(uid))) return [...tracked.all];
  const going = reached(tracked, new Set(accepted));
  const staying = reached(
    tracked,
    new Set(requests.map(({ uid }) => uid).filter((uid) => !accepted.has(uid))),
  );
  return [...tracked.all].filter(
    ({ planned: { uid } }) => accepted.has(uid) || (going.has(uid) && !staying.has(uid)),
  );
}

/** Adds to `uids` the objects that depend on them. */
function reached(tracked: TrackedObjects, uids: Set<string>): Set<string> {
  const all = [...tracked.all];
  const uidsOf = (kind: string) =>
    new Map(
      all.flatMap(({ planned }) => (planned.kind === kind ? [[planned.name, planned.uid]] : [])),
    );
  const namespaces = uidsOf('Namespace');
  const definitions = uidsOf('CustomResourceDefinition');
  const edges = all.flatMap(({ planned: { uid, namespace }, firstOwners, type }) =>
    [...firstOwners, namespaces.get(namespace), type && definitions.get(groupResourceOf(type))].map(
      (owner) => ({ owner, uid }),
    ),
  );
  const dependents = Map.groupBy(edges, ({ owner }) => owner);
  // A Set that grows is iterated to its new end.
  for (const owner of uids) {
    for (const { uid } of dependents.get(owner) ?? []) uids.add(uid);
  }
  return uids;
}

/**
 * Waits until all of these are removed, or orphaned if that is planned. It does not wait for objects that the plan
 * keeps: after the others, some time without events ends the wait (`settled`). It does not wait for objects that
 * cannot be read either.
 */
export async function untilSettled(
  execution: Execution,
  tracked: TrackedObjects,
  expected: readonly TrackedObject[],
  stallWatch: StallWatch,
): Promise<Ending> {
  const { pace, stop, options } = execution;
  const isUnmet = (object: TrackedObject) =>
    object.unobservable === undefined && !isMet(object, tracked);
  // Looked at from its end, so that a step costs no more than what it brought about.
  let open = expected.filter(isUnmet);
  for (;;) {
    if (options.signal?.aborted) return 'interrupted';
    if (stop.aborted) return 'timed-out';
    for (let last = open.at(-1); last && !isUnmet(last); last = open.at(-1)) open.pop();
    if (open.length === 0) open = expected.filter(isUnmet);
    if (open.length > 0) {
      if (!(await stallWatch.wait(() => expected.filter(isUnmet)))) return 'stalled';
      continue;
    }
    const left = expected.filter(({ present }) => present !== false);
    // What the plan did not know may be about to go as well.
    if (left.length === 0 && [...tracked.unplanned.values()].every(({ gone }) => gone))
      return 'gone';
    const wait = tracked.lastChange + quietTime(left, pace) - performance.now();
    if (wait <= 0) return 'settled';
    await tracked.bell.wait(wait, stop);
  }
}

/** Waits until these are removed or cannot be read, which kubectl counts as success. */
export async function untilGone(
  { stop, options }: Execution,
  objects: readonly TrackedObject[],
  stallWatch: StallWatch,
): Promise<Ending> {
  for (;;) {
    const left = objects.filter(
      ({ present, unobservable }) => present !== false && unobservable === undefined,
    );
    if (left.length === 0) return 'gone';
    if (options.signal?.aborted) return 'interrupted';
    if (stop.aborted) return 'timed-out';
    if (!(await stallWatch.wait(() => left))) return 'stalled';
  }
}

/** How long nothing must have happened until what is left is taken to stay, in milliseconds. */
function quietTime(left: readonly TrackedObject[], pace: Pace): number {
  // What lives on has nothing to wait for: a moment is enough to see whether it goes all the same.
  const isSettled = left.every(({ expected: { fate } }) => fate === 'kept' || fate === 'orphaned');
  if (isSettled) return pace.quiet / 3;
  const hold = left.some(({ finalizers }) => finalizers.some((name) => !own.has(name)));
  return hold ? pace.quietWithFinalizers : pace.quiet;
}

/** The garbage collector's own finalizers: what they wait for is in the plan. */
const own = new Set([FOREGROUND, ORPHAN]);
