import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { listKind } from './list-kind.ts';

/**
 * Adds the owners that references name by their uid, and that are in another namespace or have another name. Such a
 * uid can be found only in a list, so the kind is listed where a reference led to no object with its uid. What may not be
 * listed stays unseen: where the garbage collector looks, there is no such owner.
 */
export async function withOwnersElsewhere(
  client: ClusterClient,
  live: Snapshot,
  dependents: readonly ObjectRecord[],
): Promise<Snapshot> {
  const { types } = live;
  const seen = new Set(live.records.map(({ uid }) => uid));
  const unseen = new Map<ResourceType, Set<string>>();
  for (const { apiVersion, kind, uid } of dependents.flatMap((one) => one.ownerReferences)) {
    const mapping = types.mapKind(apiVersion, kind);
    if (mapping.kind !== 'served' || uid === '' || seen.has(uid)) continue;
    const uids = unseen.get(mapping.type) ?? new Set();
    unseen.set(mapping.type, uids.add(uid));
  }
  const found: ObjectRecord[] = [];
  for (const [type, uids] of unseen) {
    const { records } = await listKind(client, type);
    found.push(...records.filter(({ uid }) => uids.has(uid)));
  }
  return found.length === 0 ? live : { ...live, records: [...live.records, ...found] };
}
