import {
  blankMetadata,
  type KeptMetadata,
  metadataFields,
  type OwnerReference,
} from './facts/metadata.ts';
import type { ObjectFacts } from './facts/object-facts.ts';
import { fill } from './facts/shape-in-json.ts';
import { compareText } from './names.ts';
import type { ObjectLocation } from './object-reference.ts';
import type { ResourceType } from './resource-type.ts';

export type { Condition } from './facts/condition.ts';
export { noFinalizers, noReferences, type OwnerReference } from './facts/metadata.ts';
export type { ObjectFacts } from './facts/object-facts.ts';

/**
 * What a record keeps of spec and status; undefined where only metadata was read. Which claims and
 * Secrets a pod uses is a question for pod-use.ts, whose answer may be that this was not read:
 * `facts?.nodeName ?? ''` would make an unread pod an unbound one. The second of the two types
 * makes the compiler refuse that.
 */
type RecordFacts = ObjectFacts | Omit<ObjectFacts, 'nodeName' | 'volumes'>;

/** What a reference says that it leads to. */
export type OwnerKind = Pick<OwnerReference, 'apiVersion' | 'kind'>;

/** Who set a reference, read from managedFields when full metadata was at hand. */
export interface FieldManager {
  /** uid of the owner that the reference names. */
  readonly uid: string;
  readonly manager: string;
  readonly operation: string;
  /** RFC 3339, or undefined when the entry has no time. */
  readonly time: string | undefined;
}

/** Where in a file an object was read. */
export interface Place {
  readonly path: string;
  /** 1-based line of the document or list item. */
  readonly line: number;
}

/**
 * What is kept of one object: the same whether it was read from a cluster or a file.
 * Every field is always present (undefined where unset), so that all records share one hidden class.
 */
export interface ObjectRecord extends KeptMetadata {
  readonly type: ResourceType;
  readonly writers: readonly FieldManager[] | undefined;
  readonly facts: RecordFacts | undefined;
  readonly place: Place | undefined;
}

const blankRecord: Omit<ObjectRecord, 'type'> = {
  ...blankMetadata,
  writers: undefined,
  facts: undefined,
  place: undefined,
};

export const noRecords: readonly ObjectRecord[] = Object.freeze([]);

/** An object of which no more than its kind and name is known. */
export function bareRecord({ type, namespace, name }: ObjectLocation): ObjectRecord {
  return { ...blankRecord, type, namespace, name };
}

/** A record of what was read of metadata, in the order of `metadataFields`. */
export function recordWith(
  type: ResourceType,
  metadata: readonly unknown[],
  facts: RecordFacts | undefined,
  writers?: readonly FieldManager[],
  place?: Place,
): ObjectRecord {
  const record = { ...blankRecord, type, writers, facts, place };
  fill(record, metadataFields, metadata);
  if (!type.namespaced) record.namespace = '';
  return record;
}

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
/** The API server removes it from a definition that has no instances left (GC-66). */
export const CRD_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** Set by the admission plugin StorageObjectInUseProtection on volumes and claims, and removed by their controllers (PV-11, PV-12). */
export const PV_PROTECTION = 'kubernetes.io/pv-protection';
export const PVC_PROTECTION = 'kubernetes.io/pvc-protection';

/** metadata.deletionTimestamp is set. */
export function isBeingDeleted(record: ObjectRecord): boolean {
  return record.deletionTimestamp !== undefined;
}

/** The first reference that says `controller: true`. */
export function controllerOf({ ownerReferences }: ObjectRecord): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

export function controllerUidOf(record: ObjectRecord): string | undefined {
  return controllerOf(record)?.uid;
}

/** Upstream's deletingDependents: being deleted in the foreground (GC-3, GC-27). */
export function isDeletingDependents(record: ObjectRecord): boolean {
  return record.deletionTimestamp !== undefined && record.finalizers.includes(FOREGROUND);
}

/** Orders objects by what they are, so that nothing depends on the order in which they were read. */
export function byContent(a: ObjectRecord, b: ObjectRecord): number {
  return (
    compareText(a.type.group, b.type.group) ||
    compareText(a.type.kind, b.type.kind) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid)
  );
}
