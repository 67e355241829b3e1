import type { ClusterClient } from '../../client/cluster-client.ts';
import { isReady } from '../../collectors/pod-garbage-collector/node-state.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SeenKubelets } from '../../rules/audit-rule.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** Asks the kubelets of all Nodes for their settings; those that are not ready would keep everybody waiting. */
export async function seeKubelets(
  client: ClusterClient,
  { records }: Snapshot,
): Promise<SeenKubelets> {
  const nodes = records.filter(({ type }) => groupResourceOf(type) === 'nodes');
  const { readConfigz } = await import('../../sources/cluster/settings/read-configz.ts');
  const ready = nodes.filter(isReady);
  const byName = new Map(ready.map((node) => [node.name, node]));
  const answers = await readConfigz(client, [...byName.keys()]);
  const unread = nodes
    .filter((node) => !isReady(node))
    .map((object) => ({ object, because: 'kubelets of Nodes that are not ready are not asked' }));
  const read: { readonly object: ObjectRecord; readonly configuration: unknown }[] = [];
  for (const answer of answers) {
    const object = byName.get(answer.node);
    if (!object) continue;
    if ('because' in answer) unread.push({ object, because: answer.because });
    else read.push({ object, configuration: answer.configuration });
  }
  return { read, unread };
}
