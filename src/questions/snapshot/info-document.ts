import { picked } from '../../kube/json-value.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import {
  countingHead,
  type DocumentHead,
  type Origin,
  type Snapshot,
} from '../../snapshot/snapshot.ts';

/** `snapshot info`: what a snapshot contains. */
export interface SnapshotInfo extends DocumentHead<'SnapshotInfo'> {
  readonly observedAt: string;
  /** When the first list was answered, where that was earlier. */
  readonly observedFrom?: string;
  readonly serverVersion?: string;
  readonly origin: Origin;
  readonly holds: readonly Held[];
  readonly kinds: readonly KindCount[];
}

/** What there is besides metadata: `facts` are the fields of spec and status that are kept. */
export type Held = 'facts' | 'settings' | 'nodes' | 'field-managers' | 'answers';

export interface KindCount {
  /** `deployments.apps`. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly objects: number;
  /** Objects with owner references. */
  readonly owned: number;
  readonly terminating: number;
}

function heldIn({ records, evidence }: Snapshot): Held[] {
  const held: Held[] = [];
  if (records.some(({ facts }) => facts !== undefined)) held.push('facts');
  if (evidence?.settings) held.push('settings');
  if (evidence?.nodes) held.push('nodes');
  if (evidence?.fieldManagers) held.push('field-managers');
  if (evidence?.answers) held.push('answers');
  return held;
}

export function snapshotInfo(snapshot: Snapshot): SnapshotInfo {
  const byKind = Map.groupBy(snapshot.records, ({ type }) => groupResourceOf(type));
  const kinds = [...byKind].flatMap(([resource, records]): KindCount[] => {
    const [first] = records;
    if (!first) return [];
    const owned = records.filter(({ ownerReferences }) => ownerReferences.length > 0).length;
    const terminating = records.filter(isBeingDeleted).length;
    const { type } = first;
    const names = { resource, apiVersion: apiVersionOf(type), kind: type.kind };
    return [{ ...names, objects: records.length, owned, terminating }];
  });
  return {
    ...countingHead('SnapshotInfo', snapshot),
    ...picked(snapshot, 'observedAt', 'observedFrom', 'serverVersion', 'origin'),
    holds: heldIn(snapshot),
    kinds: kinds.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
  };
}
