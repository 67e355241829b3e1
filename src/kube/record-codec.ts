import { metadataFields } from './facts/metadata.ts';
import { factsOf, printFacts } from './facts/object-facts.ts';
import { printFields, readFields } from './facts/shape-in-json.ts';
import { fieldsOf, jsonOf, type MutableJson, textOf, textOrEmpty } from './json-value.ts';
import { type FieldManager, type ObjectRecord, type Place, recordWith } from './object-record.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';

/** A Kubernetes object as the API and manifests spell it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Record<string, unknown>;
  readonly [field: string]: unknown;
}

/**
 * Keeps of an object what ownership and collection need; data, and most of spec and status, stay behind.
 * Fields of a wrong JSON type are treated as unset: a broken manifest must not break the rest.
 */
export function recordOf(
  object: { readonly metadata?: unknown; readonly [field: string]: unknown },
  type: ResourceType,
  place?: Place,
): ObjectRecord {
  const metadata = jsonOf(object.metadata) ?? {};
  return recordWith(
    type,
    readFields(metadataFields, metadata),
    factsOf(object, type),
    fieldManagersOf(metadata.managedFields),
    place,
  );
}

/** The record as a Kubernetes object again: what `-o json`, snapshots and simulations print. */
export function objectOf(record: ObjectRecord): KubeObject {
  const { type, facts } = record;
  const metadata: Record<string, unknown> = {};
  printFields(metadataFields, record, metadata);
  const object: Record<string, unknown> = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata,
  };
  if (facts) printFacts(facts, type, object);
  return object as KubeObject;
}

/** Entries of metadata.managedFields, each with the fields of metadata that it names. */
function managedIn(value: unknown) {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const managed = jsonOf(entry);
    const metadata = jsonOf(jsonOf(managed?.fieldsV1)?.['f:metadata']);
    return managed && metadata ? [{ managed, metadata }] : [];
  });
}

/**
 * Of metadata.managedFields, who set owner references and finalizers; a snapshot keeps no more, as the names of
 * other fields may say too much.
 */
export function ownershipManagersIn(value: unknown): MutableJson[] {
  return managedIn(value).flatMap(({ managed: { manager, operation, time }, metadata }) => {
    const kept = ['f:ownerReferences', 'f:finalizers'].filter((field) => metadata[field]);
    if (kept.length === 0) return [];
    const fields = Object.fromEntries(kept.map((field) => [field, metadata[field]]));
    return { manager, operation, time, fieldsV1: { 'f:metadata': fields } };
  });
}

/** managedFields names each reference as `f:metadata.f:ownerReferences.k:{"uid":"…"}`. */
export function fieldManagersOf(value: unknown): readonly FieldManager[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return managedIn(value).flatMap(({ managed, metadata }) =>
    Object.keys(jsonOf(metadata['f:ownerReferences']) ?? {}).flatMap((key) => {
      const uid = /^k:\{"uid":"(.*)"\}$/.exec(key)?.[1];
      const manager = textOrEmpty(managed.manager);
      const operation = textOrEmpty(managed.operation);
      return uid === undefined ? [] : { uid, manager, operation, time: textOf(managed.time) };
    }),
  );
}

/** The manager that set a finalizer, by managedFields: its name and when; undefined where it is not recorded. */
export function finalizerFieldManager(
  managedFields: unknown,
  finalizer: string,
): { readonly manager: string; readonly time: string } | undefined {
  const entry = managedIn(managedFields).find(
    ({ metadata }) => `v:"${finalizer}"` in fieldsOf(metadata['f:finalizers']),
  );
  if (!entry) return undefined;
  const { manager, time } = entry.managed;
  return { manager: textOrEmpty(manager), time: textOrEmpty(time) };
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/**
 * Gives a record that was just made the parts of the record before it that are equal: labels, references, texts.
 * Objects that lie side by side are often alike, so that a list takes half the memory, and no table has to be kept.
 */
export function shareEqualParts(record: ObjectRecord, before: ObjectRecord | undefined): void {
  if (before === undefined) return;
  const own: Mutable<ObjectRecord> = record;
  own.namespace = shared(record.namespace, before.namespace);
  own.creationTimestamp = shared(record.creationTimestamp, before.creationTimestamp);
  own.labels = shared(record.labels, before.labels);
  own.annotations = shared(record.annotations, before.annotations);
  own.ownerReferences = shared(record.ownerReferences, before.ownerReferences);
  own.finalizers = shared(record.finalizers, before.finalizers);
  own.facts = shared(record.facts, before.facts);
}

/** The part before it where both are equal, in the order of their fields too; else the part, sharing what is in it. */
function shared<T>(part: T, before: T): T {
  if (part === before) return before;
  if (typeof part !== 'object' || part === null) return part;
  if (typeof before !== 'object' || before === null) return part;
  if (Array.isArray(part)) {
    return Array.isArray(before) && shareEntries(part, before) ? before : part;
  }
  if (Array.isArray(before)) return part;
  return shareFields(part as MutableFields, before as MutableFields) ? before : part;
}

type MutableFields = Record<string, unknown>;

function shareEntries(list: unknown[], before: readonly unknown[]): boolean {
  let isEqual = list.length === before.length;
  for (let at = 0; at < list.length && at < before.length; at++) {
    const entry = shared(list[at], before[at]);
    if (entry === before[at]) list[at] = entry;
    else isEqual = false;
  }
  return isEqual;
}

function shareFields(fields: MutableFields, before: MutableFields): boolean {
  const names = Object.keys(fields);
  const others = Object.keys(before);
  let isEqual = names.length === others.length;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (name !== others[at]) return false;
    const value = shared(fields[name], before[name]);
    if (value === before[name]) fields[name] = value;
    else isEqual = false;
  }
  return isEqual;
}
