import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import { minute } from '../../kube/time.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { SimulationInput } from '../simulation-input.ts';
import { simulatedControllers } from './controller-registry.ts';
import { FreedObjects } from './freed-objects.ts';
import { byController, Indexes } from './indexes.ts';
import { type Cluster, KeyedRun } from './keyed-controller.ts';
import {
  type ControllerRun,
  type PassTimes,
  type PeriodicController,
  PeriodicRun,
} from './periodic-controller.ts';

/** By kind, as in `jobs.batch`: positions in `simulatedControllers` of those that decide by it. */
const readers = Map.groupBy(
  simulatedControllers.flatMap(({ reads }, at) => reads.map((resource) => ({ resource, at }))),
  ({ resource }) => resource,
);

/** By position in `simulatedControllers`: the kinds that it looks at. */
const concerns = simulatedControllers.map((one) => [
  ...new Set('kinds' in one ? [...one.kinds, ...one.reads] : one.reads),
]);

const lookedAt: ReadonlySet<string> = new Set(concerns.flat());

/** Is it of a kind that any of the controllers decides about, or by? */
export function isLookedAt({ type }: ObjectRecord): boolean {
  return lookedAt.has(storedAs(type));
}

/**
 * Starts the controllers that --controllers enables; the answer lists them. One that has nothing to look at
 * begins when the first object of its kinds is written: a deletion is played hundreds of times, and most
 * clusters concern few controllers.
 */
export function startCleanUpControllers(
  context: RunContext,
  input: SimulationInput,
): () => readonly ControllerRun[] {
  const { isEnabled, controllers: settings } = input;
  if (!settings) return () => [];
  const { state } = context;
  const startedAt = context.now();
  const indexes = new Indexes(state);
  const view = viewOfState(context, input, indexes);
  const ranBefore = input.start === 'running';
  const cluster: Cluster = {
    state,
    view,
    settings,
    indexes,
    startedAt: ranBefore ? input.controllersSince : startedAt,
    evictions: new Map(),
    lostPods: new Map(),
    isRequested: ({ type: { kind }, namespace, name }) =>
      input.requests.some(
        (one) =>
          one.verb === 'delete' &&
          one.kind === kind &&
          one.namespace === namespace &&
          one.name === name,
      ),
    freed: new FreedObjects(state, indexes),
  };
  const runs: (PeriodicRun | KeyedRun | undefined)[] = [];
  const runAt = (at: number): PeriodicRun | KeyedRun | undefined => {
    const one = simulatedControllers[at];
    if (!one || !(one.isElsewhere || isEnabled(one.controller))) return undefined;
    runs[at] ??=
      'kinds' in one
        ? new KeyedRun(one, context, cluster, ranBefore)
        : new PeriodicRun(one, context, view, settings, passTimes(one, input, startedAt));
    return runs[at];
  };
  concerns.forEach((kinds, at) => {
    if (!kinds.some((resource) => state.holds(resource))) return;
    runAt(at)?.start(ranBefore ? 0 : (settings.controllerStartInterval ?? 0));
  });
  const byType = new Map<ResourceType, readonly number[]>();
  state.watch((change) => {
    const type = (change.after ?? change.before)?.type;
    if (!type) return;
    let interested = byType.get(type);
    if (!interested) {
      interested = (readers.get(storedAs(type)) ?? []).map(({ at }) => at);
      byType.set(type, interested);
    }
    for (const at of interested) runAt(at)?.see(change);
  });
  return () => runs.filter((run) => run !== undefined);
}

/**
 * A controller that starts now makes its passes from now on; for one that ran before, the Lease may
 * show when it started.
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
function viewOfState(
  { state, coversNode }: RunContext,
  input: SimulationInput,
  indexes: Indexes,
): ClusterView {
  const { known, minor } = input;
  return {
    minor,
    all: (resource) => state.ofResource(resource).filter(({ uid }) => uid !== ''),
    in: (resource, namespace) =>
      state.ofResource(resource, namespace).filter(({ uid }) => uid !== ''),
    at: (resource, namespace, name) => state.at(resource, namespace, name),
    controlledBy: (resource, { uid, namespace }) =>
      indexes
        .of(byController(resource))
        .get(uid)
        .filter((one) => one.namespace === namespace),
    covers: (resource, namespace, name) => {
      if (resource === 'nodes' && name !== '') return coversNode(name);
      const type = state.types.versions(resource)[0];
      if (type === undefined) return true;
      return name === '' ? known.sawKind(type, namespace) : known.covers(type, namespace, name);
    },
  };
}
