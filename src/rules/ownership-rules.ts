import type { AuditRule } from './audit-rule.ts';
import { blockedForegroundDeletion } from './blocked-foreground-deletion.ts';
import { collectorWithoutLeader } from './collector-without-leader.ts';
import { crowdedOwner } from './crowded-owner.ts';
import { doomedDependents } from './doomed-dependents.ts';
import { finalizerWithoutController } from './finalizer-without-controller.ts';
import { frozenObject } from './frozen-object.ts';
import { missingBlockOwnerDeletion } from './missing-block-owner-deletion.ts';
import { oversizedOwnerReferences } from './oversized-owner-references.ts';
import { stuckNamespace } from './stuck-namespace.ts';
import { stuckObject } from './stuck-object.ts';
import { unavailableApi } from './unavailable-api.ts';
import { unlistableKind } from './unlistable-kind.ts';
import { unownedPile } from './unowned-pile.ts';

/** What becomes of whole trees, deletions that do not end, and the collector itself: in the order in which it is documented. */
export const ownershipRules: readonly AuditRule[] = [
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
  oversizedOwnerReferences,
  crowdedOwner,
  unownedPile,
];
