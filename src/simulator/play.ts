import { type CleanUpRun, startCollectors } from './clean-up/start-collectors.ts';
import { Clock } from './clock.ts';
import { ClusterState } from './cluster-state.ts';
import { startCustomResourceCleanup } from './custom-resource-cleanup.ts';
import { GarbageCollector } from './garbage-collector.ts';
import type { InvalidNamespaceEvent } from './invalid-namespace-events.ts';
import { startKubelets } from './kubelet.ts';
import { NamespaceController } from './namespace-controller.ts';
import type { Reply, SimulatedRequest } from './request.ts';
import type { Scene } from './scene.ts';
import type { Schedule } from './schedule.ts';
import { serveRequest } from './serve-request.ts';
import type { Timeline } from './timeline.ts';
import type { World } from './world.ts';

/** How one play ended. */
export interface Played {
  readonly world: World;
  readonly replies: readonly Reply[];
  /** OwnerRefInvalidNamespace warnings by a key that names dependent and message. */
  readonly events: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Those that some order of events would lead to, as far as the references tell. */
  readonly possibleEvents: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Keys of those among them that are not written in every such order (GC-47). */
  readonly dependsOnListing: ReadonlySet<string>;
  /** uid of an object that could not be judged, to the reason. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly collectors: readonly CleanUpRun[];
  readonly ended: 'quiet' | 'deadline';
}

/** Controllers have settled when nothing is due within this time; grace periods go on. */
const settledFor = 1_000;

/** Plays a scene once, by one schedule. `timelineOf` makes what steps are told to. */
export function play(
  scene: Scene,
  schedule: Schedule,
  timelineOf: (now: () => number) => Timeline,
): Played {
  const state = new ClusterState(scene.types, scene.records);
  const clock = new Clock(state);
  const now = () => scene.now + clock.now;
  const nodes = scene.types.find('v1', 'Node');
  const hasNodes = nodes !== undefined && state.listAll(nodes).length > 0;
  const world: World = {
    state,
    clock,
    schedule,
    now,
    timeline: timelineOf(now),
    hasNodes,
    readyOnly: scene.readyOnly,
  };
  const collector = scene.isEnabled('garbage-collector-controller')
    ? new GarbageCollector(world, scene.known)
    : undefined;
  startCustomResourceCleanup(world, () => collector?.dropTypes());
  if (scene.kubelets) startKubelets(world);
  let collectors: readonly CleanUpRun[] = [];
  const startControllers = () => {
    collector?.start();
    if (scene.isEnabled('namespace-controller'))
      new NamespaceController(world, scene.podsFirst).start();
    collectors = startCollectors(world, scene);
  };

  const replies: Reply[] = [];
  if (scene.start === 'running') {
    startControllers();
    clock.settle(settledFor);
  }
  let sent = false;
  clock.start(sendAll(world, scene.requests, replies), () => {
    sent = true;
    if (scene.start === 'after-requests') startControllers();
  });
  const ended = clock.run(scene.duration);
  return {
    world,
    replies,
    events: collector?.events.written ?? new Map(),
    possibleEvents: collector?.events.possible ?? new Map(),
    dependsOnListing: collector?.events.dependsOnListing ?? new Set(),
    unknown: collector?.unknown ?? new Map(),
    collectors,
    ended: sent ? ended : 'deadline',
  };
}

function* sendAll(
  world: World,
  requests: readonly SimulatedRequest[],
  replies: Reply[],
): Generator<number, void, void> {
  for (const request of requests) {
    yield request.after + world.schedule.hesitation() + world.schedule.request();
    replies.push(serveRequest(world, request));
    yield world.schedule.request();
  }
}
