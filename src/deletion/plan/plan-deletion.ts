import { unreadEntries } from '../../delivery/unread-entries.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  compareObjects,
  fullNameOf,
  type ObjectReference,
  objectKey,
} from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import { kindsNotInInput } from '../../snapshot/graph/kinds-not-in-input.ts';
import { isolated } from '../../snapshot/isolated.ts';
import { headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import type { RemarkInput } from '../remarks/remark-input.ts';
import { remarksOf } from '../remarks/remarks.ts';
import { availabilityOf } from './availability.ts';
import type {
  DeletionIntent,
  Plan,
  PlanContext,
  PlanEvidence,
  Planned,
  PlannedObject,
  PlanRefusal,
} from './plan.ts';
import { isContainer, type PlanRow, planRows } from './plan-rows.ts';
import { canDisappear, disappears, serverRefuses, unreadContentOf } from './plan-totals.ts';
import { type PlayedDeletion, playDeletion } from './play/play-deletion.ts';
import { takenAlong } from './play/plays.ts';
import { clusterAfter } from './recreation.ts';
import { usesAfter } from './uses-after.ts';

/**
 * The requests that delete these objects, and all their consequences: the deletion is played on the snapshot, and the same
 * time without the deletion; the difference is the plan.
 */
export function planDeletion(
  snapshot: Snapshot,
  intent: DeletionIntent,
  context: PlanContext,
): Plan {
  return planPlayed(snapshot, playDeletion(snapshot, intent, context), intent, context);
}

export function planPlayed(
  whole: Snapshot,
  played: PlayedDeletion,
  intent: DeletionIntent,
  context: PlanContext,
): Plan {
  const { scope, plays, requests, targets } = played;
  const unreadContent = unreadContentOf(scope.snapshot);
  const after = clusterAfter([...plays.held.objects, ...scope.others]);
  const rows = planRows(played, context, unreadContent, after);
  const uses = usesAfter(whole, rows);
  const objects = new Map(
    rows.map(({ object, planned }) => [object.key, withUsers(planned, uses.get(object)?.by)]),
  );
  const disappearing = rows
    .filter(({ planned }) => canDisappear(planned))
    .map(({ object }) => object);
  const keys = new Set(disappearing.map(({ key }) => key));
  const refusals = serverRefusals(played);
  const availability = availabilityOf(whole.records, (record) => keys.has(objectKey(record)));
  const { coverage, apiVersion } = headOf('Plan', whole, [
    ...plays.held.problems,
    ...unreadDependents(
      scope.snapshot,
      disappearing.map(({ record }) => record),
      intent,
    ),
  ]);
  return {
    apiVersion,
    kind: 'Plan',
    cluster: context.cluster,
    createdAt: timestampOf(context.now),
    requests,
    objects: inPlanOrder(objects, targets),
    remarks: remarksOf(remarkInput(rows, { intent, context, played, after, unreadContent, uses })),
    undetermined: undeterminedAmong(objects, played),
    ...(refusals.length > 0 && { refusals }),
    ...(availability && { availability }),
    coverage,
  };
}

function withUsers(planned: PlannedObject, usedBy: readonly ObjectReference[] = []): PlannedObject {
  return usedBy.length === 0 ? planned : { ...planned, usedBy };
}

/** The kinds and the lists of delivery tools that were not read, and may contain objects that are deleted as well. */
function unreadDependents(
  snapshot: Snapshot,
  disappearing: readonly ObjectRecord[],
  { policy, targets }: DeletionIntent,
) {
  // Orphan keeps all dependents, but not the content of a namespace or a definition.
  const isKeeping = policy === 'Orphan' && !targets.some(isContainer);
  return [
    ...kindsNotInInput(snapshot, isKeeping ? [] : disappearing, true),
    ...unreadEntries(snapshot, disappearing),
  ];
}

/** The ends that depend on an uncontrolled order, but not those of content that is deleted with its namespace anyway. */
function undeterminedAmong(
  objects: ReadonlyMap<string, PlannedObject>,
  { requests, plays, targets }: PlayedDeletion,
): Undetermined[] {
  const isTakenAlong = takenAlong(requests, plays.held);
  return plays.held.undetermined
    .filter(({ object }) => {
      const key = objectKey(object);
      return objects.has(key) && (targets.has(key) || !isTakenAlong(object));
    })
    .sort((a, b) => compareObjects(a.object, b.object));
}

type SharedInput = Pick<
  RemarkInput,
  'intent' | 'context' | 'played' | 'after' | 'unreadContent' | 'uses'
>;

function remarkInput(rows: readonly PlanRow[], shared: SharedInput): RemarkInput {
  const isGoing = ({ object: { ends, record }, planned }: PlanRow) =>
    (!ends.held && shared.unreadContent(record).length > 0) || disappears(planned);
  const planned = new Map(rows.map((row) => [row.object, row.planned]));
  const going = rows.filter(isGoing).map(({ object }) => object);
  const byKind = Map.groupBy(going, ({ record }) => groupResourceOf(record.type));
  return {
    ...shared,
    snapshot: shared.played.scope.snapshot,
    fateOf: (object) => planned.get(object)?.fate ?? 'unknown',
    lastFateOf: (object) => {
      const { fate = 'unknown', then = fate } = planned.get(object) ?? {};
      return then;
    },
    recreations: new Map(
      rows.flatMap(({ object, remade }) => (remade ? [[object, remade] as const] : [])),
    ),
    going,
    goingOf: (resource) => byKind.get(resource) ?? [],
  };
}

/** The targets that the API server refuses to delete, each by itself. */
function serverRefusals({ refused, touched }: PlayedDeletion): PlanRefusal[] {
  if (refused.size === 0) return [];
  return touched.flatMap(({ record: { uid }, identity: object, isTarget }) => {
    const words = isTarget ? refused.get(uid) : undefined;
    if (words === undefined) return [];
    const message = `${serverRefuses}: ${fullNameOf(object)}: ${words}`;
    return [{ code: 'refused-by-server', object, message, suggestions: [] }];
  });
}

/** The targets as they were named, then wave by wave. */
export function inPlanOrder<T extends ObjectReference & { readonly wave: number }>(
  planned: ReadonlyMap<string, T>,
  targets: ReadonlySet<string>,
): T[] {
  const first = [...targets].flatMap((key) => planned.get(key) ?? []);
  const rest: T[] = [];
  for (const [key, object] of planned) if (!targets.has(key)) rest.push(object);
  return [...first, ...rest.sort((a, b) => a.wave - b.wave || compareObjects(a, b))];
}

/** The plan of a deletion from what was read for it. */
export function planFrom<Evidence extends PlanEvidence>(
  evidence: Evidence,
  how: Omit<DeletionIntent, 'targets'>,
): Evidence & Pick<Planned, 'plan'> {
  const { snapshot, targets, context } = evidence;
  const plan = isolated(snapshot, (known, same) =>
    planDeletion(known, { ...how, targets: same(targets) }, context),
  );
  return { ...evidence, plan };
}
