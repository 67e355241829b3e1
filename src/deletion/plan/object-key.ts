import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import type { ObjectIdentity } from '../../simulator/engine/timeline.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** Names an object within one plan, also one that has no uid yet. */
export function keyOf({ uid, apiVersion, kind, namespace, name }: ObjectIdentity): string {
  return uid || `${apiVersion} ${kind} ${namespace}/${name}`;
}

/** The same for a record. */
export function keyOfRecord({ uid, type, namespace, name }: ObjectRecord): string {
  return uid || `${apiVersionOf(type)} ${type.kind} ${namespace}/${name}`;
}

/** By kind, namespace, name and uid: an order that depends on content only. */
export function compareObjects(a: ObjectIdentity, b: ObjectIdentity): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same picture with its objects by uid, so that a plan does not depend on which was read first. */
export function inContentOrder(snapshot: Snapshot): Snapshot {
  const { records } = snapshot;
  const isSorted = records.every((record, index) => {
    const before = records[index - 1];
    return before === undefined || compareRecords(before, record) <= 0;
  });
  return isSorted ? snapshot : { ...snapshot, records: [...records].sort(compareRecords) };
}

function compareRecords(a: ObjectRecord, b: ObjectRecord): number {
  return (
    compareText(a.uid, b.uid) ||
    compareText(a.type.kind, b.type.kind) ||
    compareText(a.type.group, b.type.group) ||
    compareText(a.type.version, b.type.version) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.resourceVersion ?? '', b.resourceVersion ?? '')
  );
}
