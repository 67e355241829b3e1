import { orphanedJobPods } from './jobs.ts';
import {
  eventOwner,
  namespacedOwnerOfClusterObject,
  unservedOwnerKind,
  unservedOwnerVersion,
} from './owner-kinds.ts';
import {
  crossNamespaceOwner,
  missingOwner,
  ownerKindMismatch,
  ownerNameMismatch,
  ownerUidMismatch,
} from './owner-mismatch.ts';
import { ownershipCycle, selfOwner } from './ownership-rings.ts';
import type { ReferenceRule } from './reference-findings.ts';
import { duplicateUid, severalControllers } from './reference-lists.ts';

/** The classes of wrong references, in the order in which they are documented. */
export const referenceRules: readonly ReferenceRule[] = [
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
