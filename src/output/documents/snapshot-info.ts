import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import { type DocumentHead, headOf, type Origin, type Snapshot } from '../../snapshot/snapshot.ts';

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
  const counts = new Map<string, { -readonly [K in keyof KindCount]: KindCount[K] }>();
  for (const { type, ownerReferences, deletionTimestamp } of snapshot.records) {
    const resource = groupResourceOf(type);
    let count = counts.get(resource);
    if (!count) {
      const { kind } = type;
      count = {
        resource,
        apiVersion: apiVersionOf(type),
        kind,
        objects: 0,
        owned: 0,
        terminating: 0,
      };
      counts.set(resource, count);
    }
    count.objects += 1;
    if (ownerReferences.length > 0) count.owned += 1;
    if (deletionTimestamp !== undefined) count.terminating += 1;
  }
  return {
    ...headOf('SnapshotInfo', snapshot),
    observedAt: snapshot.observedAt,
    ...(snapshot.observedFrom !== undefined && { observedFrom: snapshot.observedFrom }),
    ...(snapshot.serverVersion !== undefined && { serverVersion: snapshot.serverVersion }),
    origin: snapshot.origin,
    holds: heldIn(snapshot),
    kinds: [...counts.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
  };
}
