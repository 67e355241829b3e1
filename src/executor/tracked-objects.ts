import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { PlannedObject } from '../plan/plan.ts';
import type { Observation } from '../plan/progress-event.ts';
import { identityOf, type ObjectIdentity } from '../simulator/timeline.ts';
import { Bell } from './bell.ts';
import type { Happening } from './execution.ts';
import { noteRecord, type TrackedObject, trackedObject } from './tracked-object.ts';

/** A dependent that the plan did not know. */
export interface UnplannedObject {
  readonly object: ObjectIdentity;
  readonly owner: ObjectIdentity;
}

/**
 * What is known of the planned objects, by uid: a uid that is gone never comes back, and another
 * object of the same name is another object.
 */
export class TrackedObjects {
  /** Rings whenever something was seen to change. */
  readonly bell = new Bell();
  /** When something last changed, by performance.now(). */
  lastChange = performance.now();
  readonly unplanned = new Map<string, UnplannedObject>();
  readonly #byUid = new Map<string, TrackedObject>();
  readonly #byPlace = new Map<string, TrackedObject>();
  /** Whose uids an orphaned object must have lost, and whose new dependents are told. */
  readonly #going = new Map<string, PlannedObject>();
  readonly #emit: (event: Happening) => void;

  constructor(
    objects: readonly PlannedObject[],
    types: ResourceTypes,
    emit: (event: Happening) => void,
  ) {
    this.#emit = emit;
    for (const planned of objects) {
      if (planned.uid === '' || this.#byUid.has(planned.uid)) continue;
      const type = types.find(planned.apiVersion, planned.kind);
      const object = trackedObject(planned, type);
      if (!type) object.blind = `${planned.kind} is not served any more`;
      this.#byUid.set(planned.uid, object);
      if (type) this.#byPlace.set(placeOf(type, planned.namespace, planned.name), object);
      if (['deleted', 'recreated', 'terminating'].includes(planned.fate)) {
        this.#going.set(planned.uid, planned);
      }
    }
  }

  get all(): IterableIterator<TrackedObject> {
    return this.#byUid.values();
  }

  find(uid: string): TrackedObject | undefined {
    return this.#byUid.get(uid);
  }

  isGone(uid: string): boolean {
    return this.#byUid.get(uid)?.present === false;
  }

  /** It has no reference left to anything that goes. */
  hasLostOwners(object: TrackedObject): boolean {
    return !object.owners.some(({ uid }) => this.#going.has(uid));
  }

  /** An object as a list or a watch shows it, planned or not. */
  see(record: ObjectRecord): void {
    const object = this.#byUid.get(record.uid);
    if (!object) {
      this.#seeOther(record);
      return;
    }
    // A watch may tell of the past; what is gone stays gone.
    if (object.present === false) return;
    const before = object.finalizers;
    noteRecord(object, record);
    const observation = this.#observationOf(object);
    const changed = observation !== (object.observation ?? 'kept');
    const fewer = observation === 'terminating' && before.join() !== object.finalizers.join();
    if (changed || fewer) this.#tell(object, observation);
    else this.bell.ring();
  }

  /** The planned object of this uid is not there any more. */
  gone(uid: string): void {
    if (this.unplanned.delete(uid)) this.bell.ring();
    const object = this.#byUid.get(uid);
    if (!object || object.present === false) return;
    object.present = false;
    object.terminating = false;
    object.blind = undefined;
    this.#tell(object, 'gone');
  }

  /** Nobody can tell what becomes of it. */
  lose(object: TrackedObject, because: string): void {
    if (object.present === false || object.blind !== undefined) return;
    object.blind = because;
    this.#tell(object, 'unknown');
  }

  #observationOf(object: TrackedObject): Observation {
    if (object.terminating) return 'terminating';
    const isOrphan = object.planned.fate === 'orphaned' && this.hasLostOwners(object);
    return isOrphan ? 'orphaned' : 'kept';
  }

  #seeOther(record: ObjectRecord): void {
    const former = this.#byPlace.get(placeOf(record.type, record.namespace, record.name));
    if (former && former.observation !== 'recreated') {
      this.gone(former.planned.uid);
      this.#tell(former, 'recreated');
    }
    const owner = record.ownerReferences.find(({ uid }) => this.#going.has(uid));
    const planned = owner && this.#going.get(owner.uid);
    if (planned) {
      const { apiVersion, kind, namespace, name, uid } = planned;
      this.unplanned.set(record.uid, {
        object: identityOf(record),
        owner: { apiVersion, kind, namespace, name, uid },
      });
    } else this.unplanned.delete(record.uid);
  }

  #tell(object: TrackedObject, observation: Observation): void {
    object.observation = observation;
    const { apiVersion, kind, namespace, name, uid } = object.planned;
    this.#emit({
      type: 'observed',
      object: { apiVersion, kind, namespace, name, uid },
      observation,
      ...(observation === 'terminating' && { finalizers: object.finalizers }),
    });
    this.lastChange = performance.now();
    this.bell.ring();
  }
}

function placeOf(type: ResourceType, namespace: string, name: string): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}
