import type { Rule } from '../rule.ts';
import { claimRetentionMismatch, orphanedClaim } from './claims.ts';
import { overdueCsr } from './credentials.ts';
import { doomedDependents } from './doomed-dependents.ts';
import { collectorWithoutLeader, unavailableApi, unlistableKind } from './garbage-collector.ts';
import { guardWithoutPod } from './guard.ts';
import { finishedJobWithoutTtl } from './jobs.ts';
import { hardCodedOwner, missingNamespace, unservedKind } from './manifests.ts';
import { orphanedNodeLease, outOfServiceNode } from './nodes.ts';
import { endedPodsThreshold, podOnMissingNode } from './pods.ts';
import { referenceRules } from './reference-rules.ts';
import { finalizerWithoutController, stuckObject } from './stuck-objects.ts';
import { releasedVolume, undeletableVolume } from './volumes.ts';
import { orphanedReplicaSet, sharedSelector } from './workloads.ts';

/** Whole trees, deletions that do not end, the garbage collector itself, what controllers leave behind or will delete, and manifests alone. */
export const clusterRules: readonly Rule[] = [
  doomedDependents,
  stuckObject,
  finalizerWithoutController,
  unavailableApi,
  unlistableKind,
  collectorWithoutLeader,
  guardWithoutPod,
  finishedJobWithoutTtl,
  orphanedReplicaSet,
  orphanedClaim,
  endedPodsThreshold,
  podOnMissingNode,
  outOfServiceNode,
  releasedVolume,
  undeletableVolume,
  overdueCsr,
  orphanedNodeLease,
  sharedSelector,
  claimRetentionMismatch,
  hardCodedOwner,
];

/** What `audit --against-cluster` looks for in manifests besides wrong references. */
export const manifestRules: readonly Rule[] = [unservedKind, missingNamespace];

/** Every rule that there is, in the order in which they are documented. */
export const allRules: readonly Rule[] = [...referenceRules, ...clusterRules, ...manifestRules];
