import type { ContainerStatus } from '../../kube/facts/pod.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';

/** The workload of a pod, by its controller: a ReplicaSet is named after its Deployment and a hash. */
export function bearerOf({ type, name, labels, ownerReferences }: ObjectRecord): {
  readonly kind: string;
  readonly name: string;
} {
  const controller = ownerReferences.find((reference) => reference.controller === true);
  if (!controller) return { kind: type.kind, name };
  const hash = `-${labels?.['pod-template-hash'] ?? ''}`;
  return controller.kind === 'ReplicaSet' && controller.name.endsWith(hash)
    ? { kind: 'Deployment', name: controller.name.slice(0, -hash.length) }
    : { kind: controller.kind, name: controller.name };
}

/** Pods of a workload, or the pod that it is, with a container that ends again and again. */
export function crashLoopingPods(
  workload: ObjectRecord,
  records: readonly ObjectRecord[],
): ObjectRecord[] {
  return records.filter((pod) => {
    if (!isPod(pod) || pod.namespace !== workload.namespace) return false;
    if (crashLoopOf(pod) === undefined) return false;
    const { kind, name } = bearerOf(pod);
    return kind === workload.type.kind && name === workload.name;
  });
}

/**
 * As the column STATUS of kubectl calls it (ErrCrashLoopBackOff, pkg/kubelet/container/sync_result.go): of an init
 * container, which a sidecar is too, with `Init:`. Undefined of a pod without a container that ends again and again.
 */
export function crashLoopOf({
  facts: { containerStatuses = [], initContainerStatuses = [] } = {},
}: ObjectRecord): string | undefined {
  const loops = (one: ContainerStatus) => one.waitingReason === reason;
  if (containerStatuses.some(loops)) return reason;
  return initContainerStatuses.some(loops) ? `Init:${reason}` : undefined;
}

const reason = 'CrashLoopBackOff';

/** `; Pod db-operator-0 is in CrashLoopBackOff`, behind what says that a program has no ready pod. */
export function crashLoopsInWords(pods: readonly ObjectRecord[]): string {
  return pods
    .slice(0, 3)
    .map((pod) => `; Pod ${pod.name} is in ${crashLoopOf(pod)}`)
    .join('');
}
