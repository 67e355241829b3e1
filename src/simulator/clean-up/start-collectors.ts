import type { ResourceType } from '../../kube/resource-type.ts';
import { storedAs } from '../cluster-state.ts';
import type { Scene } from '../scene.ts';
import type { Actor } from '../timeline.ts';
import type { World } from '../world.ts';
import { CollectorRun, type PassTimes } from './collector-run.ts';
import type { Cluster } from './keyed-collector.ts';
import { KeyedRun } from './keyed-run.ts';
import { Indexes } from './object-index.ts';
import { viewOfState } from './state-view.ts';
import type { WiredCollector } from './wired-collector.ts';
import { keyedCollectors, periodicCollectors } from './wired-collectors.ts';

/** What collectors have done, and what they leave open. */
export type CleanUpRun = Pick<CollectorRun, 'timings' | 'doubts' | 'dues' | 'links'> & {
  readonly collector: { readonly controller: Actor };
};

/** Starts the collectors that --controllers lets run. */
export function startCollectors(world: World, scene: Scene): readonly CleanUpRun[] {
  const { isEnabled, collectors: settings } = scene;
  if (!settings) return [];
  const view = viewOfState(world, scene.known);
  const { state } = world;
  const cluster: Cluster = {
    state,
    view,
    settings,
    indexes: new Indexes(state),
    startedAt: scene.start === 'running' ? scene.controllersSince : world.now(),
    evictions: new Map(),
  };
  const ranBefore = scene.start === 'running';
  const periodic = periodicCollectors
    .filter(({ controller, isElsewhere }) => isElsewhere || isEnabled(controller))
    .map((one) => new CollectorRun(one, world, view, settings, passTimes(one, scene, world.now())));
  const keyed = keyedCollectors
    .filter(({ controller, isElsewhere }) => isElsewhere || isEnabled(controller))
    .map((one) => new KeyedRun(one, world, cluster, ranBefore));
  const runs = [...periodic, ...keyed];
  if (runs.length === 0) return [];
  const readers = Map.groupBy(
    runs.flatMap((run) => run.reads.map((resource) => ({ run, resource }))),
    ({ resource }) => resource,
  );
  const byType = new Map<ResourceType, readonly { readonly run: CollectorRun | KeyedRun }[]>();
  for (const run of periodic) run.start();
  for (const run of keyed) run.start(ranBefore ? 0 : (settings.controllerStartInterval ?? 0));
  state.watch((change) => {
    const type = (change.after ?? change.before)?.type;
    if (!type) return;
    let interested = byType.get(type);
    if (!interested) {
      interested = readers.get(storedAs(type)) ?? [];
      byType.set(type, interested);
    }
    for (const { run } of interested) run.see(change);
  });
  return runs;
}

/** A controller that starts now makes its passes from now on; of one that ran before, its Lease may tell. */
function passTimes(
  { passes, isElsewhere }: WiredCollector,
  { start, collectors, controllersSince }: Scene,
  now: number,
): PassTimes {
  if (isElsewhere) return { first: now, isGuess: true };
  const pause = collectors?.controllerStartInterval ?? 0;
  if (start === 'after-requests') {
    return { first: now + (passes ? passes.afterStart(pause) : pause), isGuess: false };
  }
  if (!passes) return { first: now, isGuess: true };
  // Short periods drift too much since then.
  if (controllersSince === undefined || passes.period < minute)
    return { first: now, isGuess: true };
  const first = controllersSince + passes.afterStart(pause);
  const missed = Math.max(0, Math.ceil((now - first) / passes.period));
  return { first: first + missed * passes.period, isGuess: false };
}

const minute = 60_000;
