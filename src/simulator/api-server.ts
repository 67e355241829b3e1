import {
  FOREGROUND,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../kube/object-record.ts';
import {
  apiVersionOf,
  groupResourceOf,
  parseApiVersion,
  type ResourceType,
} from '../kube/resource-type.ts';
import { isNamespace, specFinalizersOf } from '../kube/well-known-kinds.ts';
import type { ClusterState } from './cluster-state.ts';
import { accepted, type Reply } from './request.ts';

/** The API server's view: what is stored, and the time. */
export interface ApiServer {
  readonly state: ClusterState;
  /** Epoch milliseconds. */
  now(): number;
}

/** What became of one write. */
export interface Written {
  readonly reply: Reply;
  readonly result: 'removed' | 'terminating' | 'changed' | 'created' | 'unchanged' | 'refused';
  readonly after: ObjectRecord | undefined;
  readonly rule: string;
}

export function refusal(code: number, reason: string, message: string, rule = 'GC-52'): Written {
  return { reply: { code, reason, message }, result: 'refused', after: undefined, rule };
}

export function notFound(type: ResourceType, name: string): Written {
  return refusal(404, 'NotFound', `${groupResourceOf(type)} "${name}" not found`, 'GC-50');
}

/**
 * Stores changed metadata. The object goes when it is being deleted without grace and this took its
 * last finalizer: ShouldDeleteDuringUpdate (GC-62), and for namespaces GC-71.
 */
export function updateObject(
  api: ApiServer,
  before: ObjectRecord,
  wanted: ObjectRecord,
  dryRun = false,
): Written {
  const invalid = validateUpdate(before, wanted);
  if (invalid) return invalid;
  const deduplicated = withoutDuplicates(wanted);
  if (sameContent(before, deduplicated)) {
    return { reply: accepted, result: 'unchanged', after: before, rule: 'GC-67' };
  }
  if (disappears(before, deduplicated)) {
    if (!dryRun) api.state.remove(before);
    const rule = isNamespace(before) ? 'GC-71' : 'GC-62';
    return { reply: accepted, result: 'removed', after: undefined, rule };
  }
  const after = dryRun ? before : api.state.update(before, deduplicated);
  return { reply: accepted, result: 'changed', after, rule: 'GC-67' };
}

export function createObject(api: ApiServer, record: ObjectRecord, dryRun: boolean): Written {
  const { type, namespace, name } = record;
  if (api.state.get(type, namespace, name)) {
    const message = `${groupResourceOf(type)} "${name}" already exists`;
    return refusal(409, 'AlreadyExists', message, 'GC-67');
  }
  const invalid = validateMetadata(record);
  if (invalid) return invalid;
  const reply: Reply = { code: 201, reason: '' };
  if (dryRun) return { reply, result: 'created', after: undefined, rule: 'GC-67' };
  const after = api.state.create(withoutDuplicates(record));
  return { reply, result: 'created', after, rule: 'GC-67' };
}

function disappears(before: ObjectRecord, after: ObjectRecord): boolean {
  if (before.deletionTimestamp === undefined || after.finalizers.length > 0) return false;
  if (isNamespace(after) && specFinalizersOf(after).length > 0) return false;
  return (before.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Mirrors ValidateObjectMetaAccessorUpdate (GC-67). */
function validateUpdate(before: ObjectRecord, after: ObjectRecord): Written | undefined {
  const { type, name, uid } = before;
  if (after.uid !== uid) {
    return invalid(type, name, 'metadata.uid', 'field is immutable');
  }
  if (before.deletionTimestamp !== undefined) {
    const added = after.finalizers.filter((finalizer) => !before.finalizers.includes(finalizer));
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      return invalid(type, name, 'metadata.finalizers', why);
    }
  }
  return validateMetadata(after);
}

function validateMetadata({ type, name, ownerReferences, finalizers }: ObjectRecord) {
  const field = 'metadata.ownerReferences';
  for (const reference of ownerReferences) {
    const { apiVersion, kind } = reference;
    const version = parseApiVersion(apiVersion)?.version;
    if (!version) return invalid(type, name, `${field}.apiVersion`, 'version must not be empty');
    for (const part of ['kind', 'name', 'uid'] as const) {
      if (reference[part] === '')
        return invalid(type, name, `${field}.${part}`, `${part} must not be empty`);
    }
    if (apiVersion === 'v1' && kind === 'Event') {
      return invalid(type, name, field, '/v1, Kind=Event is disallowed from being an owner');
    }
  }
  const controllers = ownerReferences.filter((reference) => reference.controller === true);
  const [first, second] = controllers;
  if (first && second) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
    return invalid(type, name, field, why);
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const why = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
    return invalid(type, name, 'metadata.finalizers', why);
  }
  return undefined;
}

function invalid(type: ResourceType, name: string, field: string, why: string): Written {
  const subject = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  return refusal(422, 'Invalid', `${subject} "${name}" is invalid: ${field}: ${why}`, 'GC-67');
}

/** Exact duplicates are dropped, the same uid with any other difference stays (GC-68). */
function withoutDuplicates(record: ObjectRecord): ObjectRecord {
  const { ownerReferences } = record;
  const kept = ownerReferences.filter(
    (reference, at) => ownerReferences.findIndex((other) => sameReference(other, reference)) === at,
  );
  return kept.length === ownerReferences.length ? record : { ...record, ownerReferences: kept };
}

export function sameReference(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

export function sameReferences(
  a: readonly OwnerReference[],
  b: readonly OwnerReference[],
): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((reference, at) => sameReference(reference, b[at] as OwnerReference))
  );
}

function sameContent(a: ObjectRecord, b: ObjectRecord): boolean {
  return (
    sameReferences(a.ownerReferences, b.ownerReferences) &&
    sameList(a.finalizers, b.finalizers) &&
    a.deletionTimestamp === b.deletionTimestamp &&
    (a.labels === b.labels || JSON.stringify(a.labels) === JSON.stringify(b.labels)) &&
    (a.facts === b.facts || JSON.stringify(a.facts) === JSON.stringify(b.facts))
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((entry, at) => entry === b[at]));
}

/** `apps/v1 ReplicaSet web`, for messages. */
export function nameOf({ type, namespace, name }: ObjectRecord): string {
  const within = namespace === '' ? '' : ` in namespace ${namespace}`;
  return `${apiVersionOf(type)} ${type.kind} ${name}${within}`;
}
