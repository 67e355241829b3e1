import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { Need } from '../kinds/manifest-needs.ts';
import type { RestoreOptions } from '../kinds/restored-kind.ts';
import type { RelinkContext } from '../relink/relink.ts';
import type { Decision } from './not-restored.ts';
import type { RelinkedReference } from './restoration.ts';

export interface PlanRestorationOptions extends RestoreOptions, Pick<RelinkContext, 'sameCluster'> {
  /** The objects were deleted: their finalizers have run. */
  readonly deleted: boolean;
  /** Of which these are a part. */
  readonly all?: readonly SavedObject[];
  /** They were saved before a fix: a reference that is missing was removed by it. */
  readonly isOfFix?: boolean | undefined;
}

/** What is decided by; what is to come changes meanwhile. */
export interface PlanningContext extends RelinkContext, PlanRestorationOptions {
  readonly toCome: Map<string, SavedObject>;
  /** By key. */
  readonly drafts: Map<string, Draft>;
  /** Keys of all that was saved. */
  readonly inBackup: ReadonlySet<string>;
}

export interface Draft {
  readonly saved: SavedObject;
  readonly needs: readonly Need[];
  decision: Decision;
  references: readonly RelinkedReference[];
}

export function wasTerminating(at: ObjectLocation, { drafts }: PlanningContext): boolean {
  return drafts.get(locationKey(at))?.decision.wasTerminating === true;
}
