import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { inWords } from '../../kube/object-reference.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isNamespace, specFinalizersOf } from '../../kube/well-known-kinds.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import type { Result } from '../engine/timeline.ts';
import { accepted, type Reply } from './request.ts';
import { spellFaults, validateNew, validateTaints, validateUpdate } from './validation.ts';

/** The API server's view: what is stored, and the time. */
export interface ApiServer {
  readonly state: ClusterState;
  /** Its --enable-garbage-collector; true by default. */
  readonly collectsGarbage?: boolean | undefined;
  /** Epoch milliseconds. */
  now(): number;
}

/** What became of one write. */
export interface Written {
  readonly reply: Reply;
  readonly result: Result;
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
 * Stores changed metadata, and facts. The object is removed when it is being deleted without a grace period and the update removed its
 * last finalizer: ShouldDeleteDuringUpdate (GC-62), and for namespaces GC-71.
 */
export function updateObject(
  api: ApiServer,
  before: ObjectRecord,
  wanted: ObjectRecord,
  dryRun = false,
): Written {
  const deduplicated = withoutDuplicates(wanted);
  const faults = [...validateUpdate(before, deduplicated), ...validateTaints(deduplicated)];
  const invalid = spellFaults(before, faults);
  if (invalid !== undefined) return refusal(422, 'Invalid', invalid, 'GC-67');
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

export function createObject(api: ApiServer, given: ObjectRecord, dryRun: boolean): Written {
  const record = withoutDuplicates(given);
  const { type, namespace, name } = record;
  const invalid = spellFaults(record, [...validateNew(record), ...validateTaints(record)]);
  if (invalid !== undefined) return refusal(422, 'Invalid', invalid, 'GC-67');
  const present = api.state.get(type, namespace, name);
  if (present) {
    const going = present.deletionTimestamp === undefined ? '' : 'object is being deleted: ';
    const message = `${going}${groupResourceOf(type)} "${name}" already exists`;
    return refusal(409, 'AlreadyExists', message, 'GC-67');
  }
  const reply: Reply = { code: 201, reason: '' };
  if (dryRun) return { reply, result: 'created', after: undefined, rule: 'GC-67' };
  const after = api.state.create(record);
  return { reply, result: 'created', after, rule: 'GC-67' };
}

function disappears(before: ObjectRecord, after: ObjectRecord): boolean {
  if (before.deletionTimestamp === undefined || after.finalizers.length > 0) return false;
  if (isNamespace(after) && specFinalizersOf(after).length > 0) return false;
  return (before.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Exact duplicates are dropped, the same uid with any other difference stays (GC-68). */
function withoutDuplicates(record: ObjectRecord): ObjectRecord {
  const { ownerReferences } = record;
  if (ownerReferences.length < 2) return record;
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
    sameFields(a.labels, b.labels) &&
    sameFields(a.facts, b.facts)
  );
}

/** A write replaces few fields: only those that are other values are spelled. */
function sameFields<T extends object>(a: T | undefined, b: T | undefined): boolean {
  if (a === b) return true;
  const isSame = (field: string) => {
    const [one, other] = [a?.[field as keyof T], b?.[field as keyof T]];
    if (typeof one !== 'object' || typeof other !== 'object') return one === other;
    return one === other || JSON.stringify(one) === JSON.stringify(other);
  };
  return Object.keys(a ?? {}).every(isSame) && Object.keys(b ?? {}).every(isSame);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((entry, at) => entry === b[at]));
}

/** `apps/v1 ReplicaSet web`, for messages. */
export function typedName(record: ObjectRecord): string {
  return `${apiVersionOf(record.type)} ${inWords(record)}`;
}
