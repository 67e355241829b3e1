import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isOutOfService, isReady } from './node-state.ts';
import type { PodGcInput } from './pass.ts';

/** A pod that looks like a case for the controller, and why it leaves it alone. */
export interface WaitingPod {
  readonly pod: ObjectRecord;
  readonly because: string;
  readonly rule: string;
}

/** What a pass passes over although one might expect more (PG-9, PG-10, PG-19); `now` in epoch milliseconds. */
export function waitingPods(
  input: PodGcInput,
  chosen: ReadonlySet<string>,
  now: number,
): WaitingPod[] {
  return input.pods.flatMap((pod) => {
    if (chosen.has(pod.uid)) return [];
    const node = input.cachedNode(knownNodeOf(pod) ?? '');
    const why = node && whyWaiting(pod, node, now);
    return why ? [{ pod, ...why }] : [];
  });
}

function whyWaiting(
  pod: ObjectRecord,
  node: ObjectRecord,
  now: number,
): Omit<WaitingPod, 'pod'> | undefined {
  const outOfService = isOutOfService(node);
  if (!isBeingDeleted(pod)) {
    if (!outOfService || isReady(node)) return undefined;
    return {
      rule: 'PG-9',
      because: `Node ${node.name} is out of service, but nobody has deleted the pod yet`,
    };
  }
  if (isReady(node)) {
    // The end of its grace period.
    if (now < Date.parse(pod.deletionTimestamp ?? '')) return undefined;
    return outOfService
      ? {
          rule: 'PG-10',
          because: `Node ${node.name} has the taint node.kubernetes.io/out-of-service, but is Ready`,
        }
      : {
          rule: 'PG-19',
          because: `its time is up, but Node ${node.name} is Ready: its kubelet has to end it`,
        };
  }
  return {
    rule: 'PG-10',
    because: `Node ${node.name} is not ready, but still listed and without the taint node.kubernetes.io/out-of-service`,
  };
}
