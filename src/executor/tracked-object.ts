import type { ObjectRecord } from '../kube/object-record.ts';
import { noFinalizers } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { PlannedObject } from '../plan/plan.ts';
import type { Observation } from '../plan/progress-event.ts';

/** The part of an object's owner reference that decides what waits for it. */
export interface SeenReference {
  readonly uid: string;
  readonly blocks: boolean;
}

/** A planned object and what the cluster has shown of it so far. */
export interface TrackedObject {
  readonly planned: PlannedObject;
  /** Undefined when its kind is not served. */
  readonly type: ResourceType | undefined;
  /** What was last told of it; undefined: nothing has happened to it. */
  observation: Observation | undefined;
  /** Undefined until it was looked for. */
  present: boolean | undefined;
  /** It was terminating when it was first seen. */
  wasTerminating: boolean;
  terminating: boolean;
  finalizers: readonly string[];
  owners: readonly SeenReference[];
  /** uids of its owners when it was first seen. */
  firstOwners: readonly string[];
  /** Why nobody can tell what becomes of it. */
  blind: string | undefined;
}

export function trackedObject(
  planned: PlannedObject,
  type: ResourceType | undefined,
): TrackedObject {
  return {
    planned,
    type,
    observation: undefined,
    present: undefined,
    wasTerminating: false,
    terminating: false,
    finalizers: noFinalizers,
    owners: [],
    firstOwners: [],
    blind: undefined,
  };
}

/** Takes over what a record says, which must be of the same uid. */
export function noteRecord(object: TrackedObject, record: ObjectRecord): void {
  const terminating = record.deletionTimestamp !== undefined;
  if (object.present === undefined) {
    object.wasTerminating = terminating;
    object.firstOwners = record.ownerReferences.map(({ uid }) => uid);
  }
  object.present = true;
  object.blind = undefined;
  object.terminating = terminating;
  object.finalizers = record.finalizers;
  object.owners = record.ownerReferences.map(({ uid, blockOwnerDeletion }) => ({
    uid,
    blocks: blockOwnerDeletion === true,
  }));
}

/** Is the plan that it disappears? */
export function isToGo({ planned: { fate } }: TrackedObject): boolean {
  return fate === 'deleted' || fate === 'recreated';
}
