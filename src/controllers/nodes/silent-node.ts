import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import {
  isKubeletUnresponsive,
  isPod,
  isPodTerminal,
  readyConditionOf,
} from '../../kube/well-known-kinds.ts';

/** `NodeStatusUnknown: Kubelet stopped posting node status.`: what the condition Ready says of a Node. */
export function whySilent(node: ObjectRecord): string {
  const ready = readyConditionOf(node);
  if (!ready) return 'it has never reported';
  return [ready.reason, ready.message].filter(Boolean).join(': ') || 'no reason is given';
}

/** The silent Node on which a pod remains once it is deleted. The API server itself removes a pod that has ended. */
export function silentHomeOf(
  pod: ObjectRecord,
  nodeNamed: (name: string) => ObjectRecord | undefined,
): ObjectRecord | undefined {
  if (!isPod(pod) || isPodTerminal(pod)) return undefined;
  const node = nodeNamed(knownNodeOf(pod) ?? '');
  return node && isKubeletUnresponsive(node) ? node : undefined;
}

/** Why a pod that is being deleted remains on a Node. */
export function unconfirmedOn(node: string, exists: boolean): string {
  const state = exists ? 'is not ready' : 'does not exist';
  return `its node ${node} ${state}, so no kubelet confirms that its containers stopped`;
}

/**
 * What frees pods that are being deleted on a Node whose kubelet does not answer (GC-63, PG-9 to PG-12); of several
 * Nodes with undefined.
 */
export function waysToFree(node: string | undefined): string {
  const [nodes, machine, one] =
    node === undefined
      ? ['the Nodes', 'a machine', 'its Node']
      : [`node ${node}`, 'the machine', 'the Node'];
  return `Bring ${nodes} back. If ${machine} is certainly off, delete ${one} or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.`;
}
