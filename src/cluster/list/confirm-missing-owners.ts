import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { CoverageIndex } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { getObjects } from './get-objects.ts';

import { listKind } from './list-kind.ts';
import type { ListOptions } from './list-objects.ts';
import { ownersOf } from './owner-locations.ts';

/** With more missing owners of a kind than this, listing the kind again is cheaper than asking for each. */
const mostGets = 200;

/**
 * Kinds are listed one after the other, so an owner created meanwhile may be missing beside its
 * dependents. Asks again for each owner that was not seen where it should have been, as the
 * collector does before it believes that one is gone (GC-27).
 */
export async function confirmMissingOwners(
  client: ClusterClient,
  snapshot: Snapshot,
  options: ListOptions,
): Promise<Snapshot> {
  const uids = new Set<string>();
  for (const { uid } of snapshot.records) uids.add(uid);
  const added: ObjectRecord[] = [];
  let missing = missingOwners(snapshot, snapshot.records, uids);
  while (missing.length > 0) {
    const found = await lookAgain(client, snapshot, missing, options);
    const fresh = found.filter(({ uid }) => !uids.has(uid));
    for (const record of fresh) uids.add(record.uid);
    added.push(...fresh);
    // Owners of the newly found may have been missed for the same reason.
    missing = missingOwners(snapshot, fresh, uids);
  }
  if (added.length === 0) return snapshot;
  const replaced = new Set(added.map(locationKey));
  const others = snapshot.records.filter((record) => !replaced.has(locationKey(record)));
  return { ...snapshot, records: [...others, ...added] };
}

function missingOwners(
  { types, coverage }: Snapshot,
  records: readonly ObjectRecord[],
  uids: ReadonlySet<string>,
): readonly ObjectLocation[] {
  const index = new CoverageIndex(coverage);
  const missing = new Map<string, ObjectLocation>();
  for (const record of records) {
    if (record.ownerReferences.every(({ uid }) => uids.has(uid))) continue;
    for (const owner of ownersOf(record, types, ({ uid }) => !uids.has(uid))) {
      if (index.coversKind(owner.type, owner.namespace)) missing.set(locationKey(owner), owner);
    }
  }
  return [...missing.values()];
}

async function lookAgain(
  client: ClusterClient,
  { coverage }: Snapshot,
  missing: readonly ObjectLocation[],
  options: ListOptions,
): Promise<readonly ObjectRecord[]> {
  const found: ObjectRecord[] = [];
  for (const [type, objects] of Map.groupBy(missing, ({ type }) => type)) {
    if (objects.length <= mostGets) {
      const answers = await getObjects(client, objects, options);
      found.push(...answers.flatMap(({ record }) => record ?? []));
      continue;
    }
    const wanted = new Set(objects.map(locationKey));
    const read = coverage.read.find(({ resource }) => resource === groupResourceOf(type));
    const scope = { namespaces: read?.namespaces };
    const { records } = await listKind(client, type, scope, { ...options, freshness: 'latest' });
    found.push(...records.filter((record) => wanted.has(locationKey(record))));
  }
  return found;
}
