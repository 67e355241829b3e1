import type { Rule } from './reference-rule.ts';
import { crossNamespaceOwner } from './references/cross-namespace-owner.ts';
import { duplicateUid } from './references/duplicate-uid.ts';
import { eventOwner } from './references/event-owner.ts';
import { missingOwner } from './references/missing-owner.ts';
import { namespacedOwnerOfClusterObject } from './references/namespaced-owner-of-cluster-object.ts';
import { orphanedJobPods } from './references/orphaned-job-pods.ts';
import { ownerKindMismatch } from './references/owner-kind-mismatch.ts';
import { ownerNameMismatch } from './references/owner-name-mismatch.ts';
import { ownerUidMismatch } from './references/owner-uid-mismatch.ts';
import { ownershipCycle } from './references/ownership-cycle.ts';
import { selfOwner } from './references/self-owner.ts';
import { severalControllers } from './references/several-controllers.ts';
import { unservedOwnerKind } from './references/unserved-owner-kind.ts';
import { unservedOwnerVersion } from './references/unserved-owner-version.ts';

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
