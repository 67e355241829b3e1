import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { type Undetermined, withoutExamples } from '../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import { relationsAmong } from './relations.ts';

/**
 * An object that ends otherwise with the deletion than without it, is itself a target, or goes along with
 * one although it would have gone anyway.
 */
export interface TouchedObject {
  readonly key: string;
  readonly identity: ObjectReference;
  /** As it is now. */
  readonly record: ObjectRecord;
  /** What is left of it; undefined when it is gone. */
  readonly end: ObjectRecord | undefined;
  /** The same once the finalizers are removed that others have set. */
  readonly last: ObjectRecord | undefined;
  /** What would be left of it without the deletion. */
  readonly otherwise: ObjectRecord | undefined;
  readonly isTarget: boolean;
}

/**
 * What `with` and `then` change of `without`, and what of the targets goes with them: in the order of the
 * records, which all were played on.
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
  const isDifferent = new Set<TouchedObject>();
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
    if (!isSame || isTarget) isDifferent.add(object);
  }
  if (isDifferent.size === touched.length) return touched;
  const along = reachedFromTargets(going);
  return touched.filter((object) => isDifferent.has(object) || along.has(object));
}

/** What goes and belongs to a target that goes: along references, in namespaces and definitions, and by delivery tools. */
function reachedFromTargets(going: readonly TouchedObject[]): ReadonlySet<TouchedObject> {
  const { below, delivered } = relationsAmong(going);
  const reached = new Set(going.filter(({ isTarget }) => isTarget));
  for (const object of reached)
    for (const other of [...below(object), ...delivered(object)]) reached.add(other);
  return reached;
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

function sameEnd(a: ObjectRecord | undefined, b: ObjectRecord | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && signatureOf(a) === signatureOf(b);
}

function sameReason(a: string | undefined, b: string | undefined): boolean {
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
