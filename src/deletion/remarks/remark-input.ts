import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  compareObjects,
  type ObjectReference,
  objectKey,
  referenceTo,
} from '../../kube/object-reference.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeletionIntent, Fate, PlanContext } from '../plan/plan.ts';
import type { UnreadContent } from '../plan/plan-totals.ts';
import type { PlayedDeletion } from '../plan/play/play-deletion.ts';
import type { TouchedObject } from '../plan/play/touched-objects.ts';
import type { ClusterAfter, Recreation } from '../plan/recreation.ts';
import type { UsesAfter } from '../plan/uses-after.ts';

/** What remarks are made from. */
export interface RemarkInput {
  readonly snapshot: Snapshot;
  readonly intent: DeletionIntent;
  readonly context: Pick<
    PlanContext,
    | 'customResourcesElsewhere'
    | 'endedPodsUnread'
    | 'finalizerPrograms'
    | 'roleBindings'
    | 'settings'
    | 'webhooksAndApiServices'
  >;
  readonly played: PlayedDeletion;
  readonly after: ClusterAfter;
  readonly fateOf: (object: TouchedObject) => Fate;
  /** Once all blockers are removed. */
  readonly lastFateOf: (object: TouchedObject) => Fate;
  /** Objects that a controller or a tool recreates. */
  readonly recreations: ReadonlyMap<TouchedObject, Recreation>;
  /** Touched, and gone or about to go, as far as could be read. */
  readonly going: readonly TouchedObject[];
  /** Of these, what is of a kind, as in `jobs.batch`. */
  readonly goingOf: (resource: string) => readonly TouchedObject[];
  readonly unreadContent: UnreadContent;
  readonly uses: UsesAfter;
}

/** Keys of the objects that are deleted with a propagation policy. */
export function deletedWith(
  { plays }: PlayedDeletion,
  wanted: 'Foreground' | 'Orphan',
): ReadonlySet<string> {
  return new Set(
    plays.held.steps.flatMap(({ policy, object }) =>
      policy === wanted ? [objectKey(object)] : [],
    ),
  );
}

/** `Pod web-1, Pod web-2, Pod web-3 and 7 more`. */
export function namesOf(objects: readonly ObjectReference[]): string {
  return firstOf(objects.map(({ kind, name }) => `${kind} ${name}`));
}

/** `Secret a`, `5 Secrets (a, b, c and 2 more)`; all are of one kind. */
export function countedNames(objects: readonly ObjectReference[]): string {
  const [first] = objects;
  if (!first || objects.length === 1) return namesOf(objects);
  return `${counted(objects.length, first.kind)} (${firstOf(objects.map(({ name }) => name))})`;
}

export function identitiesOf(records: Iterable<ObjectRecord>): ObjectReference[] {
  return [...records].map(referenceTo).sort(compareObjects);
}
