import type { AuditRule } from './audit-rule.ts';
import { claimRetentionMismatch } from './claim-retention-mismatch.ts';
import { cronJobHistoryLimit } from './cronjob-history-limit.ts';
import { endedPodsThreshold } from './ended-pods-threshold.ts';
import { ineffectiveImageGc } from './ineffective-image-gc.ts';
import { nodeGoneInCloud } from './node-gone-in-cloud.ts';
import { orphanedClaim } from './orphaned-claim.ts';
import { orphanedEndpointSlice } from './orphaned-endpointslice.ts';
import { orphanedNodeLease } from './orphaned-node-lease.ts';
import { orphanedReplicaSet } from './orphaned-replicaset.ts';
import { outOfServiceNode } from './out-of-service-node.ts';
import { overdueCsr } from './overdue-csr.ts';
import { podOnMissingNode } from './pod-on-missing-node.ts';
import { releasedVolume } from './released-volume.ts';
import { sharedSelector } from './shared-selector.ts';
import { takenEphemeralClaim } from './taken-ephemeral-claim.ts';
import { tokenOfGoneServiceAccount } from './token-of-gone-serviceaccount.ts';
import { undeletableVolume } from './undeletable-volume.ts';
import { unusedLegacyToken } from './unused-legacy-token.ts';

/** What the controllers that clean up leave, or will take: in the order in which it is documented. */
export const cleanUpRules: readonly AuditRule[] = [
  orphanedReplicaSet,
  orphanedEndpointSlice,
  orphanedClaim,
  takenEphemeralClaim,
  cronJobHistoryLimit,
  endedPodsThreshold,
  podOnMissingNode,
  outOfServiceNode,
  releasedVolume,
  undeletableVolume,
  overdueCsr,
  orphanedNodeLease,
  nodeGoneInCloud,
  tokenOfGoneServiceAccount,
  unusedLegacyToken,
  sharedSelector,
  claimRetentionMismatch,
  ineffectiveImageGc,
];
