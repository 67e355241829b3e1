import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { decideAll, memoryFromLease } from '../../controllers/decision.ts';
import { judgementsIn } from '../../controllers/garbage-collector/judge.ts';
import type { PodGcStep } from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { allControllers } from '../../controllers/registry.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ExitCode, usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { leases } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
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
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** Performs what the named controllers would do now. */
export async function applyForecast(
  flags: ForecastFlags & ApplyFlags,
  scope: (record: ObjectRecord) => boolean,
  session: Session,
): Promise<ExitCode> {
  const ids = applicableControllers(flags.collector);
  applyOptionsOf(flags);
  const { settings, seen } = await orNothingSent(findControllerSettings(flags, session));
  const off = switchedOff({ ids, settings });
  if (off.length > 0) writeErr(`Switched off, and doing nothing: ${off.join(', ')}.`);
  const kinds = [...chosenControllers(ids).flatMap(({ reads }) => reads), leases];
  // An owner may be anywhere.
  const reads = { facts: true, ...(!ids.has(garbageCollectorId) && { kinds }) };
  const workOf = (snapshot: Snapshot) =>
    forecastWork(snapshot, { ids, settings, scope, now: nowOf(flags, snapshot) });
  return applyDue(flags, session, { reads, seen, workOf });
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

/** Named controllers that do not run in the cluster. */
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
  const decided: readonly Due[] = [
    ...chosenControllers(ids).flatMap((one) => {
      const controller = one.id === podGarbageCollector.id ? podGarbageCollector : one;
      return off.has(one.id) ? [] : decideAll(controller, view, settings, now, memory);
    }),
    ...(ids.has(garbageCollectorId) && !off.has(garbageCollectorId)
      ? ownerDecisions(snapshot, now)
      : []),
  ];
  for (const one of decided) {
    const { object, step } = one;
    if (!scope(object) || due.has(object.uid)) continue;
    const item = { ...one, notBefore: timestampOf(one.notBefore) };
    const not = whyNotNow(item, Date.parse(timestampOf(now)));
    if (not !== undefined) leftAlone.push({ object: referenceTo(object), because: not });
    else due.set(object.uid, step ? podWork(object, { ...one, step }) : plainWork(one));
  }
  const reads = new Set(chosenControllers(ids).flatMap((one) => one.reads));
  return {
    snapshot,
    due: [...due.values()],
    leftAlone,
    problems: snapshot.coverage.problems.filter(
      ({ resource }) => resource !== leases || reads.has(leases),
    ),
  };
}

interface Due extends Omit<Decision, 'collector' | 'options' | 'notAfter'> {
  readonly options?: Pick<PlannedRequest, 'propagationPolicy' | 'gracePeriodSeconds'>;
  /** For pod garbage collection, whose requests differ. */
  readonly step?: PodGcStep;
}

/** What the garbage collector deletes or patches as its owners were deleted, and of what it is unknown whether it does. */
function ownerDecisions(snapshot: Snapshot, notBefore: number): Due[] {
  return [...judgementsIn(buildGraph(snapshot))].flatMap(([object, judgement]): Due[] => {
    const { action, policy, references, because, rule } = judgement;
    if (object.uid === '') return [];
    const decided = { object, notBefore, because, rule };
    if (action === 'unknown') return [{ ...decided, action: 'delete', confidence: 'unknown' }];
    if (action === 'delete') {
      const options = { propagationPolicy: policy ?? 'Background' };
      return [{ ...decided, action, confidence: 'certain', options }];
    }
    if (action !== 'patch') return [];
    const solid = references.filter((one) => one.class === 'solid');
    const patch = {
      body: { metadata: { ownerReferences: solid.map(({ reference }) => reference) } },
    };
    return [{ ...decided, action, confidence: 'certain', patch }];
  });
}

/** Bound to the object as it was judged: what has changed since may be judged otherwise. */
function plainWork({ object, action, options, patch, because, rule }: Due): DueWork {
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
const notByHand: Readonly<Record<string, string>> = {
  'persistentvolume-reclaim': 'it removes the storage itself before the volume',
  attachdetach: 'it keeps in mind what a kubelet has still mounted',
  'node-lifecycle': 'it watches heartbeats and keeps timers',
  'device-taint-eviction': 'it sets a condition and keeps timers',
  'cloud-node': 'it asks the cloud which machines are there',
  resourceclaim: 'it frees devices in several steps that drivers take part in',
  job: 'it counts and scales in several steps',
  adoption: 'it counts and scales in several steps',
  'node-lease': 'it deletes nothing',
  'ephemeral-volume': 'it deletes nothing',
  'missing-node': 'no controller collects that',
  protection: 'it deletes nothing',
  'time-to-live': 'programs that are no part of Kubernetes do it',
  'image-gc': 'the kubelet does it on its own disk',
  'container-gc': 'the kubelet does it on its own disk',
  namespace: 'it empties the namespace, kind by kind',
};

const garbageCollectorId = 'garbage-collector';

/** Controllers whose work is a delete or patch by API. */
const applicable: readonly string[] = [
  garbageCollectorId,
  ...allControllers.map(({ id }) => id).filter((id) => !Object.hasOwn(notByHand, id)),
];

/** Refuses controllers whose work cannot be applied, and the work of all controllers together. */
function applicableControllers(given: readonly string[] | undefined): ReadonlySet<string> {
  const possible = `Possible are: ${applicable.join(', ')}.`;
  if (given === undefined) {
    throw usageError('--apply needs --collector: it says whose work to do', [possible]);
  }
  const ids = new Set(given);
  for (const id of ids) {
    if (applicable.includes(id)) continue;
    const why = Object.hasOwn(notByHand, id) ? notByHand[id] : undefined;
    throw why === undefined
      ? usageError(`--collector: unknown controller "${id}"`, [
          ...didYouMean(id, applicable),
          possible,
        ])
      : usageError(`cannot apply the work of ${id}: ${why}`, [possible]);
  }
  return ids;
}
