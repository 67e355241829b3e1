import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import type { Discovery } from './discover.ts';
import {
  type AskedObjectAnswer,
  type GetObjectsOptions,
  getObjects,
  snapshotOf,
} from './get-objects.ts';
import { ownersOf } from './owner-locations.ts';

/**
 * Asks for objects and for all owners above them, a level at a time, by GETs alone: the same
 * look-ups the garbage collector makes (GC-27). Cycles end where they close.
 */
export async function loadOwnerChain(
  client: ClusterClient,
  discovery: Pick<Discovery, 'types' | 'serverVersion'>,
  starts: readonly ObjectLocation[],
  options: GetObjectsOptions = {},
): Promise<Snapshot> {
  const answers: AskedObjectAnswer[] = [];
  const seen = new Set<string>();
  let level = unseen(starts, seen);
  while (level.length > 0) {
    const answered = await getObjects(client, level, options);
    answers.push(...answered);
    const owners = answered.flatMap(({ record }) =>
      record ? ownersOf(record, discovery.types) : [],
    );
    level = unseen(owners, seen);
  }
  return snapshotOf(client, discovery, answers, options);
}

function unseen(objects: readonly ObjectLocation[], seen: Set<string>): readonly ObjectLocation[] {
  return objects.filter((object) => {
    const key = locationKey(object);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
