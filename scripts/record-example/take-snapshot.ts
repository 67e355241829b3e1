import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { apiPath } from '../../test/support/api-path.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { servedTypes } from '../../test/support/served-types.ts';

/** Reads every kind the garbage collector watches, as full objects, and keeps what records keep. */
export async function takeSnapshot(cluster: Cluster, server: string): Promise<Snapshot> {
  const types = new ResourceTypes(await servedTypes(cluster.get), { exhaustive: true });
  const monitored = types.monitored();
  const records = [];
  for (const type of monitored) {
    const { items } = await cluster.get<{ items: KubeObject[] }>(apiPath(type));
    records.push(...items.map((item) => recordOf(item, type)));
  }
  return {
    records,
    types,
    coverage: {
      read: monitored.map((type) => ({ resource: groupResourceOf(type) })),
      asked: [],
      problems: [],
    },
    observedAt: `${new Date().toISOString().slice(0, 19)}Z`,
    serverVersion: cluster.serverVersion,
    origin: { kind: 'cluster', server },
  };
}
