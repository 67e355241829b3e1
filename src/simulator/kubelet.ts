import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { knownNodeOf } from '../kube/pod-use.ts';
import { isKubeletUnresponsive, isNode, pods } from '../kube/well-known-kinds.ts';
import { awaitedKubelet } from '../snapshot/graph/blockers.ts';
import { deleteObject } from './api-server/delete-object.ts';
import type { RunContext } from './engine/run-context.ts';

/**
 * Kubelets: a bound pod that is being deleted is confirmed with a DELETE of grace 0 when its grace
 * period is over (GC-60, GC-63). A pod on a Node that the cluster does not have, or that is silent,
 * stays; a Node that was not read is taken to be there, and ready.
 */
export function startKubelets(context: RunContext): void {
  const { state, clock, schedule } = context;
  for (const pod of state.ofResource(pods)) watchOver(context, pod);
  state.watch(({ before, after }) => {
    if (!after || after.deletionTimestamp === before?.deletionTimestamp) return;
    clock.after(schedule.watch(), () => watchOver(context, after));
  }, pods);
}

function watchOver(context: RunContext, pod: ObjectRecord): void {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = pod;
  if (deletionTimestamp === undefined || grace === 0 || !hasKubelet(context, pod)) return;
  const due = Math.max(0, Date.parse(deletionTimestamp) - context.now());
  context.clock.after(due, () => {
    const live = context.state.current(pod);
    // A shorter grace period has scheduled its own DELETE.
    if (live?.deletionTimestamp !== deletionTimestamp) return;
    const { result } = deleteObject(context, live, { gracePeriodSeconds: 0 });
    context.timeline.note('kubelet', 'delete', live, result, () => ({
      because: hasStopped(live, grace),
      rule: 'GC-61',
    }));
  });
}

/** `grace` is in seconds. */
export function hasStopped(pod: ObjectRecord, grace: number): string {
  return `removed after its containers on ${knownNodeOf(pod)} stop (grace period ${grace}s)`;
}

/**
 * Answers for a pod which silent Node among these objects has the kubelet that would have to confirm its deletion. The Nodes
 * are only gathered for a pod that needs one.
 */
export function silentNodesAmong(
  objects: readonly ObjectRecord[],
): (pod: ObjectRecord) => ObjectRecord | undefined {
  let nodes: ReadonlyMap<string, ObjectRecord> | undefined;
  return (pod) => {
    const name = isBeingDeleted(pod) ? awaitedKubelet(pod) : undefined;
    if (typeof name !== 'string') return undefined;
    nodes ??= new Map(objects.filter(isNode).map((node) => [node.name, node]));
    const node = nodes.get(name);
    return node && isKubeletUnresponsive(node) ? node : undefined;
  };
}

/** Would a kubelet confirm this pod's deletion? */
export function hasKubelet(
  { state, coversNode, confirmed }: Pick<RunContext, 'state' | 'coversNode' | 'confirmed'>,
  pod: ObjectRecord,
): boolean {
  const name = knownNodeOf(pod);
  if (name === undefined) return false;
  if (confirmed.has(pod.uid)) return true;
  const node = state.at('nodes', '', name);
  return node ? !isKubeletUnresponsive(node) : !coversNode(name);
}
