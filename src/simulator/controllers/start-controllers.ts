import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { ControllerLinks, PassController, PlayMemory } from '../../controllers/controller.ts';
import { passFrom } from '../../controllers/decision.ts';
import { playedControllers } from '../../controllers/registry.ts';
import { NotedLosses, NotedReleases } from '../../controllers/workloads/play-memory.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import { minute } from '../../kube/time.ts';
import type { RunContext } from '../engine/run-context.ts';
import { requestedDeletions, type SimulationInput } from '../simulation-input.ts';
import type { ControllerRun } from './controller-run.ts';
import { liveObjects } from './indexes.ts';
import { PassRun, type PassTimes, type SimulatedPass, simulatedPass } from './pass-run.ts';
import { type SimulatedSync, SyncRun, simulatedSyncs } from './sync-run.ts';

/** Controllers that look at all objects of their kinds, in passes or at times that they know in advance. */
const passControllers = playedControllers.filter((one) => 'pass' in one);

/** Controllers that clean up whenever something of theirs changes. */
const syncControllers = playedControllers.flatMap((one) =>
  'syncers' in one ? simulatedSyncs(one) : [],
);

/** The controllers other than the garbage collector that simulations run. */
export const simulatedControllers: readonly (SimulatedPass | SimulatedSync)[] = [
  ...passControllers.map(simulatedPass),
  ...syncControllers,
];

/** Which objects may act on each other, whatever has happened to them. */
export const linksOfControllers: readonly ControllerLinks[] = [
  ...syncControllers.flatMap(({ syncs, links }) => (links ? [{ kinds: [syncs], links }] : [])),
  ...passControllers.flatMap(({ reads, links }) =>
    links ? [{ kinds: reads.slice(0, 1), links }] : [],
  ),
];

/** Objects of one of these groups are judged together. Pods that have ended are only where there are too many of them. */
export const groupsOfControllers: readonly NonNullable<PassController['groupOf']>[] =
  passControllers.flatMap(({ groupOf, id }) =>
    groupOf && id !== 'pod-garbage-collector' ? [groupOf] : [],
  );

/** By kind, as in `jobs.batch`: positions in `simulatedControllers` of those that decide by it. */
const readers = Map.groupBy(
  simulatedControllers.flatMap((one, at) => watchedBy(one).map((resource) => ({ resource, at }))),
  ({ resource }) => resource,
);

/** By position in `simulatedControllers`: the kinds that it looks at. */
const concerns = simulatedControllers.map((one) => [
  ...new Set('syncs' in one ? [one.syncs, ...one.watches] : one.reads),
]);

function watchedBy(one: (typeof simulatedControllers)[number]): readonly string[] {
  return 'syncs' in one ? one.watches : one.reads;
}

const watchedKinds: ReadonlySet<string> = new Set(concerns.flat());

/** Is it of a kind that any of the controllers decides about, or by? */
export function isWatchedKind({ type }: ObjectRecord): boolean {
  return watchedKinds.has(storedAs(type));
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
  const view = viewOfState(context, input);
  const ranBefore = input.start === 'running';
  let deletionsOf: ReturnType<typeof requestedDeletions> | undefined;
  const memory: PlayMemory = {
    startedAt: ranBefore ? input.controllersSince : startedAt,
    evictions: new Map(),
    lostPods: new NotedLosses(),
    released: new NotedReleases(view),
    isRequested: (record) => {
      deletionsOf ??= requestedDeletions(input.requests);
      return deletionsOf(record).length > 0;
    },
  };
  const runs: (PassRun | SyncRun | undefined)[] = [];
  const isOff = simulatedControllers.map((one) => !one.isElsewhere && !isEnabled(one.runsAs));
  const runAt = (at: number): PassRun | SyncRun | undefined => {
    const one = simulatedControllers[at];
    if (!one || isOff[at]) return undefined;
    runs[at] ??=
      'syncs' in one
        ? new SyncRun(one, context, { view, settings, memory }, ranBefore)
        : new PassRun(one, context, view, settings, passTimes(one, input, startedAt));
    return runs[at];
  };
  concerns.forEach((kinds, at) => {
    if (!kinds.some((resource) => state.holds(resource))) return;
    runAt(at)?.start(ranBefore ? 0 : (settings.controllerStartInterval ?? 0));
  });
  const byType = new Map<ResourceType, readonly (PassRun | SyncRun)[]>();
  state.watch((change) => {
    const type = (change.after ?? change.before)?.type;
    if (!type) return;
    // Most clusters have objects of few kinds, and a controller without any has nothing to process.
    if (!change.before) byType.clear();
    let interested = byType.get(type);
    if (!interested) {
      interested = (readers.get(storedAs(type)) ?? [])
        .flatMap(({ at }) => runAt(at) ?? [])
        .filter(({ controller }) => !('syncs' in controller) || state.hasHeld(controller.syncs));
      byType.set(type, interested);
    }
    for (const run of interested) run.see(change);
  });
  return () => runs.filter((run) => run !== undefined);
}

/**
 * A controller that starts now makes its passes from now on; for one that ran before, the Lease may
 * show when it started.
 */
function passTimes(
  { passes, isElsewhere }: SimulatedPass,
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
  return { first: passFrom(now, first, passes.period), isGuess: false };
}

/** What controllers see of a run: always the current state, nothing is copied beforehand. */
function viewOfState({ state, coversNode }: RunContext, input: SimulationInput): ClusterView {
  const { known, minor } = input;
  return {
    ...liveObjects(state),
    minor,
    covers: (resource, namespace, name) => {
      if (resource === 'nodes' && name !== '') return coversNode(name);
      const type = state.types.versions(resource)[0];
      if (type === undefined) return true;
      return name === '' ? known.sawKind(type, namespace) : known.covers(type, namespace, name);
    },
  };
}
