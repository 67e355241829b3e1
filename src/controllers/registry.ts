import type { Controller } from './controller.ts';
import { bootstrapTokenCleaner } from './credentials/bootstrap-token-cleaner.ts';
import { csrCleaner } from './credentials/csr-cleaner.ts';
import { legacyServiceAccountTokenCleaner } from './credentials/legacy-serviceaccount-token-cleaner.ts';
import { podCertificateRequestCleaner } from './credentials/podcertificaterequest-cleaner.ts';
import { serviceAccountToken } from './credentials/serviceaccount-token.ts';
import { endpointSlice } from './endpoints/endpointslice.ts';
import { ipAddressRepair } from './endpoints/ip-address-repair.ts';
import { protectionController } from './finalizers/protection.ts';
import { cronJobHistory } from './jobs/cronjob-history.ts';
import { jobController } from './jobs/job-controller.ts';
import { ttlAfterFinished } from './jobs/ttl-after-finished.ts';
import { apiServerLease, leaseCollections } from './nodes/apiserver-lease.ts';
import { cloudNode } from './nodes/cloud-node.ts';
import { deviceTaintEviction } from './nodes/device-taint-eviction.ts';
import { missingNode } from './nodes/missing-node.ts';
import { nodeLease } from './nodes/node-lease.ts';
import { nodeLifecycle, taintEviction } from './nodes/node-lifecycle.ts';
import { nodeWatch } from './nodes/node-watch.ts';
import { podGcInPlay } from './pod-gc/passes-in-play.ts';
import { podGarbageCollector } from './pod-gc/pod-gc.ts';
import { attachDetach } from './volumes/attachdetach.ts';
import { ephemeralVolume } from './volumes/ephemeral-volume.ts';
import { persistentVolumeReclaim } from './volumes/persistentvolume-reclaim.ts';
import { resourceClaim } from './volumes/resourceclaim.ts';
import { adoption } from './workloads/adoption.ts';
import { controllerRevisionHistory } from './workloads/controllerrevision-history.ts';
import { replicaSetHistory } from './workloads/replicaset-history.ts';
import { statefulSetPvcRetention } from './workloads/statefulset-pvc-retention.ts';
import { workloadPods } from './workloads/workload-pods.ts';

/** Every controller of Kubernetes other than the garbage collector, in the order of `controllerIds`. */
export const allControllers: readonly Controller[] = [
  podGarbageCollector,
  ttlAfterFinished,
  cronJobHistory,
  jobController,
  adoption,
  replicaSetHistory,
  controllerRevisionHistory,
  statefulSetPvcRetention,
  workloadPods,
  persistentVolumeReclaim,
  attachDetach,
  csrCleaner,
  podCertificateRequestCleaner,
  nodeLifecycle,
  deviceTaintEviction,
  cloudNode,
  nodeLease,
  apiServerLease,
  endpointSlice,
  ipAddressRepair,
  legacyServiceAccountTokenCleaner,
  serviceAccountToken,
  bootstrapTokenCleaner,
  ephemeralVolume,
  resourceClaim,
  missingNode,
  protectionController,
];

/** What plays in the place of a controller: it decides step by step what that one foresees. */
const inPlay = new Map<Controller, readonly Controller[]>([
  [podGarbageCollector, [podGcInPlay]],
  [nodeLifecycle, [nodeWatch, taintEviction]],
  [apiServerLease, leaseCollections],
]);

/** The same as simulations run them. */
export const playedControllers: readonly Controller[] = allControllers.flatMap(
  (controller) => inPlay.get(controller) ?? [controller],
);
