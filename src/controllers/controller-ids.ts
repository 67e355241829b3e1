/** The controllers other than the garbage collector, in the order of the documentation. */
export const controllerIds = [
  'pod-garbage-collector',
  'ttl-after-finished',
  'cronjob-history',
  'replicaset-history',
  'controllerrevision-history',
  'statefulset-pvc-retention',
  'persistentvolume-reclaim',
  'csr-cleaner',
  'podcertificaterequest-cleaner',
  'node-lifecycle',
  'cloud-node',
  'node-lease',
  'apiserver-lease',
  'endpointslice',
  'legacy-serviceaccount-token-cleaner',
  'serviceaccount-token',
  'bootstrap-token-cleaner',
  'ephemeral-volume',
  'resourceclaim',
  'missing-node',
] as const;

export type ControllerId = (typeof controllerIds)[number];

/** Those that run in kubelets, and not in kube-controller-manager. */
export const kubeletControllers: readonly string[] = ['image-gc', 'container-gc'];
