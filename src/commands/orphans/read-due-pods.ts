import { getObjects } from '../../cluster/list/get-objects.ts';
import { nodeType } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { isDueNow, type OrphansReport } from '../../questions/orphans/document.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** The maximum number of Pods to read. */
const mostPods = 100;

/** The Pods that are deleted now and their Nodes, in full: of a cluster only metadata was listed. */
export async function readDuePods(
  cluster: OpenedCluster | undefined,
  { records }: Snapshot,
  { items }: OrphansReport,
): Promise<readonly ObjectRecord[]> {
  const due = new Set(items.filter(isDueNow).map(({ object }) => object.uid));
  const pods = records.filter((record) => isPod(record) && due.has(record.uid));
  if (pods.length === 0 || !cluster || cluster.following) return records;
  const read = await inFull(cluster, pods.slice(0, mostPods));
  const names = new Set(read.flatMap((pod) => knownNodeOf(pod) || []));
  const nodes = [...names].map((name) => ({ type: nodeType, namespace: '', name }));
  return [...read, ...(await inFull(cluster, nodes))];
}

async function inFull(
  { client }: OpenedCluster,
  wanted: Parameters<typeof getObjects>[1],
): Promise<ObjectRecord[]> {
  const answers = await getObjects(client, wanted, { facts: true });
  return answers.flatMap(({ record }) => record ?? []);
}
