import { automanaged, keeperOf } from '../../controllers/bookkeeping.ts';
import { addressManager } from '../../controllers/endpoints/ip-address-repair.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';

/** Labels by which Kubernetes and its add-ons mark what they make and keep up to date. */
const marks = [
  'kubernetes.io/bootstrapping',
  automanaged,
  'kubernetes.io/cluster-service',
  'addonmanager.kubernetes.io/mode',
  'endpoints.kubernetes.io/managed-by',
  'endpointslice.kubernetes.io/managed-by',
  addressManager,
  'apiserver.kubernetes.io/identity',
];

/** Kinds whose objects programs make while they run. */
const madeWhileRunning: ReadonlySet<string> = new Set([
  'nodes',
  'leases.coordination.k8s.io',
  'leasecandidates.coordination.k8s.io',
  'ipaddresses.networking.k8s.io',
]);

/**
 * ServiceAccounts of kube-system with which kube-controller-manager sends requests (--use-service-account-credentials): the names
 * in cmd/kube-controller-manager/app and bootstrappolicy/controller_policy.go of v1.33 to v1.37.
 */
const ofManager: ReadonlySet<string> = new Set([
  'attachdetach-controller',
  'bootstrap-signer',
  'certificate-controller',
  'clusterrole-aggregation-controller',
  'controller-discovery',
  'cronjob-controller',
  'daemon-set-controller',
  'deployment-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoint-controller',
  'endpointslice-controller',
  'endpointslicemirroring-controller',
  'ephemeral-volume-controller',
  'expand-controller',
  'generic-garbage-collector',
  'horizontal-pod-autoscaler',
  'job-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher',
  'legacy-service-account-token-cleaner',
  'metadata-informers',
  'namespace-controller',
  'node-controller',
  'persistent-volume-binder',
  'pod-garbage-collector',
  'podcertificaterequestcleaner',
  'podgroup-protection-controller',
  'pv-protection-controller',
  'pvc-protection-controller',
  'replicaset-controller',
  'replication-controller',
  'resource-claim-controller',
  'resourcepoolstatusrequest-controller',
  'resourcequota-controller',
  'root-ca-cert-publisher',
  'route-controller',
  'selinux-warning-controller',
  'service-account-controller',
  'service-cidrs-controller',
  'service-controller',
  'shared-informers',
  'statefulset-controller',
  'storage-version-garbage-collector',
  'storage-version-migrator-controller',
  'token-cleaner',
  'tokens-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
  'volumeattributesclass-protection-controller',
]);

/** Other names that Kubernetes and its installers give; a namespace counts where it is said. */
const names: Readonly<Record<string, (name: string, namespace: string) => boolean>> = {
  configmaps: (name, namespace) =>
    (namespace === 'kube-system' && (name === 'kubeadm-config' || name === 'kubelet-config')) ||
    (namespace === 'kube-public' && name === 'cluster-info'),
  secrets: (name, namespace) =>
    name.startsWith('sh.helm.release.v1.') ||
    (namespace === 'kube-system' && name.startsWith('bootstrap-token-')),
  serviceaccounts: (name, namespace) => namespace === 'kube-system' && ofManager.has(name),
  'priorityclasses.scheduling.k8s.io': (name) => name.startsWith('system-'),
  'clustertrustbundles.certificates.k8s.io': (name) => name.startsWith('kubernetes.io:'),
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
