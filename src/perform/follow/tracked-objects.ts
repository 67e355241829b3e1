import { Bell } from '../../cluster/pacing.ts';
import type { PlannedObject } from '../../deletion/plan/plan.ts';
import { disappears } from '../../deletion/plan/plan-totals.ts';
import {
  noFinalizers,
  noReferences,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { locationKey, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { asPlanned, type Expectation, type ExpectedEnd, expectedEnd } from '../expectation.ts';
import type { Happening, Observation } from '../progress-event.ts';

/** A planned object and what the cluster has shown of it so far. */
export class TrackedObject {
  readonly planned: PlannedObject;
  readonly expected: ExpectedEnd;
  /** Undefined when its kind is not served. */
  readonly type: ResourceType | undefined;
  /** The last reported observation; undefined: it has not changed. */
  observation: Observation | undefined;
  /** Undefined until it was looked for. */
  present: boolean | undefined;
  /** It was terminating when it was first seen. */
  wasTerminating = false;
  terminating = false;
  finalizers: readonly string[] = noFinalizers;
  owners: readonly OwnerReference[] = noReferences;
  /** uids of its owners when it was first seen. */
  firstOwners: readonly string[] = [];
  /** Why it is unknown what becomes of it. */
  unobservable: string | undefined;
  /** Why nothing deletes it any more, although that was planned. */
  kept: string | undefined;

  constructor(planned: PlannedObject, expected: ExpectedEnd, type: ResourceType | undefined) {
    this.planned = planned;
    this.expected = expected;
    this.type = type;
    if (!type) this.unobservable = `${planned.kind} is not served any more`;
  }

  /** Takes over what a record says, which must be of the same uid. */
  note({ deletionTimestamp, finalizers, ownerReferences }: ObjectRecord): void {
    const terminating = deletionTimestamp !== undefined;
    if (this.present === undefined) {
      this.wasTerminating = terminating;
      this.firstOwners = ownerReferences.map(({ uid }) => uid);
    }
    this.present = true;
    this.unobservable = undefined;
    this.kept = undefined;
    this.terminating = terminating;
    this.finalizers = finalizers;
    this.owners = ownerReferences;
  }
}

/** A dependent that the plan did not know. */
interface UnplannedObject {
  readonly object: ObjectReference;
  readonly owner: ObjectReference;
  /** It was deleted with its owner: no backup contains it. */
  readonly gone: boolean;
}

/**
 * The state of the planned objects, by uid: a removed uid never returns, and another
 * object of the same name is a different object.
 */
export class TrackedObjects {
  /** Rings whenever something was seen to change. */
  readonly bell = new Bell();
  /** When something last changed, by performance.now(). */
  lastChange = performance.now();
  readonly unplanned = new Map<string, UnplannedObject>();
  readonly #byUid = new Map<string, TrackedObject>();
  readonly #byPlace = new Map<string, TrackedObject>();
  /** Objects whose uids an orphaned object must have lost, and whose new dependents are reported. */
  readonly #going = new Map<string, PlannedObject>();
  readonly #emit: (event: Happening) => void;

  constructor(
    objects: readonly PlannedObject[],
    types: ResourceTypes,
    emit: (event: Happening) => void,
    expectation: Expectation = asPlanned,
  ) {
    this.#emit = emit;
    for (const planned of objects) {
      if (planned.uid === '' || this.#byUid.has(planned.uid)) continue;
      const type = types.find(planned.apiVersion, planned.kind);
      const expected = expectedEnd(expectation, planned);
      const object = new TrackedObject(planned, expected, type);
      this.#byUid.set(planned.uid, object);
      if (type) this.#byPlace.set(locationKey({ ...planned, type }), object);
      if (disappears({ ...planned, fate: expected.fate })) this.#going.set(planned.uid, planned);
    }
  }

  get all(): IterableIterator<TrackedObject> {
    return this.#byUid.values();
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** No object remains that could be read. */
  get isOver(): boolean {
    const isGone = [...this.all].every(({ present }) => present === false);
    return isGone && [...this.unplanned.values()].every(({ gone }) => gone);
  }

  find(uid: string): TrackedObject | undefined {
    return this.#byUid.get(uid);
  }

  isGone(uid: string): boolean {
    return this.#byUid.get(uid)?.present === false;
  }

  /** Was it deleted, or will the plan delete it? */
  isGoing(uid: string): boolean {
    const object = this.#byUid.get(uid);
    return object?.kept === undefined && (this.#going.has(uid) || object?.present === false);
  }

  /** It has owners, and none of them exists. */
  isCollectable({ owners }: TrackedObject): boolean {
    return owners.length > 0 && owners.every(({ uid }) => this.isGone(uid));
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
    // A watch may report past states; a removed object stays removed.
    if (object.present === false) return;
    const before = object.finalizers;
    object.note(record);
    const observation = this.#observationOf(object);
    const changed = observation !== (object.observation ?? 'kept');
    const fewer = observation === 'terminating' && before.join() !== object.finalizers.join();
    if (changed || fewer) this.#report(object, observation);
    else this.bell.ring();
  }

  /** The planned object of this uid is not there any more. */
  gone(uid: string): void {
    const unplanned = this.unplanned.get(uid);
    if (unplanned) {
      this.unplanned.set(uid, { ...unplanned, gone: true });
      this.bell.ring();
    }
    const object = this.#byUid.get(uid);
    if (!object || object.present === false) return;
    object.present = false;
    object.terminating = false;
    object.unobservable = undefined;
    this.#report(object, 'gone');
  }

  /** What becomes of it is unknown. */
  lose(object: TrackedObject, because: string): void {
    if (object.present === false || object.unobservable !== undefined) return;
    object.unobservable = because;
    this.#report(object, 'unknown');
  }

  #observationOf(object: TrackedObject): Observation {
    if (object.terminating) return 'terminating';
    const isOrphan = object.expected.fate === 'orphaned' && this.hasLostOwners(object);
    return isOrphan ? 'orphaned' : 'kept';
  }

  #seeOther(record: ObjectRecord): void {
    const former = this.#byPlace.get(locationKey(record));
    if (former && former.observation !== 'recreated') {
      this.gone(former.planned.uid);
      this.#report(former, 'recreated');
    }
    const owner = record.ownerReferences.find(({ uid }) => this.#going.has(uid));
    const planned = owner && this.#going.get(owner.uid);
    // A watch may report past states; a removed object stays removed.
    if (this.unplanned.get(record.uid)?.gone) return;
    if (planned) {
      const object = referenceTo(record);
      this.unplanned.set(record.uid, { object, owner: referenceTo(planned), gone: false });
    } else this.unplanned.delete(record.uid);
  }

  #report(object: TrackedObject, observation: Observation): void {
    object.observation = observation;
    this.#emit({
      type: 'observed',
      object: referenceTo(object.planned),
      observation,
      ...(observation === 'terminating' && { finalizers: object.finalizers }),
    });
    this.lastChange = performance.now();
    this.bell.ring();
  }
}

export function isToGo({ expected: { fate } }: TrackedObject): boolean {
  return fate === 'deleted' || fate === 'recreated';
}
