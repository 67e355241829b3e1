import type { ResourceType } from '../../kube/resource-type.ts';
import { storedAs } from '../cluster-state.ts';
import type { Scene } from '../scene.ts';
import type { World } from '../world.ts';
import { CollectorRun, type PassTimes } from './collector-run.ts';
import { viewOfState } from './state-view.ts';
import type { WiredCollector } from './wired-collector.ts';
import { wiredCollectors } from './wired-collectors.ts';

/** Starts the collectors that --controllers lets run. */
export function startCollectors(world: World, scene: Scene): readonly CollectorRun[] {
  const { isEnabled, collectors: settings } = scene;
  if (!settings) return [];
  const view = viewOfState(world, scene.known);
  const runs = wiredCollectors
    .filter(({ controller }) => isEnabled(controller))
    .map((one) => new CollectorRun(one, world, view, settings, passTimes(one, scene, world.now())));
  if (runs.length === 0) return [];
  const readers = Map.groupBy(
    runs.flatMap((run) => run.collector.reads.map((resource) => ({ run, resource }))),
    ({ resource }) => resource,
  );
  const byType = new Map<ResourceType, readonly { readonly run: CollectorRun }[]>();
  for (const run of runs) run.start();
  world.state.watch((change) => {
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
  { passes }: WiredCollector,
  { start, collectors, controllersSince }: Scene,
  now: number,
): PassTimes {
  const pause = collectors?.controllerStartInterval ?? 0;
  if (start === 'after-requests') {
    return { first: now + (passes ? passes.afterStart(pause) : pause), isGuess: false };
  }
  if (!passes) return { first: now, isGuess: false };
  // Short periods drift too much since then.
  if (controllersSince === undefined || passes.period < minute)
    return { first: now, isGuess: true };
  const first = controllersSince + passes.afterStart(pause);
  const missed = Math.max(0, Math.ceil((now - first) / passes.period));
  return { first: first + missed * passes.period, isGuess: false };
}

const minute = 60_000;
