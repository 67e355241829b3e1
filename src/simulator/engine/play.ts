import type { Reply, SimulatedRequest } from '../api-server/request.ts';
import { serveRequest } from '../api-server/serve-request.ts';
import { startBookkeeping, startCustomResourceCleanup } from '../api-server/server-clean-up.ts';
import type { ControllerRun } from '../controllers/controller-run.ts';
import { startCleanUpControllers } from '../controllers/start-controllers.ts';
import { GarbageCollector } from '../garbage-collector/garbage-collector.ts';
import type { InvalidNamespaceEvent } from '../garbage-collector/invalid-namespace-events.ts';
import { startKubelets } from '../kubelet.ts';
import { startNamespaceController } from '../namespaces/simulated-namespaces.ts';
import { deletesPodsFirst, type SimulationInput } from '../simulation-input.ts';
import type { Causes } from './causes.ts';
import { Clock } from './clock.ts';
import { ClusterState } from './cluster-state.ts';
import type { RunContext } from './run-context.ts';
import type { Schedule } from './schedule.ts';
import type { Timeline } from './timeline.ts';

/** How one play ended. */
export interface Played {
  readonly context: RunContext;
  readonly replies: readonly Reply[];
  /** OwnerRefInvalidNamespace warnings by a key that names dependent and message. */
  readonly events: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Events that some order would lead to, as far as the references show. */
  readonly possibleEvents: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Keys of those among them that are not written in every such order (GC-47). */
  readonly dependsOnListing: ReadonlySet<string>;
  /** uid of an object that could not be judged, to the reason. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly controllers: readonly ControllerRun[];
  /** endless: given up, as controllers went on and on. */
  readonly ended: 'quiet' | 'deadline' | 'endless';
}

/** What a play may take: what was recorded and drawn at random takes fewer than 100 steps an object. */
const steps = { inAll: 10_000, forEach: 1_000 };

/** Controllers have settled when nothing is due within this time; grace periods go on. */
const settledFor = 1_000;

/** Plays an input once, by one schedule. `timelineOf` creates what records the steps. */
export function play(
  input: SimulationInput,
  schedule: Schedule,
  timelineOf: (now: () => number, causes: Causes) => Timeline,
): Played {
  const context = runContextOf(input, schedule, timelineOf);
  const { clock } = context;
  const { causes } = context.state;
  const collects = input.isEnabled('garbage-collector-controller');
  const collector = new GarbageCollector(context, input.known);
  startBookkeeping(context);
  causes.within(causes.backlog, () =>
    startCustomResourceCleanup(context, () => collects && collector.dropTypes()),
  );
  if (input.kubelets) startKubelets(context);
  let controllers: () => readonly ControllerRun[] = () => [];
  const startControllers = () => {
    causes.within(causes.backlog, () => {
      if (collects) collector.start();
      if (input.isEnabled('namespace-controller'))
        startNamespaceController(context, deletesPodsFirst(input.minor));
    });
    controllers = startCleanUpControllers(context, input);
  };

  const replies: Reply[] = [];
  if (input.start === 'running') {
    startControllers();
    clock.settle(settledFor);
  }
  clock.start(sendAll(context, input.requests, replies), () => {
    if (input.start === 'after-requests') startControllers();
  });
  const ended = clock.run(input.duration);
  return {
    context,
    replies,
    events: collector.events.written,
    possibleEvents: collector.events.possible,
    dependsOnListing: collector.events.dependsOnListing,
    unknown: collector.unknown,
    controllers: controllers(),
    ended,
  };
}

function runContextOf(
  input: SimulationInput,
  schedule: Schedule,
  timelineOf: (now: () => number, causes: Causes) => Timeline,
): RunContext {
  const state = new ClusterState(input.types, input.records, input.owners);
  state.refused = input.refused ?? new Map();
  const mostSteps = steps.inAll + steps.forEach * (state.count + input.requests.length);
  const clock = new Clock(state, mostSteps, input.goOn);
  const now = () => input.now + clock.now;
  const { causes } = state;
  causes.began = input.now;
  causes.hasBacklog = input.hasBacklog ?? false;
  return {
    state,
    clock,
    schedule,
    now,
    timeline: timelineOf(now, causes),
    minor: input.minor,
    coversNode: input.known.coversNode,
    collectsGarbage: input.controllers?.apiServerCollectsGarbage,
    confirmed: input.confirmed,
    isEarly: input.isEarly ?? false,
  };
}

function* sendAll(
  context: RunContext,
  requests: readonly SimulatedRequest[],
  replies: Reply[],
): Generator<number, void, void> {
  for (const request of requests) {
    yield request.after + context.schedule.userDelay() + context.schedule.request();
    replies.push(serveRequest(context, request));
    yield context.schedule.request();
  }
}
