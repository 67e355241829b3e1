import type { PlannedRequest } from '../plan/plan.ts';
import { isToGo, type TrackedObject } from './tracked-object.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** Has what was planned for this object come true, so far as it must be waited for? */
export function isMet(object: TrackedObject, tracked: TrackedObjects): boolean {
  if (object.present === false) return true;
  if (object.planned.fate !== 'orphaned') return !isToGo(object);
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

/** Adds to `uids` what hangs on them. */
function reached(tracked: TrackedObjects, uids: Set<string>): Set<string> {
  const dependents = new Map<string, string[]>();
  const add = (owner: string, uid: string) => {
    const list = dependents.get(owner);
    if (list) list.push(uid);
    else dependents.set(owner, [uid]);
  };
  const namespaces = new Map<string, string>();
  const definitions = new Map<string, string>();
  for (const { planned } of tracked.all) {
    if (planned.kind === 'Namespace') namespaces.set(planned.name, planned.uid);
    if (planned.kind === 'CustomResourceDefinition') definitions.set(planned.name, planned.uid);
  }
  for (const { planned, firstOwners, type } of tracked.all) {
    for (const owner of firstOwners) add(owner, planned.uid);
    const namespace = namespaces.get(planned.namespace);
    if (namespace !== undefined) add(namespace, planned.uid);
    const definition = type && definitions.get(`${type.resource}.${type.group}`);
    if (definition !== undefined) add(definition, planned.uid);
  }
  const pending = [...uids];
  for (let uid = pending.pop(); uid !== undefined; uid = pending.pop()) {
    for (const dependent of dependents.get(uid) ?? []) {
      if (uids.has(dependent)) continue;
      uids.add(dependent);
      pending.push(dependent);
    }
  }
  return uids;
}
