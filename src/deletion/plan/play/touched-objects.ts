import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../../kube/object-reference.ts';
import { type Next, relationsAmong } from '../relations.ts';
import { openEnds, type Plays, sameReason } from './plays.ts';

/**
 * An object whose end differs with the deletion and without it, that is itself a target, or that is deleted with a target
 * although it would have been deleted anyway.
 */
export interface TouchedObject {
  readonly key: string;
  readonly identity: ObjectReference;
  /** As it is now. */
  readonly record: ObjectRecord;
  readonly ends: Ends;
  readonly isTarget: boolean;
  /** The namespace with which it is deleted, if it was not played for that reason. */
  readonly container?: TouchedObject | undefined;
}

/** The state of an object at the end of each play; undefined if it was removed. */
export type Ends = Readonly<Record<keyof Plays, ObjectRecord | undefined>>;

/**
 * The objects that a deletion changes, and those that are deleted with the targets: in the order of the records, which all
 * plays share.
 */
export function touchedObjects(
  records: readonly ObjectRecord[],
  plays: Plays,
  targets: ReadonlySet<string>,
): TouchedObject[] {
  const isSame = samenessIn(plays);
  const endsOf = endsInOrder(plays);
  const touched: TouchedObject[] = [];
  const deleted: TouchedObject[] = [];
  const alike = new Set<TouchedObject>();
  for (const record of records) {
    const ends = endsOf(record);
    const key = objectKey(record);
    const isTarget = targets.has(key);
    const isUnchanged = isSame(key, ends) && !isTarget;
    const isDeleted = !ends.released || isBeingDeleted(ends.released);
    if (isUnchanged && !isDeleted) continue;
    const object = { key, identity: referenceTo(record), record, ends, isTarget };
    touched.push(object);
    if (isDeleted) deleted.push(object);
    if (isUnchanged) alike.add(object);
  }
  if (alike.size === 0) return touched;
  const isDeletedWithTarget = belongsAmong(deleted);
  return touched.filter((object) => !alike.has(object) || isDeletedWithTarget(object));
}

/** Does an object end the same in all plays, as far as that is known? */
function samenessIn({ untouched, held, released }: Plays): (key: string, ends: Ends) => boolean {
  const open = { untouched: openEnds(untouched), held: openEnds(held) };
  const openReleased = released === held ? open.held : openEnds(released);
  return (key, ends) => {
    const because = open.untouched.get(key);
    return (
      sameEnd(ends.held, ends.untouched) &&
      sameReason(open.held.get(key), because) &&
      (ends.released === ends.held || sameEnd(ends.released, ends.untouched)) &&
      sameReason(openReleased.get(key), because)
    );
  };
}

/** Does a deleted object belong to a deleted target: by references, namespaces and definitions, or delivery tools? */
function belongsAmong(deleted: readonly TouchedObject[]): (object: TouchedObject) => boolean {
  const { above, container, tools, delivered } = relationsAmong(deleted);
  const toolsOf = (object: TouchedObject) =>
    tools(object).filter((tool) => delivered(tool).includes(object));
  return (object) => {
    const reached = new Set([object]);
    for (const one of reached) {
      if (one.isTarget) return true;
      for (const other of [...above(one), ...container(one), ...toolsOf(one)]) reached.add(other);
    }
    return false;
  };
}

/** The objects that are left come in the order of the records, so one walk through each play finds every end. */
function endsInOrder({ untouched, held, released }: Plays): (record: ObjectRecord) => Ends {
  const endUntouched = nextIn(untouched.objects);
  const endHeld = nextIn(held.objects);
  const endReleased = released === held ? undefined : nextIn(released.objects);
  return (record) => {
    const end = endHeld(record);
    return {
      untouched: endUntouched(record),
      held: end,
      released: endReleased ? endReleased(record) : end,
    };
  };
}

function nextIn(left: readonly ObjectRecord[]): (record: ObjectRecord) => ObjectRecord | undefined {
  let at = 0;
  return (record) => {
    const end = left[at];
    if (!end || !isSameObject(end, record)) return undefined;
    at++;
    return end;
  };
}

function isSameObject(a: ObjectRecord, b: ObjectRecord): boolean {
  return (
    a === b ||
    (a.uid === b.uid && a.name === b.name && a.namespace === b.namespace && a.type === b.type)
  );
}

function sameEnd(a: ObjectRecord | undefined, b: ObjectRecord | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && signatureOf(a) === signatureOf(b);
}

/** What of an end is a difference worth telling. */
function signatureOf({ deletionTimestamp, finalizers, ownerReferences }: ObjectRecord): string {
  const references = ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => `${uid} ${blockOwnerDeletion}`,
  );
  return JSON.stringify([
    deletionTimestamp !== undefined,
    [...finalizers].sort(),
    references.sort(),
  ]);
}

/** When each object is touched, and because of which other one. */
interface Waves {
  readonly waves: ReadonlyMap<TouchedObject, number>;
  /** What leads from a target to an object is the chain of its causes. */
  readonly causes: ReadonlyMap<TouchedObject, TouchedObject>;
}

/**
 * How many causes lie between a target and an object: a target is in wave 0, and an object of wave
 * n is touched because one of wave n - 1 is: it depends on it, is in it, is defined by it or was applied by it; or, if none
 * of these leads to it, it waited for it. So waves show the order in which deletions begin.
 * With Foreground they end in the reverse order.
 */
export function wavesOf(touched: readonly TouchedObject[]): Waves {
  const { content = [], played = [] } = Object.groupBy(touched, ({ container }) =>
    container ? 'content' : 'played',
  );
  const relations = relationsAmong(played);
  const { above } = relations;
  const below: Next<TouchedObject> = (object) => [
    ...relations.below(object),
    ...relations.delivered(object),
  ];
  const waves = new Map<TouchedObject, number>();
  const causes = new Map<TouchedObject, TouchedObject>();
  let wave = played.filter(({ isTarget }) => isTarget);
  for (const object of wave) waves.set(object, 0);
  const reached = [...wave];
  spread(wave, below);
  // The blocker of an owner may be a target.
  for (let at = 0; at < reached.length && reached.length < played.length; at++) {
    const object = reached[at] as TouchedObject;
    wave = above(object).filter((owner) => !waves.has(owner));
    for (const owner of wave) enter(owner, object);
    spread(wave, below);
  }
  for (const object of content) if (object.container) enter(object, object.container);
  let last = 0;
  for (const at of waves.values()) last = Math.max(last, at);
  for (const object of played) if (!waves.has(object)) waves.set(object, last + 1);
  return { waves, causes };

  function enter(object: TouchedObject, cause: TouchedObject): void {
    waves.set(object, (waves.get(cause) ?? 0) + 1);
    causes.set(object, cause);
    reached.push(object);
  }

  function spread(from: readonly TouchedObject[], next: Next<TouchedObject>): void {
    let front = [...from];
    while (front.length > 0) {
      const following: TouchedObject[] = [];
      for (const object of front) {
        for (const other of next(object)) {
          if (waves.has(other)) continue;
          enter(other, object);
          following.push(other);
        }
      }
      front = following;
    }
  }
}
