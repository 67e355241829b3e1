import { apiServerLease } from './apiserver-lease.ts';
import { bootstrapTokenCleaner } from './bootstrap-token-cleaner.ts';
import { cloudNode } from './cloud-node.ts';
import type { Collector } from './collector.ts';
import { controllerRevisionHistory } from './controllerrevision-history.ts';
import { cronJobHistory } from './cronjob-history.ts';
import { csrCleaner } from './csr-cleaner/csr-cleaner.ts';
import { endpointSlice } from './endpointslice/endpointslice.ts';
import { ephemeralVolume } from './ephemeral-volume.ts';
import { legacyServiceAccountTokenCleaner } from './legacy-serviceaccount-token-cleaner/legacy-serviceaccount-token-cleaner.ts';
import { missingNode } from './missing-node.ts';
import { nodeLease } from './node-lease.ts';
import { nodeLifecycle } from './node-lifecycle/node-lifecycle.ts';
import { persistentVolumeReclaim } from './persistentvolume-reclaim/persistentvolume-reclaim.ts';
import { podGarbageCollector } from './pod-garbage-collector/pod-garbage-collector.ts';
import { podCertificateRequestCleaner } from './podcertificaterequest-cleaner.ts';
import { replicaSetHistory } from './replicaset-history.ts';
import { resourceClaim } from './resourceclaim.ts';
import { serviceAccountToken } from './serviceaccount-token.ts';
import { statefulSetPvcRetention } from './statefulset-pvc-retention.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';

/** Every collector beside the garbage collector, in the order of `collectorIds`. */
export const collectors: readonly Collector[] = [
  podGarbageCollector,
  ttlAfterFinished,
  cronJobHistory,
  replicaSetHistory,
  controllerRevisionHistory,
  statefulSetPvcRetention,
  persistentVolumeReclaim,
  csrCleaner,
  podCertificateRequestCleaner,
  nodeLifecycle,
  cloudNode,
  nodeLease,
  apiServerLease,
  endpointSlice,
  legacyServiceAccountTokenCleaner,
  serviceAccountToken,
  bootstrapTokenCleaner,
  ephemeralVolume,
  resourceClaim,
  missingNode,
];
