import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { automanaged, keeperOf } from './bookkeeping.ts';

/** Labels by which Kubernetes and its add-ons mark what they make and keep up to date. */
const marks = [
  'kubernetes.io/bootstrapping',
  automanaged,
  'kubernetes.io/cluster-service',
  'addonmanager.kubernetes.io/mode',
  'endpoints.kubernetes.io/managed-by',
  'endpointslice.kubernetes.io/managed-by',
  'ipaddress.kubernetes.io/managed-by',
  'apiserver.kubernetes.io/identity',
];

/** Kinds whose objects programs make while they run. */
const madeWhileRunning: ReadonlySet<string> = new Set([
  'nodes',
  'leases.coordination.k8s.io',
  'leasecandidates.coordination.k8s.io',
  'ipaddresses.networking.k8s.io',
]);

/** Other names that Kubernetes and its installers give; a namespace counts where it is said. */
const names: Readonly<Record<string, (name: string, namespace: string) => boolean>> = {
  configmaps: (name, namespace) =>
    (namespace === 'kube-system' && (name === 'kubeadm-config' || name === 'kubelet-config')) ||
    (namespace === 'kube-public' && name === 'cluster-info'),
  secrets: (name, namespace) =>
    name.startsWith('sh.helm.release.v1.') ||
    (namespace === 'kube-system' && name.startsWith('bootstrap-token-')),
  'priorityclasses.scheduling.k8s.io': (name) => name.startsWith('system-'),
};

/**
 * Does Kubernetes itself create this object, or a program of the cluster while it runs? Marks and reserved names show it:
 * an object without them belongs to a user.
 */
export function isMadeByCluster(record: ObjectRecord): boolean {
  const { type, name, namespace, labels, annotations } = record;
  const resource = groupResourceOf(type);
  return (
    madeWhileRunning.has(resource) ||
    keeperOf(record, 0) !== undefined ||
    marks.some((mark) => labels?.[mark] !== undefined) ||
    annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined ||
    // RBAC reserves the prefix.
    (type.group === 'rbac.authorization.k8s.io' && name.startsWith('system:')) ||
    (names[resource]?.(name, namespace) ?? false)
  );
}
