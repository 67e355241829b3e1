import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';

/** Labels by which Kubernetes and its add-ons mark what they make and keep up to date. */
const marks = [
  'kubernetes.io/bootstrapping',
  'kube-aggregator.kubernetes.io/automanaged',
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

const flowNames: ReadonlySet<string> = new Set([
  'catch-all',
  'exempt',
  'global-default',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-system-service-accounts',
  'leader-election',
  'node-high',
  'probes',
  'service-accounts',
  'system',
  'system-leader-election',
  'system-node-high',
  'system-nodes',
  'workload-high',
  'workload-leader-election',
  'workload-low',
  'endpoint-controller',
]);

/** Names that Kubernetes gives to what it makes in every cluster; a namespace counts where it is said. */
const names: Readonly<Record<string, (name: string, namespace: string) => boolean>> = {
  namespaces: (name) => name === 'default' || systemNamespaces.has(name),
  configmaps: (name, namespace) =>
    name === 'kube-root-ca.crt' ||
    (namespace === 'kube-system' && systemConfigMaps.has(name)) ||
    (namespace === 'kube-public' && name === 'cluster-info'),
  secrets: (name, namespace) =>
    name.startsWith('sh.helm.release.v1.') ||
    (namespace === 'kube-system' && name.startsWith('bootstrap-token-')),
  serviceaccounts: (name) => name === 'default',
  services: isKubernetesService,
  endpoints: isKubernetesService,
  'endpointslices.discovery.k8s.io': isKubernetesService,
  'servicecidrs.networking.k8s.io': (name) => name === 'kubernetes',
  'priorityclasses.scheduling.k8s.io': (name) => name.startsWith('system-'),
  'flowschemas.flowcontrol.apiserver.k8s.io': (name) => flowNames.has(name),
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': (name) => flowNames.has(name),
};

const systemNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);
const systemConfigMaps: ReadonlySet<string> = new Set([
  'extension-apiserver-authentication',
  'kube-apiserver-legacy-service-account-token-tracking',
  'kubeadm-config',
  'kubelet-config',
]);

function isKubernetesService(name: string, namespace: string): boolean {
  return name === 'kubernetes' && namespace === 'default';
}

/**
 * Does Kubernetes itself make this object, or a program of the cluster while it runs? Told by marks and
 * by names that are reserved: an object without them is somebody's.
 */
export function isMadeByCluster(record: ObjectRecord): boolean {
  const { type, name, namespace, labels, annotations } = record;
  const resource = groupResourceOf(type);
  return (
    madeWhileRunning.has(resource) ||
    marks.some((mark) => labels?.[mark] !== undefined) ||
    annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined ||
    // RBAC reserves the prefix.
    (type.group === 'rbac.authorization.k8s.io' && name.startsWith('system:')) ||
    (names[resource]?.(name, namespace) ?? false)
  );
}
