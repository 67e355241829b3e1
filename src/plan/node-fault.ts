import { isOutOfService, isReady } from '../collectors/pod-garbage-collector/node-state.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { NodeCondition } from './plan.ts';

/**
 * Why a pod may not be removed by force for the sake of its Node; undefined: the Node, as it was just
 * read, is as the request says. A kubelet that is back may run the pod, and another may start it too.
 */
export function nodeFault(
  { name, is }: NodeCondition,
  node: ObjectRecord | undefined,
): string | undefined {
  if (!node) return is === 'gone' ? undefined : `Node ${name} is gone meanwhile`;
  if (isReady(node)) return `Node ${name} is there and Ready`;
  if (is === 'gone') return `Node ${name} is there again, although not ready`;
  if (isOutOfService(node)) return undefined;
  return `Node ${name} has lost the taint node.kubernetes.io/out-of-service`;
}
