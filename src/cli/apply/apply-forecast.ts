import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { memoryFromLease } from '../../controllers/controller-memory.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { allControllers } from '../../controllers/registry.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ExitCode, usageError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type ApplyFlags, applyOptionsOf } from '../flags/apply-flags.ts';
import type { ForecastFlags } from '../flags/forecast-flags.ts';
import { nowOf } from '../input/clock.ts';
import { listCluster, listKinds } from '../input/input.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { findCollectorSettings } from '../settings/open-settings.ts';
import { writeErr } from '../terminal/streams.ts';
import { applyDue } from './apply-due.ts';
import { podWork, whyNotNow } from './apply-pod-gc.ts';
import { ownerDecisions, withOwnersLookedUp } from './due-of-garbage-collector.ts';
import type { DueWork, Work } from './plan-due.ts';

/** Does by hand what the named collectors would do now. */
export async function applyForecast(
  flags: ForecastFlags & ApplyFlags,
  scope: (record: ObjectRecord) => boolean,
  session: Session,
): Promise<ExitCode> {
  const ids = applicableCollectors(flags.collector);
  applyOptionsOf(flags);
  const { settings } = await findCollectorSettings(flags, session);
  const off = switchedOff({ ids, settings });
  if (off.length > 0) writeErr(`Switched off, and doing nothing: ${off.join(', ')}.`);
  const workOf = (snapshot: Snapshot): Work => {
    const now = nowOf(flags, snapshot);
    return forecastWork(snapshot, { ids, settings, scope, now });
  };
  const hasOwners = ids.has(ownerCollector) && !off.includes(ownerCollector);
  return applyDue(flags, session, {
    inFiles: (snapshot) => {
      const work = workOf(snapshot);
      return hasOwners ? together(work, ownerDecisions(snapshot, scope)) : work;
    },
    onCluster: async (cluster) => {
      const snapshot = await read(cluster, ids);
      const work = workOf(snapshot);
      if (!hasOwners) return work;
      return together(work, await withOwnersLookedUp(cluster, ownerDecisions(snapshot, scope)));
    },
  });
}

/** An owner may be anywhere. */
function read(cluster: OpenedCluster, ids: ReadonlySet<string>): Promise<Snapshot> {
  if (ids.has(ownerCollector)) return listCluster(cluster, {}, { facts: true });
  const reads = chosenCollectors(ids).flatMap(({ reads: some }) => some);
  return listKinds(cluster, reads);
}

function together(work: Work, more: Pick<Work, 'due' | 'leftAlone'>): Work {
  const known = new Set(work.due.map(({ record }) => record.uid));
  return {
    ...work,
    due: [...work.due, ...more.due.filter(({ record }) => !known.has(record.uid))],
    leftAlone: [...work.leftAlone, ...more.leftAlone],
  };
}

export interface ForecastChoice {
  readonly ids: ReadonlySet<string>;
  readonly settings: ControllerSettings;
  readonly scope: (record: ObjectRecord) => boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The collectors that are named, without the garbage collector, which is not one of the table. */
export function chosenCollectors(ids: ReadonlySet<string>): Controller[] {
  return allControllers.filter(({ id }) => ids.has(id));
}

/** Named collectors that do not run in the cluster, and so do nothing. */
export function switchedOff({ ids, settings }: Pick<ForecastChoice, 'ids' | 'settings'>): string[] {
  const isEnabled = enabledControllers(settings.controllers);
  const isOwnerOff = ids.has(ownerCollector) && !isEnabled('garbage-collector-controller');
  const off = chosenCollectors(ids)
    .filter(({ controllers }) => controllers.length > 0 && !controllers.some(isEnabled))
    .map(({ id }) => id);
  return isOwnerOff ? [ownerCollector, ...off] : off;
}

/** What the collectors that are named would do now with the objects as they are. */
export function forecastWork(snapshot: Snapshot, choice: ForecastChoice): Work {
  const { ids, settings, scope, now } = choice;
  const view = viewOf(snapshot);
  const memory = memoryFromLease(view, now);
  const off = new Set<string>(switchedOff(choice));
  const due = new Map<string, DueWork>();
  const leftAlone: LeftAlone[] = [];
  for (const collector of chosenCollectors(ids)) {
    if (off.has(collector.id)) continue;
    for (const decision of workOf(collector)) {
      const { record, not } = decision;
      if (!scope(record) || due.has(record.uid)) continue;
      if (not === undefined) due.set(record.uid, decision.work());
      else leftAlone.push({ object: referenceTo(record), because: not });
    }
  }
  const reads = new Set(chosenCollectors(ids).flatMap((one) => one.reads));
  return {
    snapshot,
    due: [...due.values()],
    leftAlone,
    problems: snapshot.coverage.problems.filter(
      ({ resource }) => resource !== leases || reads.has(leases),
    ),
  };

  function workOf(collector: Controller) {
    if (collector.id === podGarbageCollector.id) {
      return podGarbageCollector
        .decide(view, settings, now, memory)
        .map((one) => ({ ...headOf(one), work: () => podWork(one.object, one) }));
    }
    return collector
      .decide(view, settings, now, memory)
      .map((one) => ({ ...headOf(one), work: () => plainWork(one) }));
  }

  function headOf({ object, notBefore, confidence, because }: Decision) {
    const item = { notBefore: timestampOf(notBefore), confidence, because };
    return { record: object, not: whyNotNow(item, Date.parse(timestampOf(now))) };
  }
}

const leases = 'leases.coordination.k8s.io';

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
    wave: 0,
  };
  return { record: object, request, because, rule };
}

/** Why some collectors' work is more than requests that anybody may send. */
const notByHand: Readonly<Record<string, string>> = {
  'persistentvolume-reclaim': 'it removes the storage itself before the volume',
  'node-lifecycle': 'it watches heartbeats and keeps timers that nobody else sees',
  'cloud-node': 'it asks the cloud which machines are there',
  resourceclaim: 'it frees devices in several steps that drivers take part in',
  'node-lease': 'it deletes nothing',
  'ephemeral-volume': 'it deletes nothing',
  'missing-node': 'nobody collects that',
  'image-gc': 'the kubelet does it on its own disk',
  'container-gc': 'the kubelet does it on its own disk',
  namespace: 'it empties the namespace, kind by kind',
};

export const ownerCollector = 'garbage-collector';

/** Collectors whose work is a delete or patch by API. */
const applicable: readonly string[] = [
  ownerCollector,
  ...allControllers.map(({ id }) => id).filter((id) => !(id in notByHand)),
];

/** Refuses collectors whose work cannot be done by hand, and to do everybody's at once. */
export function applicableCollectors(given: readonly string[] | undefined): ReadonlySet<string> {
  const possible = `Possible are: ${applicable.join(', ')}.`;
  if (given === undefined) {
    throw usageError(
      'no-collector',
      '--apply needs --collector: whose work is to be done',
      possible,
    );
  }
  const ids = new Set(given.flatMap((list) => list.split(',')));
  for (const id of ids) {
    if (applicable.includes(id)) continue;
    const why = notByHand[id];
    throw why === undefined
      ? usageError('unknown-collector', `--collector "${id}" is not a collector`, possible)
      : usageError('not-by-hand', `the work of ${id} cannot be done by hand: ${why}`, possible);
  }
  return ids;
}
