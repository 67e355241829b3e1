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

/** Pods of a workload, or the pod that it is, with a container that ends again and again (ErrCrashLoopBackOff,
 * pkg/kubelet/container/sync_result.go). */
export function crashLoopingPods(
  workload: ObjectRecord,
  records: readonly ObjectRecord[],
): ObjectRecord[] {
  return records.filter((pod) => {
    if (!isPod(pod) || pod.namespace !== workload.namespace) return false;
    const statuses = pod.facts?.containerStatuses ?? [];
    if (!statuses.some((one) => one.waitingReason === 'CrashLoopBackOff')) return false;
    const { kind, name } = bearerOf(pod);
    return kind === workload.type.kind && name === workload.name;
  });
}

/** `; Pod db-operator-0 is in CrashLoopBackOff`, behind what says that a program has no ready pod. */
export function crashLoopsInWords(pods: readonly ObjectRecord[]): string {
  return pods
    .slice(0, 3)
    .map(({ name }) => `; Pod ${name} is in CrashLoopBackOff`)
    .join('');
}
