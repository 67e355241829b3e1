import type { ClusterClient } from '../../client/cluster-client.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Discovery } from './discover.ts';
import {
  type AskedObjectAnswer,
  type GetObjectsOptions,
  getObjects,
  snapshotOf,
} from './from-cluster-objects.ts';
import type { ObjectCoordinates } from './get-object.ts';

/**
 * Asks for objects and for all owners above them, a level at a time, by GETs alone: the same
 * look-ups the garbage collector makes (GC-27). Cycles end where they close.
 */
export async function loadOwnerChain(
  client: ClusterClient,
  discovery: Pick<Discovery, 'types' | 'serverVersion'>,
  starts: readonly ObjectCoordinates[],
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

/** Where the owners named by an object would be; those no request can find are left out. */
function ownersOf(record: ObjectRecord, types: ResourceTypes): readonly ObjectCoordinates[] {
  return record.ownerReferences.flatMap(({ apiVersion, kind, name }) => {
    const mapping = types.mapKind(apiVersion, kind);
    if (mapping.kind !== 'served' || name === '') return [];
    const { type } = mapping;
    // A cluster-scoped object names an owner in no namespace, so there is nothing to ask for.
    if (type.namespaced && record.namespace === '') return [];
    return { type, namespace: type.namespaced ? record.namespace : '', name };
  });
}

function unseen(
  objects: readonly ObjectCoordinates[],
  seen: Set<string>,
): readonly ObjectCoordinates[] {
  return objects.filter(({ type, namespace, name }) => {
    // Whatever the version, it is one object.
    const key = `${groupResourceOf(type)} ${namespace} ${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
