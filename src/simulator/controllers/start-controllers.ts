import type { ClusterView } from '../../controllers/cluster-view.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import { minute } from '../../kube/time.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { ReadCoverage, SimulationInput } from '../simulation-input.ts';
import { keyedControllers, periodicControllers } from './controller-registry.ts';
import { type Cluster, Indexes, KeyedRun } from './keyed-controller.ts';
import {
  type ControllerRun,
  type PassTimes,
  type PeriodicController,
  PeriodicRun,
} from './periodic-controller.ts';

/** Starts the controllers that --controllers enables. */
export function startCleanUpControllers(
  context: RunContext,
  input: SimulationInput,
): readonly ControllerRun[] {
  const { isEnabled, controllers: settings } = input;
  if (!settings) return [];
  const view = viewOfState(context, input.known);
  const { state } = context;
  const cluster: Cluster = {
    state,
    view,
    settings,
    indexes: new Indexes(state),
    startedAt: input.start === 'running' ? input.controllersSince : context.now(),
    evictions: new Map(),
  };
  const ranBefore = input.start === 'running';
  const periodic = periodicControllers
    .filter(({ controller, isElsewhere }) => isElsewhere || isEnabled(controller))
    .map(
      (one) => new PeriodicRun(one, context, view, settings, passTimes(one, input, context.now())),
    );
  const keyed = keyedControllers
    .filter(({ controller, isElsewhere }) => isElsewhere || isEnabled(controller))
    .map((one) => new KeyedRun(one, context, cluster, ranBefore));
  const runs = [...periodic, ...keyed];
  if (runs.length === 0) return [];
  const readers = Map.groupBy(
    runs.flatMap((run) => run.reads.map((resource) => ({ run, resource }))),
    ({ resource }) => resource,
  );
  const byType = new Map<ResourceType, readonly { readonly run: PeriodicRun | KeyedRun }[]>();
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

/**
 * A controller that starts now makes its passes from now on; for one that ran before, the Lease may
 * tell when it started.
 */
function passTimes(
  { passes, isElsewhere }: PeriodicController,
  { start, controllers, controllersSince }: SimulationInput,
  now: number,
): PassTimes {
  if (isElsewhere) return { first: now, isGuess: true };
  const pause = controllers?.controllerStartInterval ?? 0;
  if (start === 'after-requests') {
    return { first: now + (passes ? passes.afterStart(pause) : pause), isGuess: false };
  }
  if (!passes) return { first: now, isGuess: true };
  // Short periods drift too much since then.
  if (controllersSince === undefined || passes.period < minute)
    return { first: now, isGuess: true, startedAt: controllersSince };
  const first = controllersSince + passes.afterStart(pause);
  const missed = Math.max(0, Math.ceil((now - first) / passes.period));
  return { first: first + missed * passes.period, isGuess: false };
}

/** What controllers see of a run: always the current state, nothing is copied beforehand. */
function viewOfState({ state, hasNodes }: RunContext, known: ReadCoverage): ClusterView {
  return {
    all: (resource) => [...state.ofResource(resource)].filter(({ uid }) => uid !== ''),
    in: (resource, namespace) =>
      [...state.ofResource(resource, namespace)].filter(({ uid }) => uid !== ''),
    at: (resource, namespace, name) => state.at(resource, namespace, name),
    covers: (resource, namespace, name) => {
      // A snapshot without any Node leaves open which exist.
      if (resource === 'nodes' && !hasNodes) return false;
      const type = state.types.versions(resource)[0];
      if (type === undefined) return true;
      return name === '' ? known.sawKind(type, namespace) : known.covers(type, namespace, name);
    },
  };
}
