import { viewOf } from '../controllers/cluster-view.ts';
import { memoryFromLease } from '../controllers/decision.ts';
import { nodeType } from '../kube/core-types.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { referenceTo } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { hour } from '../kube/time.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../settings/controller-settings.ts';
import { enabledControllers } from '../settings/enabled-controllers.ts';
import { minorOrAssumed } from '../settings/setting-definition.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { typedName } from './api-server/api-server.ts';
import type { SimulatedRequest } from './api-server/request.ts';
import { type Found, isCertain } from './controllers/controller-run.ts';
import type { ClusterState, RefusedDeletion } from './engine/cluster-state.ts';
import { orderDependentPart } from './engine/order-dependent-part.ts';
import { type Played, play } from './engine/play.ts';
import { canonicalSchedule } from './engine/schedule.ts';
import { type RecordedStep, recordingTimeline, spelledStep } from './engine/timeline.ts';
import {
  enoughReplays,
  type OtherOrders,
  replayInOtherOrders,
  type Undetermined,
  undeterminedAsEndless,
  undeterminedByTiming,
} from './engine/undetermined.ts';
import { type Course, type SimulatedEvent, type SimulatedReply, Simulation } from './simulation.ts';
import {
  impliedNamespaces,
  type ReadCoverage,
  readCoverageOf,
  type SimulationInput,
  type Start,
} from './simulation-input.ts';
import { stuckObjects } from './stuck-objects.ts';

/** When a simulation begins, and how far its clock may run. */
export interface SimulationClock {
  /** Epoch milliseconds. */
  readonly now: number;
  /** `running` (the default): controllers had settled before the first request. */
  readonly start?: Start;
  /** Milliseconds; one hour by default. */
  readonly duration?: number;
  /** Do the controllers other than the garbage collector run? Default: yes. */
  readonly controllers?: boolean;
  /** Only what was read is known, of files too. */
  readonly onlyRead?: boolean;
  /**
   * The same; and `dues` contains what controllers may do until the
   * end.
   */
  readonly forecast?: boolean;
  /**
   * uids of the objects of interest: other orders are played only of what may act on one of them.
   * Default: all objects.
   */
  readonly about?: ReadonlySet<string>;
  /** What is played of the snapshot, as `reachOf` found it. Default: everything. */
  readonly reach?: readonly ObjectRecord[];
  /** uids of pods whose deletion is confirmed even where their Nodes are silent. Default: none. */
  readonly confirmed?: ReadonlySet<string>;
  /** What the API server refuses to delete for every client, by uid. Default: nothing. */
  readonly refused?: ReadonlyMap<string, RefusedDeletion>;
  /** Called from time to time; throws when the time for an answer is over. */
  readonly goOn?: (() => void) | undefined;
}

/**
 * Plays requests on a snapshot: what the API server answers, what the garbage collector, the
 * namespace controller, kubelets and the other controllers make of it, and what is left. The
 * snapshot is not changed, and the same input always gives the same result. What was read from
 * files counts as the whole cluster; on a cluster's snapshot, what could not be read is unknown,
 * and nothing follows from it.
 */
export function simulate(
  snapshot: Snapshot,
  requests: readonly SimulatedRequest[],
  settings: Partial<ControllerSettings>,
  clock: SimulationClock,
): Simulation {
  return beginSimulation(snapshot, requests, settings, clock).inAllOrders();
}

/** For a forecast only what was read is known, of files too: also that there is no Node at all. */
function onlyKnownOf(snapshot: Snapshot): ReadCoverage {
  const known = readCoverageOf({ ...snapshot, origin: { kind: 'cluster', server: '' } });
  return { ...known, coversNode: (name) => known.covers(nodeType, '', name) };
}

/** A simulation of which the order that is shown was played. */
export interface BegunSimulation {
  /** Every object that is left of what was played. */
  readonly objects: readonly ObjectRecord[];
  /** As if no other order of events were possible, so that nothing is found to depend on it. */
  inOneOrder(): Simulation;
  inAllOrders(): Simulation;
  /** Without the orders that are rare. */
  inUsualOrders(): Simulation;
}

/** The same for a caller that asks again with other input, depending on what is left: other orders cost most. */
export function beginSimulation(
  snapshot: Snapshot,
  requests: readonly SimulatedRequest[],
  settings: Partial<ControllerSettings>,
  clock: SimulationClock,
): BegunSimulation {
  const records = clock.reach ?? snapshot.records;
  const implied = impliedNamespaces(snapshot.types, snapshot.records, requests);
  const input = inputOf(snapshot, [records, implied], requests, settings, clock);
  const { shown, ...course } = playedCourse(input);
  const { recorded } = course;
  const early = mayBeEarlier(shown, input) ? playedCourse({ ...input, isEarly: true }) : undefined;
  const objects = leftOver(shown, records, implied);
  const isEndless = shown.ended === 'endless';
  const part = () => (isEndless ? undefined : orderDependentPart(input, shown, clock.about));
  const simulation = (others: OtherOrders): Simulation => {
    const byTiming = clock.forecast ? [] : undeterminedByTiming(shown, input, recorded, early);
    const endless = isEndless ? undeterminedAsEndless(input.records) : [];
    const undetermined = new Map(
      [...byTiming, ...others.undetermined, ...endless].map(
        (one) => [one.object.uid, one] as const,
      ),
    );
    const terminating = objects.filter(
      (record) => isBeingDeleted(record) && shown.context.state.current(record) === record,
    );
    const outcome = {
      replies: repliesOf(shown, others),
      objects,
      undetermined: [...undetermined.values()],
      unknown: unknownOf(shown, objects),
      ended: shown.ended === 'quiet' && terminating.length > 0 ? 'stuck' : shown.ended,
      problems: contradictions(shown.context.state, records),
      dues: shown.controllers.flatMap(({ dues }) => dues),
      recorded,
      decisions: course.decisions,
      early,
    } as const;
    return new Simulation(outcome, {
      steps: () => recorded.map(spelledStep),
      events: () => eventsOf(shown, others),
      stuck: () => stuckObjects(shown.context, input, terminating),
    });
  };
  return {
    objects,
    inOneOrder: () => simulation(replayInOtherOrders(undefined, shown)),
    inUsualOrders: () => simulation(replayInOtherOrders(part(), shown, enoughReplays)),
    inAllOrders: () => simulation(replayInOtherOrders(part(), shown)),
  };
}

/** `records`: those that are played, and the namespaces that requests and objects imply. */
function inputOf(
  snapshot: Snapshot,
  [records, implied]: readonly [readonly ObjectRecord[], readonly ObjectRecord[]],
  requests: readonly SimulatedRequest[],
  settings: Partial<ControllerSettings>,
  clock: SimulationClock,
): SimulationInput {
  const whole: ControllerSettings = { ...defaultControllerSettings, ...settings };
  const { controllers, kubelets } = whole;
  const isWhole = records === snapshot.records && implied.length === 0;
  return {
    types: snapshot.types,
    records: isWhole ? records : [...records, ...implied],
    owners: isWhole ? buildGraph(snapshot) : undefined,
    requests,
    start: clock.start ?? 'running',
    isEnabled: enabledControllers(controllers),
    kubelets,
    confirmed: clock.confirmed ?? new Set(),
    refused: clock.refused,
    minor: minorOrAssumed(snapshot.serverVersion),
    known: clock.forecast ? onlyKnownOf(snapshot) : readCoverageOf(snapshot, clock.onlyRead),
    controllers: clock.controllers === false ? undefined : whole,
    controllersSince: memoryFromLease(viewOf(snapshot), clock.now).startedAt,
    hasBacklog: clock.forecast ?? false,
    now: clock.now,
    duration: clock.duration ?? hour,
    goOn: clock.goOn,
  };
}

function playedCourse(input: SimulationInput): Course & { readonly shown: Played } {
  const recorded: RecordedStep[] = [];
  const shown = play(input, canonicalSchedule, (now, causes) => {
    causes.isKept = true;
    return recordingTimeline(now, recorded, causes);
  });
  const found = shown.controllers.flatMap(({ decisions }) => decisions);
  return { shown, recorded, decisions: found };
}

/** May anything be done by the end that the play has left for later? */
function mayBeEarlier(
  { context: { clock }, controllers }: Played,
  { now, duration }: SimulationInput,
): boolean {
  const end = now + duration;
  const isOpen = ({ due, decision, isDone }: Found) =>
    !isDone && isCertain(due) && decision.from <= end && decision.at > end;
  return (
    controllers.some(({ decisions }) => decisions.some(isOpen)) ||
    clock.pendingCauses.some((cause) => cause !== undefined && cause.from < cause.at)
  );
}

/** In the order of the input; what was created meanwhile comes last. */
function leftOver(
  { context: { state } }: Played,
  before: readonly ObjectRecord[],
  implied: readonly ObjectRecord[],
): ObjectRecord[] {
  const { touched, contradicting } = state;
  const out = new Set(contradicting);
  const left: ObjectRecord[] = [];
  for (const record of before) {
    if (out.has(record)) continue;
    const now = touched.has(record) ? state.current(record) : record;
    if (now) left.push(now);
  }
  for (const record of state.created) {
    const now = state.current(record);
    if (now) left.push(now);
  }
  return implied.length === 0 ? left : left.filter((record) => !implied.includes(record));
}

function repliesOf({ replies }: Played, { uncertainReplies }: OtherOrders): SimulatedReply[] {
  return replies.map((reply, index) =>
    uncertainReplies.has(index) ? { ...reply, certain: false } : reply,
  );
}

function eventsOf(shown: Played, others: OtherOrders): SimulatedEvent[] {
  const all = new Map([...shown.possibleEvents, ...shown.events, ...others.events]);
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { message, involvedObject }]) => ({
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message,
      involvedObject,
      certain:
        shown.events.has(key) &&
        !shown.dependsOnListing.has(key) &&
        !others.uncertainEvents.has(key),
    }));
}

function unknownOf({ unknown }: Played, objects: readonly ObjectRecord[]): Undetermined[] {
  if (unknown.size === 0) return [];
  return objects.flatMap((record) => {
    const because = unknown.get(record.uid);
    return because === undefined ? [] : [{ object: referenceTo(record), because }];
  });
}

/**
 * A cluster has one object per name, and one per uid. Says of each object that was left out which
 * other one it contradicts.
 */
function contradictions(state: ClusterState, records: readonly ObjectRecord[]): CoverageProblem[] {
  const { contradicting } = state;
  if (contradicting.length === 0) return [];
  const uids = new Set(contradicting.map(({ uid }) => uid));
  const left = new Set(contradicting);
  const firsts = records.filter((record) => !left.has(record));
  const byUid = new Map(
    firsts.flatMap((record) => (uids.has(record.uid) ? [[record.uid, record] as const] : [])),
  );
  return contradicting.map((record) => {
    const { type, namespace, place, uid } = record;
    const sameUid = byUid.get(uid);
    const why =
      sameUid && (sameUid.name !== record.name || sameUid.type.kind !== type.kind)
        ? `has the uid ${uid} of ${typedName(sameUid)}`
        : 'is there more than once';
    return {
      reason: 'duplicate-uid',
      message: `${typedName(record)} ${why}; only the first was taken`,
      resource: groupResourceOf(type),
      namespace,
      ...(place && { path: place.path, line: place.line }),
    };
  });
}
