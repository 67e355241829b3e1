import { waysToFree, whySilent } from '../../controllers/nodes/silent-node.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import { isOfCluster } from '../../snapshot/snapshot.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Pods that no kubelet lets go, as their Nodes are silent; and those of which that is not known. */
export function silentNodes(input: RemarkInput): PlanRemark[] {
  return [...silent(input), ...unread(input)];
}

function silent({ going, played: { confirmed } }: RemarkInput): PlanRemark[] {
  const pods = going.filter(({ key }) => confirmed.has(key)).map(({ record }) => record);
  const [node] = confirmed.values();
  if (pods.length === 0 || !node) return [];
  const objects = identitiesOf(pods);
  const names = nodesOf(pods);
  const because =
    names.length === 1
      ? `Node ${node.name} is not ready (${whySilent(node)}), so its kubelet does`
      : `Nodes ${firstOf(names)} are not ready, so their kubelets do`;
  const they = objects.length === 1 ? 'it stays' : 'they stay';
  const ways = waysToFree(names.length === 1 ? node.name : undefined);
  const message = `${because} not confirm that the containers of ${namesOf(objects)} have stopped: ${they} terminating. ${ways}`;
  return [{ code: 'silent-node', severity: 'warning', message, objects }];
}

/** A plan says what may go, and so takes a Node for ready that could not be read. Of files that is no news. */
function unread({ going, played, snapshot }: RemarkInput): PlanRemark[] {
  if (!isOfCluster(snapshot)) return [];
  const stopped = new Set(
    played.with.steps.flatMap(({ actor, object }) =>
      actor === 'kubelet' ? [objectKey(object)] : [],
    ),
  );
  if (stopped.size === 0) return [];
  const { coversNode } = readCoverageOf(snapshot);
  const read = new Set(snapshot.records.filter(isNode).map(({ name }) => name));
  const pods = going
    .filter(({ key }) => stopped.has(key))
    .map(({ record }) => record)
    .filter((pod) => {
      const name = knownNodeOf(pod) ?? '';
      return !read.has(name) && !coversNode(name);
    });
  if (pods.length === 0) return [];
  const objects = identitiesOf(pods);
  const names = nodesOf(pods);
  const because =
    names.length === 1
      ? `Node ${firstOf(names)} was not read: where its kubelet does`
      : `Nodes ${firstOf(names)} were not read: where a kubelet does`;
  const stay = objects.length === 1 ? 'stays' : 'stay';
  const message = `${because} not answer, ${namesOf(objects)} ${stay} terminating.`;
  return [{ code: 'silent-node', severity: 'note', message, objects }];
}

function nodesOf(pods: readonly ObjectRecord[]): string[] {
  return [...new Set(pods.map((pod) => knownNodeOf(pod) ?? ''))].sort(compareText);
}
