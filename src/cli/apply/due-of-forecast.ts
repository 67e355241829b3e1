import { viewOf } from '../../controllers/cluster-view.ts';
import type { Controller, Decision } from '../../controllers/controller.ts';
import { memoryFromLease } from '../../controllers/leader-lease.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { allControllers } from '../../controllers/registry.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { ownerCollector } from './applicable-controllers.ts';
import { podWork, whyNotNow } from './due-of-pod-gc.ts';
import type { DueWork, Work } from './due-requests.ts';

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
