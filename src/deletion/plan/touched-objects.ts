import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../simulator/simulate.ts';

/** An object that ends otherwise with the deletion than without it, or is itself a target. */
export interface TouchedObject {
  readonly key: string;
  readonly identity: ObjectReference;
  /** As it is now. */
  readonly record: ObjectRecord;
  /** What is left of it; undefined when it is gone. */
  readonly end: ObjectRecord | undefined;
  /** What would be left of it without the deletion. */
  readonly otherwise: ObjectRecord | undefined;
  readonly isTarget: boolean;
}

/** What `with` changes of `without`: in the order of the records, which both were played on. */
export function touchedObjects(
  records: readonly ObjectRecord[],
  played: { readonly with: Simulation; readonly without: Simulation },
  targets: ReadonlySet<string>,
): TouchedObject[] {
  const nextWith = endsInOrder(played.with.objects);
  const nextWithout = endsInOrder(played.without.objects);
  const openWith = openEnds(played.with);
  const openWithout = openEnds(played.without);
  const touched: TouchedObject[] = [];
  for (const record of records) {
    const end = nextWith(record);
    const otherwise = nextWithout(record);
    const key = objectKey(record);
    const isTarget = targets.has(key);
    const isSame = sameEnd(end, otherwise) && openWith.get(key) === openWithout.get(key);
    if (isSame && !isTarget) continue;
    touched.push({ key, identity: referenceTo(record), record, end, otherwise, isTarget });
  }
  return touched;
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
