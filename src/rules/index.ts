import { crossNamespaceOwner } from './cross-namespace-owner.ts';
import { duplicateUid } from './duplicate-uid.ts';
import { eventOwner } from './event-owner.ts';
import { missingOwner } from './missing-owner.ts';
import { namespacedOwnerOfClusterObject } from './namespaced-owner-of-cluster-object.ts';
import { orphanedJobPods } from './orphaned-job-pods.ts';
import { ownerKindMismatch } from './owner-kind-mismatch.ts';
import { ownerNameMismatch } from './owner-name-mismatch.ts';
import { ownerUidMismatch } from './owner-uid-mismatch.ts';
import { ownershipCycle } from './ownership-cycle.ts';
import type { Rule } from './rule.ts';
import { selfOwner } from './self-owner.ts';
import { severalControllers } from './several-controllers.ts';
import { unservedOwnerKind } from './unserved-owner-kind.ts';
import { unservedOwnerVersion } from './unserved-owner-version.ts';

/** The classes of wrong references, in the order in which they are documented. */
export const referenceRules: readonly Rule[] = [
  missingOwner,
  ownerUidMismatch,
  ownerNameMismatch,
  ownerKindMismatch,
  crossNamespaceOwner,
  namespacedOwnerOfClusterObject,
  unservedOwnerKind,
  unservedOwnerVersion,
  severalControllers,
  duplicateUid,
  selfOwner,
  ownershipCycle,
  orphanedJobPods,
  eventOwner,
];
