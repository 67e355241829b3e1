import type { ObjectRecord } from '../../../kube/object-record.ts';
import { objectKey, referenceTo } from '../../../kube/object-reference.ts';
import { knownNodeOf } from '../../../kube/pod-use.ts';
import { hour, minute } from '../../../kube/time.ts';
import { isNamespace, isNode, isPod } from '../../../kube/well-known-kinds.ts';
import { type BegunSimulation, beginSimulation } from '../../../simulator/simulate.ts';
import type { Simulation } from '../../../simulator/simulation.ts';
import type { Snapshot } from '../../../snapshot/snapshot.ts';
import type { DeletionIntent, PlanContext, PlannedRequest } from '../plan.ts';
import {
  type Assumptions,
  deletesLater,
  nothingAssumed,
  withAllReleased,
  withToolsGone,
} from './assumptions.ts';
import { type StrippedFinalizers, withoutFinalizers } from './blocking-finalizers.ts';
import { evictionsOpen } from './evictions-open.ts';
import { lateDeletionsOpen, mayAdopt, withOtherEnds, withWhatMayFollow } from './left-open.ts';
import { keepersAmong, keptBy, refusalsLifted } from './lifted-refusals.ts';
import {
  lateDeletions,
  lateRemovals,
  longestGracePeriod,
  plannedRequests,
  requestsOfTools,
  simulatedRequests,
} from './planned-requests.ts';
import { type Plays, takenAlong } from './plays.ts';
import { endedPodsOpen } from './pods-that-stay.ts';
import { playedRecords, type Scope, scopeOf } from './scope.ts';
import { type TouchedObject, touchedObjects } from './touched-objects.ts';

export interface PlayedDeletion {
  readonly scope: Scope;
  readonly requests: readonly PlannedRequest[];
  /** Targets without a request, by uid: why the API server refuses it. */
  readonly refused: ReadonlyMap<string, string>;
  /** Keys of the targets, in the order in which they were named. */
  readonly targets: ReadonlySet<string>;
  readonly plays: Plays;
  /** What is taken for done in `plays.released` alone. */
  readonly assumed: Assumptions;
  readonly touched: readonly TouchedObject[];
}

/** What plays of other requests for the same targets have in common with this one. */
type Baseline = Pick<PlayedDeletion, 'scope'> & { readonly plays: Pick<Plays, 'untouched'> };

/** What all plays of a deletion go by. */
interface PlayInput extends Pick<PlayedDeletion, 'scope' | 'requests' | 'refused' | 'targets'> {
  readonly intent: DeletionIntent;
  readonly context: PlanContext;
  /** The records that are played. */
  readonly records: readonly ObjectRecord[];
  /** Why the API server refuses to delete an object to every client, by uid. */
  readonly proven: ReadonlyMap<string, string>;
  /** What keeps others from their deletion, and might no longer. */
  readonly keepers: readonly ObjectRecord[];
  /** The longest time that the API server may wait for a kubelet, in milliseconds. */
  readonly longestGrace: number;
  readonly duration: number;
}

/** Plays requests for the targets. */
export function playDeletion(
  whole: Snapshot,
  intent: DeletionIntent,
  context: PlanContext,
  baseline?: Baseline,
): PlayedDeletion {
  const scope = baseline?.scope ?? scopeOf(whole, intent, context);
  const played = playInput(inputOf(scope, intent, context), baseline?.plays.untouched);
  const isTakenAlong = takenAlong(played.requests, played.plays.held);
  if ([...scope.content].every(isTakenAlong)) return played;
  return playInput(inputOf({ ...scope, content: new Set() }, intent, context));
}

function inputOf(scope: Scope, intent: DeletionIntent, context: PlanContext): PlayInput {
  const named = plannedRequests(intent);
  const proven = new Map([...scope.proven].map(([uid, { because }]) => [uid, because]));
  const refused = new Map([...proven, ...(intent.refused ?? [])]);
  const longestGrace = longestGracePeriod(scope.records, intent);
  return {
    scope,
    intent,
    context,
    requests: named.filter(({ uid }) => !refused.has(uid)),
    targets: new Set(named.map(objectKey)),
    refused,
    proven,
    records: playedRecords(scope),
    keepers: keepersAmong(scope.snapshot, scope.records, intent.targets),
    longestGrace,
    // An object that is removed may release others: a Pod its claim, and the claim its volume.
    duration: hour + 2 * longestGrace,
  };
}

function playInput(input: PlayInput, known?: Simulation): PlayedDeletion {
  const { scope, requests, refused, targets, records, intent } = input;
  const begin = beginningOf(input);
  // A rare order matters for what is asked for, not for what it is compared with.
  const from = () => withoutEvictions(records, intent.targets.filter(isNode));
  const untouched = known ?? begin([], { from: from(), kept: keptIn(input) }).inUsualOrders();
  const withFollowers = followersIn(input, begin, untouched);
  const { assumed: first, held } = playHeld(input, begin, withFollowers);

  const endingIn = (released: Simulation): Released => {
    const touched = touchedObjects(records, { untouched, held, released }, targets);
    return { released, touched };
  };
  const { assumed, played } = untilStable(
    first,
    (more): Released => {
      if (more === first) return endingIn(held);
      const begun = begin(requests, { assumed: more });
      return { ...endingIn(begun.inOneOrder()), begun };
    },
    (more, { released, touched }) => withAllReleased(more, touched, released.objects, scope),
  );
  const { released, touched } = played.begun
    ? endingIn(withFollowers(played.begun.inUsualOrders(), { assumed }))
    : played;
  return {
    scope,
    requests,
    refused,
    targets,
    plays: { untouched, held, released },
    assumed,
    touched: withContent(touched, scope),
  };
}

/** What stays as long as nothing is deleted: other objects may refuse it. */
function keptIn({ scope, keepers, context }: PlayInput): ReadonlyMap<string, string> {
  const kept = keptBy(scope.snapshot, keepers, context.settings, context.now);
  return new Map(kept.map(({ object, because }) => [object.uid, because]));
}

/** One of the plays that lead to the released one. */
interface Released {
  readonly released: Simulation;
  /** With this play as the released one. */
  readonly touched: readonly TouchedObject[];
  readonly begun?: BegunSimulation;
}

/** Plays the deletion while all blockers stay. `assumed`: the deletions of tools that this causes. */
function playHeld(
  { requests, records, scope, intent, context }: PlayInput,
  begin: Begin,
  withFollowers: WithFollowers,
): { readonly assumed: Assumptions; readonly held: Simulation } {
  const { assumed, played } = untilStable(
    nothingAssumed,
    (more) => {
      const begun = begin(requests, { assumed: more });
      return context.inUsualOrders ? begun.inUsualOrders() : begun.inAllOrders();
    },
    (more, { objects }) =>
      withToolsGone(more, records.filter(deletesLater), objects, scope.deliveries),
  );
  const followed = withFollowers(played, { assumed });
  if (!mayAdopt(intent)) return { assumed, held: followed };
  const options = { assumed, pause: Math.min(minute, hour / requests.length) };
  const paused = withFollowers(begin(requests, options).inOneOrder(), options);
  return { assumed, held: withOtherEnds(followed, paused) };
}

/** Plays again as long as the end of a play leads to more assumptions. */
function untilStable<Played>(
  first: Assumptions,
  play: (assumed: Assumptions) => Played,
  more: (assumed: Assumptions, played: Played) => Assumptions,
): { readonly assumed: Assumptions; readonly played: Played } {
  for (let assumed = first; ; ) {
    const played = play(assumed);
    const next = more(assumed, played);
    if (next === assumed) return { assumed, played };
    assumed = next;
  }
}

/** How one play differs from the others. */
interface PlayOptions {
  readonly assumed?: Assumptions;
  /** These are deleted when everything else is over. */
  readonly possiblyDeleted?: readonly ObjectRecord[];
  /** Finalizers that are removed beside those of `assumed`. */
  readonly stripped?: StrippedFinalizers;
  /** What is refused beside that, by uid. */
  readonly kept?: ReadonlyMap<string, string>;
  readonly from?: readonly ObjectRecord[];
  /** Milliseconds between two requests. */
  readonly pause?: number;
}

type Begin = (requests: readonly PlannedRequest[], options?: PlayOptions) => BegunSimulation;

/** Begins a play of requests. */
function beginningOf({
  scope,
  intent,
  context: { now, settings, goOn },
  records,
  proven: refused,
  longestGrace,
  duration,
}: PlayInput): Begin {
  return (requests, options = {}) => {
    const {
      assumed = nothingAssumed,
      possiblyDeleted = [],
      from = records,
      kept = [],
      pause = 0,
    } = options;
    const { strippedFinalizers, silentNodeOfPod, liftedRefusals } = assumed;
    const byTools = [...assumed.toolDeletions.values()];
    const sent = [
      ...simulatedRequests(requests, pause),
      ...requestsOfTools(byTools),
      ...lateRemovals(records, strippedFinalizers, longestGrace + minute),
      ...lateDeletions(possiblyDeleted, longestGrace + minute),
    ];
    const deleted = [...intent.targets, ...byTools.map(({ record }) => record)];
    const reach = withoutFinalizers(
      withoutFinalizers(from, strippedFinalizers),
      options.stripped ?? new Map(),
    );
    return beginSimulation(scope.snapshot, sent, settings, {
      now,
      duration,
      about: new Set(deleted.map(({ uid }) => uid)),
      confirmed: new Set(silentNodeOfPod.keys()),
      refused: new Map(
        [...refused, ...kept].flatMap(([uid, because]) =>
          liftedRefusals.has(uid) ? [] : [[uid, { because }] as const],
        ),
      ),
      onlyRead: true,
      reach,
      goOn,
    });
  };
}

type WithFollowers = (played: Simulation, options: PlayOptions) => Simulation;

/** Leaves open what may follow from what a play leaves open. */
function followersIn(
  { requests, records, scope, keepers, context, duration }: PlayInput,
  begin: Begin,
  untouched: Simulation,
): WithFollowers {
  const dueLate = lateDeletionsOpen(untouched, context.now + duration);
  const endedOpen = endedPodsOpen({ ...context, ended: scope.ended, records, untouched });
  const evictedOpen = evictionsOpen({ ...context, records, untouched });
  const liftedOpen = refusalsLifted(scope, keepers, context.settings, context.now);
  return (played, options) =>
    withWhatMayFollow(
      liftedOpen(evictedOpen(endedOpen(dueLate(played)))),
      untouched,
      (possiblyDeleted, stripped) =>
        dueLate(begin(requests, { ...options, possiblyDeleted, stripped }).inOneOrder()),
    );
}

/**
 * The records where the Pods on these Nodes tolerate all taints: a Node that is unreachable now may be ready again before
 * its Pods are evicted. So what follows from the loss of a Pod follows from the deletion of its Node.
 */
function withoutEvictions(
  records: readonly ObjectRecord[],
  nodes: readonly ObjectRecord[],
): readonly ObjectRecord[] {
  const names = new Set(nodes.map(({ name }) => name));
  if (names.size === 0) return records;
  const tolerations = [{ operator: 'Exists' }];
  return records.map((record) =>
    isPod(record) && names.has(knownNodeOf(record) ?? '')
      ? { ...record, facts: { ...record.facts, tolerations } }
      : record,
  );
}

/** Adds the content that is deleted with a namespace and was not played, in the order of the records. */
function withContent(
  touched: readonly TouchedObject[],
  { content, records }: Scope,
): readonly TouchedObject[] {
  if (content.size === 0) return touched;
  const namespaces = new Map<string, TouchedObject>();
  const known = new Map<ObjectRecord, TouchedObject>();
  for (const object of touched) {
    known.set(object.record, object);
    if (object.isTarget && isNamespace(object.record)) namespaces.set(object.record.name, object);
  }
  const alongWith = (record: ObjectRecord): TouchedObject => ({
    key: objectKey(record),
    identity: referenceTo(record),
    record,
    ends: { untouched: record, held: undefined, released: undefined },
    isTarget: false,
    container: namespaces.get(record.namespace),
  });
  return records.flatMap((record) =>
    content.has(record) ? alongWith(record) : (known.get(record) ?? []),
  );
}
