import { asCreated } from '../../audit/as-manifests.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { ownersOf } from '../../sources/cluster/owners-of.ts';
import type { CommonFlags } from '../flags.ts';
import { inOrder } from '../in-order.ts';
import { openCluster, openFiles } from '../input.ts';
import { startProgress } from '../progress.ts';
import { problemsOfManifests } from './open-audited.ts';

/** Manifests as if they were applied, among the objects of a cluster that matter for them. */
export interface Applied {
  readonly snapshot: Snapshot;
  readonly isManifest: (record: ObjectRecord) => boolean;
  readonly narrowed: false;
}

/** Asks the cluster for the manifests' owners, namespaces and predecessors: GETs only. */
export async function openAgainstCluster(flags: CommonFlags): Promise<Applied> {
  const files = await openFiles(flags, flags.from ?? []);
  const cluster = await openCluster(flags);
  const progress = startProgress('Looking at the cluster');
  try {
    const { client } = cluster;
    const types = typesOnceApplied(files, cluster.types);
    const manifests = files.records.map((record) =>
      inClusterTerms(record, types, client.namespace),
    );
    const namespaces = types.find('v1', 'Namespace');
    const places = new Map<string, Pick<ObjectRecord, 'type' | 'namespace' | 'name'>>();
    const add = (place: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>) => {
      if (cluster.types.find(apiVersionOf(place.type), place.type.kind))
        places.set(keyOf(place), place);
    };
    for (const record of manifests) {
      add(record);
      for (const owner of ownersOf(record, types)) add(owner);
      if (namespaces && record.namespace !== '')
        add({ type: namespaces, namespace: '', name: record.namespace });
    }
    const { fromClusterObjects } = await import('../../sources/cluster/from-cluster-objects.ts');
    const live = await fromClusterObjects(client, cluster, [...places.values()]);
    return applied(files, manifests, live, types);
  } finally {
    progress.stop();
    cluster.client.close();
  }
}

/** What the cluster serves, and what the manifests' own definitions will make it serve. */
function typesOnceApplied({ records, types }: Snapshot, served: ResourceTypes): ResourceTypes {
  const definitions = new Set(
    records.filter(({ type }) => type.kind === 'CustomResourceDefinition').map(({ name }) => name),
  );
  const defined = types.all.filter(
    (type) => definitions.has(groupResourceOf(type)) && !served.find(apiVersionOf(type), type.kind),
  );
  return new ResourceTypes([...served.all, ...defined], served);
}

function inClusterTerms(
  record: ObjectRecord,
  types: ResourceTypes,
  namespace: string,
): ObjectRecord {
  const type = types.find(apiVersionOf(record.type), record.type.kind) ?? record.type;
  return { ...record, type, namespace: type.namespaced ? record.namespace || namespace : '' };
}

function applied(
  files: Snapshot,
  manifests: readonly ObjectRecord[],
  live: Snapshot,
  types: ResourceTypes,
): Applied {
  const there = new Map(live.records.map((record) => [keyOf(record), record]));
  const records = manifests.map((record, index): ObjectRecord => {
    const before = there.get(keyOf(record));
    if (!before) return asCreated(record, index);
    const { uid, deletionTimestamp, finalizers } = before;
    return { ...record, uid, deletionTimestamp, finalizers };
  });
  const replaced = new Set(records.map(keyOf));
  const others = live.records.filter((record) => !replaced.has(keyOf(record)));
  const created = records.filter((record) => !there.has(keyOf(record)));
  const isManifest = new Set(records);
  const problems = problemsOfManifests(files).filter(({ reason }) => reason !== 'unknown-kind');
  return {
    snapshot: inOrder({
      ...live,
      records: [...records, ...others],
      types,
      coverage: {
        read: [],
        asked: [
          ...live.coverage.asked,
          ...created.map(({ type, namespace, name }) => ({
            resource: groupResourceOf(type),
            namespace,
            name,
          })),
        ],
        problems: [...problems, ...live.coverage.problems],
      },
      origin: files.origin,
    }),
    isManifest: (record) => isManifest.has(record),
    narrowed: false,
  };
}

function keyOf({
  type,
  namespace,
  name,
}: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}
