import { protections } from '../../../controllers/finalizers/protection.ts';
import {
  CRD_CLEANUP,
  FOREGROUND,
  isBeingDeleted,
  type ObjectRecord,
  ORPHAN,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../../kube/object-record.ts';
import { objectKey } from '../../../kube/object-reference.ts';
import {
  isNamespace,
  namespaceFinalizer,
  specFinalizersOf,
} from '../../../kube/well-known-kinds.ts';

/** Does the garbage collector remove it, when it is done with the dependents? */
export function isOfDependents(finalizer: string): boolean {
  return finalizer === FOREGROUND || finalizer === ORPHAN;
}

/** Does the namespace controller remove it from the spec of a Namespace, once that has no content? */
export function isOfContent(finalizer: string): boolean {
  return finalizer === namespaceFinalizer;
}

/** The simulator removes the protections of claims and volumes, and those of other kinds. */
const conditional: ReadonlySet<string> = new Set([
  ...protections.map(({ finalizer }) => finalizer),
  PVC_PROTECTION,
  PV_PROTECTION,
]);

/** Does a program remove the finalizer that is not simulated? */
export function isForeign(finalizer: string): boolean {
  return (
    finalizer !== CRD_CLEANUP &&
    !conditional.has(finalizer) &&
    !isOfDependents(finalizer) &&
    !isOfContent(finalizer)
  );
}

/**
 * Finalizers by who removes them, in the order in which a play takes them for removed: other programs, Kubernetes once a
 * condition is met, the garbage collector, the namespace controller. The removal of the first often leads to that of the
 * others: a pod is deleted, then the claim that it used, then the owner that waited for the claim in the foreground.
 */
export const finalizerGroups: readonly ((finalizer: string) => boolean)[] = [
  isForeign,
  (finalizer) => conditional.has(finalizer),
  isOfDependents,
  isOfContent,
];

/** What blocks an object that is being deleted: its finalizers and, of a Namespace, those of its spec. */
export function blockingFinalizers(end: ObjectRecord): readonly string[] {
  if (!isBeingDeleted(end)) return [];
  return isNamespace(end) ? [...end.finalizers, ...specFinalizersOf(end)] : end.finalizers;
}

/** Finalizers that are removed in the course of a deletion, by the object's key. */
export type StrippedFinalizers = ReadonlyMap<string, readonly string[]>;

/** The records without these finalizers, except for those that only a request removes. */
export function withoutFinalizers(
  records: readonly ObjectRecord[],
  stripped: StrippedFinalizers,
): readonly ObjectRecord[] {
  if (stripped.size === 0) return records;
  return records.map((record) => {
    const free = stripped.get(objectKey(record));
    if (!free) return record;
    if (isNamespace(record)) {
      // Where they were not read, the one that every Namespace has.
      return { ...record, facts: { ...record.facts, specFinalizers: specFinalizersOf(record) } };
    }
    if (isReleasedLate(record)) return record;
    const finalizers = record.finalizers.filter((name) => !free.includes(name));
    return { ...record, finalizers };
  });
}

/**
 * Does a request remove its finalizers in the end? What is being deleted already disappears with the last one, and a
 * Namespace after its content.
 */
export function isReleasedLate(record: ObjectRecord): boolean {
  return isBeingDeleted(record) || isNamespace(record);
}
