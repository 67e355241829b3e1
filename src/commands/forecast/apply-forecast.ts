import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { leaseResource, memoryFromLease } from '../../controllers/leader-lease.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { allControllers } from '../../controllers/registry.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ExitCode, usageError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { applyDue } from '../../shell/apply/apply-due.ts';
import { podWork, whyNotNow } from '../../shell/apply/apply-pod-gc.ts';
import type { DueWork, Work } from '../../shell/apply/plan-due.ts';
import { type ApplyFlags, applyOptionsOf } from '../../shell/flags/apply-flags.ts';
import type { ForecastFlags } from '../../shell/flags/forecast-flags.ts';
import { nowOf } from '../../shell/input/clock.ts';
import type { Session } from '../../shell/input/session.ts';
import { findControllerSettings } from '../../shell/settings/find-settings.ts';
import { orNothingSent } from '../../shell/terminal/interruption.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { ownerDecisions, withOwnersLookedUp } from './due-of-garbage-collector.ts';

/** Does by hand what the named controllers would do now. */
export async function applyForecast(
  flags: ForecastFlags & ApplyFlags,
  scope: (record: ObjectRecord) => boolean,
  session: Session,
): Promise<ExitCode> {
  const ids = applicableControllers(flags.collector);
  applyOptionsOf(flags);
  const { settings } = await orNothingSent(findControllerSettings(flags, session));
  const off = switchedOff({ ids, settings });
  if (off.length > 0) writeErr(`Switched off, and doing nothing: ${off.join(', ')}.`);
  const kinds = [...chosenControllers(ids).flatMap(({ reads }) => reads), leaseResource];
  return applyDue(flags, session, {
    // An owner may be anywhere.
    reads: { facts: true, ...(!ids.has(garbageCollectorId) && { kinds }) },
    workOf: async (snapshot, cluster) => {
      const now = nowOf(flags, snapshot);
      const work = forecastWork(snapshot, { ids, settings, scope, now });
      if (!ids.has(garbageCollectorId) || off.includes(garbageCollectorId)) return work;
      const found = ownerDecisions(snapshot, scope);
      return together(work, cluster ? await withOwnersLookedUp(cluster, found) : found);
    },
  });
}

function together(work: Work, more: Pick<Work, 'due' | 'leftAlone'>): Work {
  const known = new Set(work.due.map(({ record }) => record.uid));
  return {
    ...work,
    due: [...work.due, ...more.due.filter(({ record }) => !known.has(record.uid))],
    leftAlone: [...work.leftAlone, ...more.leftAlone],
  };
}

interface ForecastChoice {
  readonly ids: ReadonlySet<string>;
  readonly settings: ControllerSettings;
  readonly scope: (record: ObjectRecord) => boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The controllers that are named, without the garbage collector, which is not in the registry. */
function chosenControllers(ids: ReadonlySet<string>): Controller[] {
  return allControllers.filter(({ id }) => ids.has(id));
}

/** Named controllers that do not run in the cluster, and so do nothing. */
function switchedOff({ ids, settings }: Pick<ForecastChoice, 'ids' | 'settings'>): string[] {
  const isEnabled = enabledControllers(settings.controllers);
  const isOwnerOff = ids.has(garbageCollectorId) && !isEnabled('garbage-collector-controller');
  const off = chosenControllers(ids)
    .filter(({ controllers }) => controllers.length > 0 && !controllers.some(isEnabled))
    .map(({ id }) => id);
  return isOwnerOff ? [garbageCollectorId, ...off] : off;
}

/**
 * What the controllers that are named would do now with the objects as they are.
 * @internal
 */
export function forecastWork(snapshot: Snapshot, choice: ForecastChoice): Work {
  const { ids, settings, scope, now } = choice;
  const view = viewOf(snapshot);
  const memory = memoryFromLease(view, now);
  const off = new Set<string>(switchedOff(choice));
  const due = new Map<string, DueWork>();
  const leftAlone: LeftAlone[] = [];
  for (const controller of chosenControllers(ids)) {
    if (off.has(controller.id)) continue;
    for (const [{ object, notBefore, confidence, because }, work] of decisionsOf(controller)) {
      if (!scope(object) || due.has(object.uid)) continue;
      const item = { notBefore: timestampOf(notBefore), confidence, because };
      const not = whyNotNow(item, Date.parse(timestampOf(now)));
      if (not === undefined) due.set(object.uid, work());
      else leftAlone.push({ object: referenceTo(object), because: not });
    }
  }
  const reads = new Set(chosenControllers(ids).flatMap((one) => one.reads));
  return {
    snapshot,
    due: [...due.values()],
    leftAlone,
    problems: snapshot.coverage.problems.filter(
      ({ resource }) => resource !== leaseResource || reads.has(leaseResource),
    ),
  };

  function decisionsOf(controller: Controller): readonly (readonly [Decision, () => DueWork])[] {
    return controller.id === podGarbageCollector.id
      ? podGarbageCollector
          .decide(view, settings, now, memory)
          .map((one) => [one, () => podWork(one.object, one)])
      : controller.decide(view, settings, now, memory).map((one) => [one, () => plainWork(one)]);
  }
}

/** Bound to the object as it was judged: what has changed since may be judged otherwise. */
function plainWork({ object, action, options, patch, because, rule }: Decision): DueWork {
  const { resourceVersion } = object;
  const { propagationPolicy, gracePeriodSeconds } = options ?? {};
  const request: PlannedRequest = {
    verb: action,
    ...referenceTo(object),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(action === 'patch' && patch && { patch: { ...patch, type: 'merge' } }),
  };
  return { record: object, request, because, rule };
}

/** Why the work of some controllers is more than requests that a person may send. */
const notByHand: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'persistentvolume-reclaim': 'it removes the storage itself before the volume',
    attachdetach: 'it keeps in mind what a kubelet has still mounted',
    'node-lifecycle': 'it watches heartbeats and keeps timers of its own',
    'device-taint-eviction': 'it sets a condition, and keeps timers of its own',
    'cloud-node': 'it asks the cloud which machines are there',
    resourceclaim: 'it frees devices in several steps that drivers take part in',
    job: 'it counts and scales in several steps',
    adoption: 'it counts and scales in several steps',
    'node-lease': 'it deletes nothing',
    'ephemeral-volume': 'it deletes nothing',
    'missing-node': 'no controller collects that',
    protection: 'it deletes nothing',
    'image-gc': 'the kubelet does it on its own disk',
    'container-gc': 'the kubelet does it on its own disk',
    namespace: 'it empties the namespace, kind by kind',
  }),
);

const garbageCollectorId = 'garbage-collector';

/** Controllers whose work is a delete or patch by API. */
const applicable: readonly string[] = [
  garbageCollectorId,
  ...allControllers.map(({ id }) => id).filter((id) => !notByHand.has(id)),
];

/** Refuses controllers whose work cannot be done by hand, and to do the work of all at once. */
function applicableControllers(given: readonly string[] | undefined): ReadonlySet<string> {
  const possible = `Possible are: ${applicable.join(', ')}.`;
  if (given === undefined) {
    throw usageError('--apply needs --collector: it says whose work to do', [possible]);
  }
  const ids = new Set(given.flatMap((list) => list.split(',')));
  for (const id of ids) {
    if (applicable.includes(id)) continue;
    const why = notByHand.get(id);
    throw why === undefined
      ? usageError(`--collector "${id}" is not a collector`, [possible])
      : usageError(`the work of ${id} cannot be done by hand: ${why}`, [possible]);
  }
  return ids;
}
