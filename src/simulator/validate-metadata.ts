import {
  FOREGROUND,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../kube/object-record.ts';
import { isQualifiedName } from '../kube/qualified-name.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import { isBuiltInGroup } from '../kube/resource-types.ts';

const standardFinalizers: ReadonlySet<string> = new Set([ORPHAN, FOREGROUND, 'kubernetes']);

/** Why the API server refuses to store a new object (GC-67), in its words; undefined when it stores it. */
export function validateNew(record: ObjectRecord): string | undefined {
  const { type, finalizers } = record;
  const isBare = (name: string) => !name.includes('/') && !standardFinalizers.has(name);
  const bare = isBuiltInGroup(type.group) ? finalizers.findIndex(isBare) : -1;
  if (bare < 0) return validateMetadata(record);
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return invalid(record, `finalizers[${bare}]`, why, finalizers[bare]);
}

const immutableFields = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** The same for a changed object. Mirrors ValidateObjectMetaAccessorUpdate. */
export function validateUpdate(before: ObjectRecord, after: ObjectRecord): string | undefined {
  for (const field of immutableFields) {
    if (before[field] !== after[field]) {
      return invalid(before, field, 'field is immutable', after[field] ?? null);
    }
  }
  const added = after.finalizers.filter((finalizer) => !before.finalizers.includes(finalizer));
  if (before.deletionTimestamp === undefined || added.length === 0) return validateMetadata(after);
  const list = added.sort().map((finalizer) => JSON.stringify(finalizer));
  return refused(
    before,
    `finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`,
  );
}

function validateMetadata(record: ObjectRecord): string | undefined {
  const { ownerReferences, finalizers } = record;
  for (const reference of ownerReferences) {
    const why = validateReference(record, reference);
    if (why !== undefined) return why;
  }
  const [first, second] = ownerReferences.filter((reference) => reference.controller === true);
  if (first && second) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
    return invalid(record, 'ownerReferences', why, ownerReferences);
  }
  const odd = finalizers.find((name) => !isQualifiedName(name));
  if (odd !== undefined) return invalid(record, 'finalizers', 'is not a qualified name', odd);
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const why = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
    return invalid(record, 'finalizers', why, finalizers);
  }
  return undefined;
}

function validateReference(record: ObjectRecord, reference: OwnerReference): string | undefined {
  const { apiVersion, kind } = reference;
  const field = 'ownerReferences';
  if (!parseApiVersion(apiVersion)?.version) {
    return invalid(record, `${field}.apiVersion`, 'version must not be empty', apiVersion);
  }
  for (const part of ['kind', 'name', 'uid'] as const) {
    if (reference[part] === '') return invalid(record, `${field}.${part}`, 'must not be empty', '');
  }
  if (apiVersion !== 'v1' || kind !== 'Event') return undefined;
  return invalid(record, field, '/v1, Kind=Event is disallowed from being an owner', reference);
}

/** metav1.Status's words for a wrong value of a field of metadata. */
export function invalid(record: ObjectRecord, field: string, why: string, value: unknown): string {
  return refused(record, `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`);
}

/** The same for any other fault. */
export function refused({ type, name }: ObjectRecord, what: string): string {
  const subject = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  return `${subject} "${name}" is invalid: metadata.${what}`;
}
