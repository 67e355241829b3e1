import type { ControllerLinks, PassController } from '../../controllers/controller.ts';
import { bootstrapTokenCleaner } from '../../controllers/credentials/bootstrap-token-cleaner.ts';
import { csrCleaner } from '../../controllers/credentials/csr-cleaner.ts';
import { legacyServiceAccountTokenCleaner } from '../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { podCertificateRequestCleaner } from '../../controllers/credentials/podcertificaterequest-cleaner.ts';
import { serviceAccountToken } from '../../controllers/credentials/serviceaccount-token.ts';
import { endpointSlice } from '../../controllers/endpoints/endpointslice.ts';
import { ipAddressRepair } from '../../controllers/endpoints/ip-address-repair.ts';
import { protectionController } from '../../controllers/finalizers/protection.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import { jobController } from '../../controllers/jobs/job-controller.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { leaseCollections } from '../../controllers/nodes/apiserver-lease.ts';
import { cloudNode } from '../../controllers/nodes/cloud-node.ts';
import { deviceTaintEviction } from '../../controllers/nodes/device-taint-eviction.ts';
import { taintEviction } from '../../controllers/nodes/node-lifecycle.ts';
import { nodeWatch } from '../../controllers/nodes/node-watch.ts';
import { podGcInPlay } from '../../controllers/pod-gc/passes-in-play.ts';
import { attachDetach } from '../../controllers/volumes/attachdetach.ts';
import { persistentVolumeReclaim } from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { resourceClaim } from '../../controllers/volumes/resourceclaim.ts';
import { adoption } from '../../controllers/workloads/adoption.ts';
import { controllerRevisionHistory } from '../../controllers/workloads/controllerrevision-history.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import { statefulSetPvcRetention } from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { workloadPods } from '../../controllers/workloads/workload-pods.ts';
import { type SimulatedPass, simulatedPass } from './pass-run.ts';
import { type SimulatedSync, simulatedSyncs } from './sync-run.ts';

/** Controllers that look at all objects of their kinds, in passes or at times that they know in advance. */
const passControllers: readonly PassController[] = [
  podGcInPlay,
  cronJobHistory,
  csrCleaner,
  podCertificateRequestCleaner,
  legacyServiceAccountTokenCleaner,
  nodeWatch,
  ...leaseCollections,
];

/** Controllers that clean up whenever something of theirs changes. */
const syncControllers: readonly SimulatedSync[] = [
  adoption,
  replicaSetHistory,
  controllerRevisionHistory,
  statefulSetPvcRetention,
  workloadPods,
  persistentVolumeReclaim,
  attachDetach,
  endpointSlice,
  ipAddressRepair,
  serviceAccountToken,
  bootstrapTokenCleaner,
  ttlAfterFinished,
  jobController,
  resourceClaim,
  taintEviction,
  deviceTaintEviction,
  cloudNode,
  protectionController,
].flatMap(simulatedSyncs);

/** The controllers other than the garbage collector that simulations run. */
export const simulatedControllers: readonly (SimulatedPass | SimulatedSync)[] = [
  ...passControllers.map(simulatedPass),
  ...syncControllers,
];

/** Which objects may act on each other, whatever has happened to them. */
export const linksOfControllers: readonly ControllerLinks[] = [
  ...syncControllers.flatMap(({ syncs, links }) => (links ? [{ kinds: [syncs], links }] : [])),
  ...passControllers.flatMap(({ reads, links }) =>
    links ? [{ kinds: reads.slice(0, 1), links }] : [],
  ),
];

/** Objects of one of these groups are judged together. Pods that have ended are only where there are too many of them. */
export const groupsOfControllers: readonly NonNullable<PassController['groupOf']>[] =
  passControllers.flatMap(({ groupOf, id }) => (groupOf && id !== podGcInPlay.id ? [groupOf] : []));
