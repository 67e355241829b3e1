import type { ObjectRecord } from '../../kube/object-record.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Use, usedKindOf, usesByRecords } from '../remarks/uses.ts';
import type { PlanRow } from './plan-rows.ts';
import { canDisappear } from './plan-totals.ts';
import type { TouchedObject } from './play/touched-objects.ts';
import type { Recreation } from './recreation.ts';

/** Which objects that stay use each deleted object, of those kinds of which that is asked. */
export type UsesAfter = ReadonlyMap<TouchedObject, Use>;

/**
 * What Kubernetes recreates is used again; what a program or a tool recreates is missing until it has. A namespace is deleted
 * with what uses the objects in it. Most deletions have none of these kinds, and ask for nothing.
 */
export function usesAfter(snapshot: Snapshot, rows: readonly PlanRow[]): UsesAfter {
  const going = rows.filter(({ planned }) => canDisappear(planned));
  const ending = new Set(
    going.flatMap(({ object: { record } }) => (isNamespace(record) ? record.name : [])),
  );
  const asked = going.filter(
    ({ object: { record }, planned, remade }) =>
      (planned.fate === 'terminating' || !remade || !isMadeSoon(record, remade)) &&
      usedKindOf(record) !== undefined &&
      !ending.has(record.namespace),
  );
  if (asked.length === 0) return new Map();
  const gone = new Set(going.map(({ object }) => object.record.uid));
  const homes = new Set(asked.map(({ object }) => object.record.namespace));
  const staying = snapshot.records.filter(
    ({ uid, namespace }) => !gone.has(uid) && (homes.has('') || homes.has(namespace)),
  );
  const useOf = usesByRecords(snapshot, staying);
  return new Map(
    asked.flatMap(({ object }) => {
      const use = useOf(object.record);
      return use ? [[object, use] as const] : [];
    }),
  );
}

/** Does a controller of Kubernetes make another immediately? It makes a claim before the Pod that uses it, too. */
function isMadeSoon(record: ObjectRecord, { doubt, when }: Recreation): boolean {
  return (
    (doubt === undefined && when === undefined) || usedKindOf(record) === 'PersistentVolumeClaim'
  );
}
