import type { AuditRule } from './audit-rule.ts';
import { blockedForegroundDeletion } from './objects/blocked-foreground-deletion.ts';
import { claimRetentionMismatch } from './objects/claim-retention-mismatch.ts';
import { collectorWithoutLeader } from './objects/collector-without-leader.ts';
import { cronJobHistoryLimit } from './objects/cronjob-history-limit.ts';
import { doomedDependents } from './objects/doomed-dependents.ts';
import { endedPodsThreshold } from './objects/ended-pods-threshold.ts';
import { finalizerWithoutController } from './objects/finalizer-without-controller.ts';
import { finishedJobWithoutTtl } from './objects/finished-job-without-ttl.ts';
import { frozenObject } from './objects/frozen-object.ts';
import { ineffectiveImageGc } from './objects/ineffective-image-gc.ts';
import { missingBlockOwnerDeletion } from './objects/missing-block-owner-deletion.ts';
import { missingNamespace } from './objects/missing-namespace.ts';
import { nodeGoneInCloud } from './objects/node-gone-in-cloud.ts';
import { orphanedClaim } from './objects/orphaned-claim.ts';
import { orphanedEndpointSlice } from './objects/orphaned-endpointslice.ts';
import { orphanedNodeLease } from './objects/orphaned-node-lease.ts';
import { orphanedReplicaSet } from './objects/orphaned-replicaset.ts';
import { outOfServiceNode } from './objects/out-of-service-node.ts';
import { overdueCsr } from './objects/overdue-csr.ts';
import { podOnMissingNode } from './objects/pod-on-missing-node.ts';
import { releasedVolume } from './objects/released-volume.ts';
import { sharedSelector } from './objects/shared-selector.ts';
import { stuckNamespace } from './objects/stuck-namespace.ts';
import { stuckObject } from './objects/stuck-object.ts';
import { unavailableApi } from './objects/unavailable-api.ts';
import { undeletableVolume } from './objects/undeletable-volume.ts';
import { unlistableKind } from './objects/unlistable-kind.ts';
import { unservedKind } from './objects/unserved-kind.ts';
import { unusedLegacyToken } from './objects/unused-legacy-token.ts';

/**
 * Whole trees, deletions that do not end, and the garbage collector itself: in the order in which
 * it is documented.
 */
const ownershipRules: readonly AuditRule[] = [
  doomedDependents,
  frozenObject,
  blockedForegroundDeletion,
  stuckObject,
  stuckNamespace,
  finalizerWithoutController,
  unavailableApi,
  unlistableKind,
  collectorWithoutLeader,
  missingBlockOwnerDeletion,
];

/**
 * What controllers leave behind or will delete: in the order in which it is documented.
 * @internal
 */
export const cleanUpRules: readonly AuditRule[] = [
  orphanedReplicaSet,
  orphanedEndpointSlice,
  orphanedClaim,
  cronJobHistoryLimit,
  endedPodsThreshold,
  podOnMissingNode,
  outOfServiceNode,
  releasedVolume,
  undeletableVolume,
  overdueCsr,
  orphanedNodeLease,
  nodeGoneInCloud,
  unusedLegacyToken,
  sharedSelector,
  claimRetentionMismatch,
  ineffectiveImageGc,
];

/** What `audit` looks for besides wrong references, in the order in which it is documented. */
export const auditRules: readonly AuditRule[] = [
  ...ownershipRules,
  finishedJobWithoutTtl,
  ...cleanUpRules,
];

/** What `audit --against-cluster` looks for in manifests besides wrong references. */
export const manifestRules: readonly AuditRule[] = [unservedKind, missingNamespace];
