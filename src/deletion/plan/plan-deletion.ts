import { nameOfTool, verbOfTool } from '../../delivery/tools.ts';
import { isToolRead, unreadEntries } from '../../delivery/unread-entries.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import {
  compareObjects,
  fullNameOf,
  type ObjectReference,
  objectKey,
} from '../../kube/object-reference.ts';
import { nodeServedBy } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import { kindsNotInInput } from '../../snapshot/graph/kinds-not-in-input.ts';
import { headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import { remarksOf } from '../remarks/remarks.ts';
import { availabilityOf } from './availability.ts';
import { fatesOf, serverRefuses } from './fates.ts';
import { programsSeen, removersIn } from './finalizer-programs.ts';
import { goesThen, goingFates, mayGo, type UnreadContent, unreadContentOf } from './going.ts';
import type {
  DeletionIntent,
  Fate,
  Plan,
  PlanContext,
  PlannedObject,
  PlanRefusal,
  Wait,
} from './plan.ts';
import { type PlayedDeletion, playDeletion } from './play-deletion.ts';
import { clusterAfter, type Recreation, recreationOf } from './recreation.ts';
import { type TouchedObject, takenAlong, wavesOf } from './touched-objects.ts';
import { waitsAmong } from './waits.ts';

/**
 * The requests that delete these objects, and all their consequences: the deletion is played on the snapshot, and the same
 * time without the deletion; the difference is the plan.
 */
export function planDeletion(
  snapshot: Snapshot,
  intent: DeletionIntent,
  context: PlanContext,
): Plan {
  return planOf(snapshot, intent, context).plan;
}

/** The same, with what was played, for another plan of the same objects. */
export function planOf(
  whole: Snapshot,
  intent: DeletionIntent,
  context: PlanContext,
  before?: PlayedDeletion,
): { readonly plan: Plan; readonly played: PlayedDeletion } {
  const played = playDeletion(whole, intent, context, before);
  const { snapshot, requests, targets, touched, isEnabled } = played;
  const { waves, causes } = wavesOf(touched);
  const unreadContent = unreadContentOf(snapshot);
  const verdictOf = fatesOf(played, unreadContent);
  const endOf = lastFates(played, snapshot, context, unreadContent);
  const leftOf = ({ objects }: Simulation) => clusterAfter([...objects, ...played.others]);
  const after = leftOf(played.with);
  const atLast = played.then === played.with ? after : leftOf(played.then);
  const known = {
    isEnabled,
    coversNode: readCoverageOf(snapshot).coversNode,
    now: context.now,
    types: snapshot.types,
    isToolRead: isToolRead(snapshot),
  };
  const isEnding = endingHomes(played);
  const recreations = new Map<TouchedObject, Recreation>();
  const planned = new Map<string, PlannedObject>();
  for (const object of touched) {
    let verdict = verdictOf(object);
    const end = endOf(object, verdict.fate);
    const isLate = end.ending?.then === 'deleted';
    const recreation =
      (verdict.fate === 'deleted' || isLate) && !isEnding(object.record)
        ? recreationOf(object.record, isLate ? atLast : after, {
            ...known,
            tools: played.deliveries.above(object.record),
          })
        : undefined;
    if (recreation) recreations.set(object, recreation);
    const isRemade = recreation !== undefined && recreation.doubt === undefined;
    if (isRemade) {
      const because = `${verdict.because}; ${recreation.who} makes another`;
      verdict = { ...verdict, ...(!isLate && { fate: 'recreated' }), because };
    }
    const { ending, later } = end;
    const delivered = played.delivered.get(object.key);
    const tool = (ending || (delivered?.isLate && !object.isTarget)) && delivered?.tool;
    const { fate, because, ...reason } = tool
      ? {
          ...verdict,
          because: `${nameOfTool(tool)} ${verbOfTool(tool)} it, and deletes it with itself`,
        }
      : verdict;
    const then: Fate | undefined = isLate && isRemade ? 'recreated' : ending?.then;
    const wave = waves.get(object) ?? 0;
    const goesWith = causes.get(object)?.record.uid;
    const servesNode = nodeServedBy(object.record);
    planned.set(object.key, {
      ...object.identity,
      wave,
      ...(goesWith && { goesWith }),
      fate,
      ...ending,
      ...(tool && { likely: true as const }),
      ...(then && { then }),
      ...(servesNode && { servesNode }),
      because: later ? `${because}; ${later}` : because,
      ...reason,
    });
  }
  const fateOf = ({ key }: TouchedObject) => planned.get(key)?.fate ?? 'unknown';
  const going = touched.filter(({ key, end, record }) => {
    const object = planned.get(key);
    if (!end && unreadContent(record).length > 0) return true;
    return object && (goingFates.has(object.fate) || goesThen(object));
  });
  const goingByKind = Map.groupBy(going, ({ record }) => groupResourceOf(record.type));
  const input = {
    snapshot,
    intent,
    context,
    played,
    after,
    fateOf,
    recreations,
    going,
    goingOf: (resource: string) => goingByKind.get(resource) ?? [],
    unreadContent,
  };
  const mayAllGo = touched.flatMap(({ key, record }) => {
    const object = planned.get(key);
    return object && mayGo(object) ? [record] : [];
  });
  const missing = [
    ...kindsNotInInput(snapshot, isLeaving(intent) ? [] : mayAllGo, true),
    ...unreadEntries(snapshot, mayAllGo),
  ];
  const { coverage, apiVersion } = headOf('Plan', whole, [...played.with.problems, ...missing]);
  const isTakenAlong = takenAlong(requests, played.with);
  const isOpen = ({ object }: Undetermined) =>
    planned.has(objectKey(object)) && (targets.has(objectKey(object)) || !isTakenAlong(object));
  const refusals = serverRefusals(
    played.refused,
    touched.filter(({ isTarget }) => isTarget),
  );
  const disappearing = new Set(mayAllGo.map(objectKey));
  const availability = availabilityOf(whole.records, (record) =>
    disappearing.has(objectKey(record)),
  );
  const plan: Plan = {
    apiVersion,
    kind: 'Plan',
    cluster: context.cluster,
    createdAt: timestampOf(context.now),
    requests,
    objects: inPlanOrder(planned, targets),
    remarks: remarksOf(input),
    undetermined: played.with.undetermined
      .filter(isOpen)
      .sort((a, b) => compareObjects(a.object, b.object)),
    ...(refusals.length > 0 && { refusals }),
    ...(availability && { availability }),
    coverage,
  };
  return { plan, played };
}

/** What the API server refuses of the targets, each by itself. */
function serverRefusals(
  refused: ReadonlyMap<string, string>,
  touched: readonly TouchedObject[],
): PlanRefusal[] {
  if (refused.size === 0) return [];
  return touched.flatMap(({ record: { uid }, identity: object }) => {
    const words = refused.get(uid);
    if (words === undefined) return [];
    const message = `${serverRefuses}: ${fullNameOf(object)}: ${words}`;
    return [{ code: 'refused-by-server', object, message, suggestions: [] }];
  });
}

interface LastFate {
  readonly ending?: Pick<PlannedObject, 'then' | 'waitsFor' | 'likely'>;
  /** When that is, and why it stays terminating even then, or who may delete it then. */
  readonly later?: string;
}

/** Orphan keeps all dependents, but not the content of a namespace or a definition. */
function isLeaving({ policy, targets }: DeletionIntent): boolean {
  return policy === 'Orphan' && !targets.some(hasContent);
}

/** The end of an object after all its blockers are removed, and these blockers; nothing if the end is the same. */
function lastFates(
  played: PlayedDeletion,
  snapshot: Snapshot,
  { now, programs }: PlanContext,
  unreadContent: UnreadContent,
): (object: TouchedObject, fate: Fate) => LastFate {
  const { touched, removed, confirmed } = played;
  if (removed.size + confirmed.size === 0) return () => ({});
  const verdictOf = fatesOf({ ...played, with: played.then }, unreadContent);
  const removerOf = removersIn(programsSeen(snapshot, programs, now));
  const waits = waitsAmong(touched, { removed, confirmed, removerOf });
  return (object, fate) => {
    const { fate: then, likely, because } = verdictOf({ ...object, end: object.last });
    const known = waits.of(object);
    // What is deleted only then is named even where it is not known which of the removals leads to it.
    const isReached = mayGo({ fate }) ? goesThen({ then }) : mayGo({ fate: then });
    const waitsFor = known.length === 0 && isReached ? waits.all() : known;
    if (waitsFor.length === 0) return {};
    if (then === fate || fate === 'deleted' || fate === 'recreated') return {};
    return likely
      ? { ending: { then, waitsFor, likely }, later: `${whenOver(waitsFor)}, ${because}` }
      : { ending: { then, waitsFor } };
  };
}

function whenOver(waits: readonly Wait[]): string {
  const parts = [
    ...(waits.some((wait) => 'finalizer' in wait)
      ? ['the finalizers that it waits for are removed']
      : []),
    ...(waits.some((wait) => 'kubelet' in wait) ? ['these Pods stopped'] : []),
  ];
  return `when ${parts.join(' and ')}`;
}

function hasContent(record: ObjectRecord): boolean {
  return isNamespace(record) || isCustomResourceDefinition(record);
}

/** Is an object in a namespace, or of a definition, that is being deleted or will be? Nothing is made there again. */
function endingHomes({ records, touched }: PlayedDeletion): (record: ObjectRecord) => boolean {
  const going = touched.flatMap(({ record, end, last }) =>
    !end || isBeingDeleted(end) || !last ? [record] : [],
  );
  const ending = [...going, ...records.filter(isBeingDeleted)].filter(hasContent);
  const keys = new Set(ending.map(({ type, name }) => `${type.kind} ${name}`));
  return ({ namespace, type }) =>
    keys.has(`Namespace ${namespace}`) ||
    keys.has(`CustomResourceDefinition ${groupResourceOf(type)}`);
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
