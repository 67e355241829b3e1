import { nameOfTool, verbOfTool } from '../../delivery/tools.ts';
import { isToolRead } from '../../delivery/unread-entries.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeServedBy } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import type { ProgramsSeen } from '../../programs/program-life.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import { fatesIn, reclaimedBy, type Verdict } from './fates.ts';
import { programsSeen, removersIn } from './finalizer-programs.ts';
import type { Fate, PlanContext, PlannedObject, Wait } from './plan.ts';
import { canDisappear, disappearsOnceReleased, type UnreadContent } from './plan-totals.ts';
import type { PlayedDeletion } from './play/play-deletion.ts';
import { type TouchedObject, wavesOf } from './play/touched-objects.ts';
import { type ClusterAfter, clusterAfter, type Recreation, recreationOf } from './recreation.ts';
import { waitsAmong } from './waits.ts';

/** All that a plan says of one object, and what it says it by. */
export interface PlanRow {
  readonly object: TouchedObject;
  readonly planned: PlannedObject;
  /** Who recreates it, if it is deleted. */
  readonly remade: Recreation | undefined;
}

/** `after`: the cluster after the deletion, while all blockers stay. */
export function planRows(
  played: PlayedDeletion,
  context: PlanContext,
  unreadContent: UnreadContent,
  after: ClusterAfter,
): PlanRow[] {
  const { waves, causes } = wavesOf(played.touched);
  const programs = programsSeen(played.scope.snapshot, context.finalizerPrograms, context.now);
  const reclaimed = reclaimedBy(programs);
  const verdictsIn = (which: 'held' | 'released') => {
    const verdictOf = fatesIn(which, played, unreadContent);
    return (object: TouchedObject) => reclaimed(object.record, verdictOf(object));
  };
  const verdictOf = verdictsIn('held');
  const laterFateOf = laterFates(played, programs, verdictsIn);
  const recreationFor = recreations(played, context, after);
  return played.touched.map((object): PlanRow => {
    context.goOn?.();
    const { fate: held, because: why, ...reason } = verdictOf(object);
    const later = laterFateOf(object, held);
    const { then: released } = later;
    const remade = recreationFor(object, held, released);
    const isRemade = remade !== undefined && remade.doubt === undefined;
    const isRemadeLater = isRemade && released === 'deleted';
    const then = isRemadeLater ? 'recreated' : released;
    const tool = deletingTool(object, played, released !== undefined);
    const goesWith = causes.get(object)?.record.uid;
    const servesNode = nodeServedBy(object.record);
    const planned: PlannedObject = {
      ...object.identity,
      wave: waves.get(object) ?? 0,
      ...(goesWith && { goesWith }),
      fate: isRemade && !isRemadeLater ? 'recreated' : held,
      ...(then && { then }),
      ...(later.waitsFor && { waitsFor: later.waitsFor }),
      ...((later.likely || tool) && { likely: true as const }),
      ...(servesNode && { servesNode }),
      because: [
        ...(tool
          ? [`${nameOfTool(tool)} ${verbOfTool(tool)} it, and deletes it with itself`]
          : [why, ...(isRemade ? [`${remade.who} makes another`] : [])]),
        ...(later.because === undefined ? [] : [later.because]),
      ].join('; '),
      ...reason,
    };
    return { object, planned, remade };
  });
}

/** The delivery tool that deletes an object with its own, if one does. */
function deletingTool(
  { key, isTarget }: TouchedObject,
  { assumed }: PlayedDeletion,
  hasLaterFate: boolean,
): ObjectRecord | undefined {
  const deletion = assumed.toolDeletions.get(key);
  return hasLaterFate || (deletion?.isLate && !isTarget) ? deletion?.tool : undefined;
}

/** The fate of an object after all of its blockers are removed; empty if it is the same. */
interface LaterFate extends Pick<PlannedObject, 'then' | 'waitsFor' | 'likely'> {
  /** Who may delete it then, and after what. */
  readonly because?: string;
}

function laterFates(
  { scope, touched, assumed }: PlayedDeletion,
  programs: ProgramsSeen,
  verdictsIn: (which: 'released') => (object: TouchedObject) => Verdict,
): (object: TouchedObject, held: Fate) => LaterFate {
  const { strippedFinalizers, silentNodeOfPod, liftedRefusals } = assumed;
  if (strippedFinalizers.size + silentNodeOfPod.size + liftedRefusals.size === 0) return () => ({});
  const verdictOf = verdictsIn('released');
  const leaving = new Set(
    touched.flatMap(({ record, ends: { held } }) =>
      !held || isBeingDeleted(held) ? record.uid : [],
    ),
  );
  const removerOf = removersIn(programs, ({ uid }) => leaving.has(uid));
  const waits = waitsAmong(touched, assumed, removerOf, scope.snapshot.types.failed);
  return (object, held) => {
    const { fate: then, likely, because } = verdictOf(object);
    const known = waits.of(object);
    // What is deleted only then is named even where it is not known which of the removals leads to it.
    const isReached = canDisappear({ fate: held })
      ? disappearsOnceReleased({ then })
      : canDisappear({ fate: then });
    const waitsFor = known.length === 0 && isReached ? waits.all() : known;
    if (waitsFor.length === 0) return {};
    if (then === held || held === 'deleted' || held === 'recreated') return {};
    const isOpen = likely || then === 'unknown';
    return {
      then,
      waitsFor,
      ...(likely && { likely }),
      ...(isOpen && { because: `${whenOver(waitsFor)}: ${because}` }),
    };
  };
}

function whenOver(waits: readonly Wait[]): string {
  const parts = [
    ...(waits.some((wait) => 'finalizer' in wait)
      ? ['the finalizers that it waits for are removed']
      : []),
    ...(waits.some((wait) => 'kubelet' in wait) ? ['these Pods stopped'] : []),
    ...(waits.some((wait) => 'api' in wait) ? ['all APIs answer'] : []),
    ...(waits.some((wait) => 'webhook' in wait) ? ['admission accepts its deletion'] : []),
  ];
  return `when ${parts.join(' and ')}`;
}

/** Who recreates an object that is deleted, immediately or later. Nothing is recreated in a container that is deleted. */
function recreations(played: PlayedDeletion, { now }: PlanContext, after: ClusterAfter) {
  const { scope, plays, touched } = played;
  const afterReleased =
    plays.released === plays.held
      ? after
      : clusterAfter([...plays.released.objects, ...scope.others]);
  const input = {
    isEnabled: scope.isEnabled,
    coversNode: readCoverageOf(scope.snapshot).coversNode,
    now,
    types: scope.snapshot.types,
    isToolRead: isToolRead(scope.snapshot),
  };
  const isInEnding = endingContainers(scope.records, touched);
  return (
    { record }: TouchedObject,
    held: Fate,
    released: Fate | undefined,
  ): Recreation | undefined => {
    const isLate = released === 'deleted';
    if ((held !== 'deleted' && !isLate) || isInEnding(record)) return undefined;
    const tools = scope.deliveries.above(record);
    return recreationOf(record, isLate ? afterReleased : after, { ...input, tools });
  };
}

/** Is an object in a namespace, or of a definition, that is being deleted or will be? */
function endingContainers(
  records: readonly ObjectRecord[],
  touched: readonly TouchedObject[],
): (record: ObjectRecord) => boolean {
  const deleted = touched.flatMap(({ record, ends: { held, released } }) =>
    !held || isBeingDeleted(held) || !released ? [record] : [],
  );
  const ending = [...deleted, ...records.filter(isBeingDeleted)].filter(isContainer);
  const keys = new Set(ending.map(({ type, name }) => `${type.kind} ${name}`));
  return ({ namespace, type }) =>
    keys.has(`Namespace ${namespace}`) ||
    keys.has(`CustomResourceDefinition ${groupResourceOf(type)}`);
}

export function isContainer(record: ObjectRecord): boolean {
  return isNamespace(record) || isCustomResourceDefinition(record);
}
