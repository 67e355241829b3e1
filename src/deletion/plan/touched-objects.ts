import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { namesNamespace } from '../../kube/well-known-kinds.ts';
import { type Undetermined, withoutExamples } from '../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import { type Next, relationsAmong } from './relations.ts';

/**
 * An object whose end differs with the deletion and without it, that is itself a target, or that is deleted with a target
 * although it would have been deleted anyway.
 */
export interface TouchedObject {
  readonly key: string;
  readonly identity: ObjectReference;
  /** As it is now. */
  readonly record: ObjectRecord;
  /** Its state at the end; undefined if it was removed. */
  readonly end: ObjectRecord | undefined;
  /** The same once the finalizers are removed that block what is deleted. */
  readonly last: ObjectRecord | undefined;
  /** What would be left of it without the deletion. */
  readonly otherwise: ObjectRecord | undefined;
  readonly isTarget: boolean;
  /** The namespace that takes it along; it was not played then. */
  readonly home?: TouchedObject | undefined;
}

/**
 * The objects that `with` and `then` change compared to `without`, and those that are deleted with the targets: in the
 * order of the records, which all plays share.
 */
export function touchedObjects(
  records: readonly ObjectRecord[],
  played: { readonly with: Simulation; readonly then?: Simulation; readonly without: Simulation },
  targets: ReadonlySet<string>,
): TouchedObject[] {
  const { then = played.with } = played;
  const nextWith = endsInOrder(played.with.objects);
  const nextThen = then === played.with ? undefined : endsInOrder(then.objects);
  const nextWithout = endsInOrder(played.without.objects);
  const open = [played.with, then, played.without].map(openEnds);
  const touched: TouchedObject[] = [];
  const going: TouchedObject[] = [];
  const alike = new Set<TouchedObject>();
  for (const record of records) {
    const end = nextWith(record);
    const last = nextThen ? nextThen(record) : end;
    const otherwise = nextWithout(record);
    const key = objectKey(record);
    const isTarget = targets.has(key);
    const [why, whyThen, whyOtherwise] = open.map((ends) => ends.get(key));
    const isSame =
      sameEnd(end, otherwise) &&
      sameReason(why, whyOtherwise) &&
      (last === end || sameEnd(last, otherwise)) &&
      sameReason(whyThen, whyOtherwise);
    const goes = !last || isBeingDeleted(last);
    if (isSame && !isTarget && !goes) continue;
    const object = {
      key,
      identity: referenceTo(record),
      record,
      end,
      last,
      otherwise,
      isTarget,
    };
    touched.push(object);
    if (goes) going.push(object);
    if (isSame && !isTarget) alike.add(object);
  }
  if (alike.size === 0) return touched;
  const goesAlong = belongsAmong(going);
  return touched.filter((object) => !alike.has(object) || goesAlong(object));
}

/** Does a deleted object belong to a deleted target: by references, namespaces and definitions, or delivery tools? */
function belongsAmong(going: readonly TouchedObject[]): (object: TouchedObject) => boolean {
  const { above, home, tools, delivered } = relationsAmong(going);
  const toolsOf = (object: TouchedObject) =>
    tools(object).filter((tool) => delivered(tool).includes(object));
  return (object) => {
    const reached = new Set([object]);
    for (const one of reached) {
      if (one.isTarget) return true;
      for (const other of [...above(one), ...home(one), ...toolsOf(one)]) reached.add(other);
    }
    return false;
  };
}

/** What is left comes in the order of the input, so one walk through both finds every end. */
function endsInOrder(
  left: readonly ObjectRecord[],
): (record: ObjectRecord) => ObjectRecord | undefined {
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

/** Why an object's end is open, by its key. */
export function openEnds({
  undetermined,
  unknown,
}: Simulation): ReadonlyMap<string, Undetermined['because']> {
  return new Map(
    [...unknown, ...undetermined].map((open) => [objectKey(open.object), open.because]),
  );
}

/** Is an object in a requested namespace that will certainly be removed? A removed namespace is empty. */
export function takenAlong(
  requests: readonly ObjectReference[],
  played: Simulation,
): (object: Pick<ObjectReference, 'namespace'>) => boolean {
  const homes = requests.filter(namesNamespace);
  if (homes.length === 0) return () => false;
  const left = new Set(played.objects.map(({ uid }) => uid));
  const open = openEnds(played);
  const going = homes.filter((home) => !left.has(home.uid) && !open.has(objectKey(home)));
  const names = new Set(going.map(({ name }) => name));
  return ({ namespace }) => names.has(namespace);
}

function sameEnd(a: ObjectRecord | undefined, b: ObjectRecord | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && signatureOf(a) === signatureOf(b);
}

export function sameReason(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && withoutExamples(a) === withoutExamples(b);
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
  const { content = [], played = [] } = Object.groupBy(touched, ({ home }) =>
    home ? 'content' : 'played',
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
  for (const object of content) if (object.home) enter(object, object.home);
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
