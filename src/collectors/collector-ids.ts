/** The collectors beside the garbage collector, in the order of the documentation. */
export const collectorIds = [
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

export type CollectorId = (typeof collectorIds)[number];
