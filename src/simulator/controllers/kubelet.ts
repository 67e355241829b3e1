import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isPod, isReady } from '../../kube/well-known-kinds.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { RunContext } from '../engine/run-context.ts';

/**
 * Kubelets: a bound pod that is being deleted is confirmed with a DELETE of grace 0 when its grace
 * period is over (GC-60, GC-63). A pod on a Node that the cluster does not have stays, also
 * when the Node is deleted meanwhile; in a snapshot without any Node, all of them exist.
 */
export function startKubelets(context: RunContext): void {
  const { state, clock, schedule } = context;
  for (const pod of state.ofResource('pods')) watchOver(context, pod);
  state.watch(({ before, after }) => {
    if (!after || !isPod(after) || after.deletionTimestamp === before?.deletionTimestamp) return;
    clock.after(schedule.watch(), () => watchOver(context, after));
  });
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
      because: `its containers on ${knownNodeOf(live)} have stopped: the grace period of ${grace} s is over`,
      rule: 'GC-61',
    }));
  });
}

/** Would a kubelet confirm this pod's deletion? */
export function hasKubelet(context: RunContext, pod: ObjectRecord): boolean {
  const { state, hasNodes, readyOnly } = context;
  const name = knownNodeOf(pod);
  if (name === undefined || !hasNodes) return name !== undefined;
  const node = state.at('nodes', '', name);
  return node !== undefined && !(readyOnly && node.facts !== undefined && !isReady(node));
}
