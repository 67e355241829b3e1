import { viewOf } from '../../collectors/cluster-view.ts';
import type { Collector, Decision } from '../../collectors/collector.ts';
import { collectors } from '../../collectors/index.ts';
import { podGarbageCollector } from '../../collectors/pod-garbage-collector/pod-garbage-collector.ts';
import { rememberedBy } from '../../collectors/remembered.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { timeOf } from '../../kube/timestamp.ts';
import type { LeftAlone, PlannedRequest } from '../../plan/plan.ts';
import type { CollectorSettings } from '../../settings/collector-settings.ts';
import { enabledControllers } from '../../settings/controllers.ts';
import { identityOf } from '../../simulator/timeline.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { ownerCollector } from './applicable-collectors.ts';
import { podWork } from './pod-gc-work.ts';
import { whyNotNow } from './why-not-now.ts';
import type { DueWork, Work } from './work.ts';

export interface ForecastChoice {
  readonly ids: ReadonlySet<string>;
  readonly settings: CollectorSettings;
  readonly scope: (record: ObjectRecord) => boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The collectors that are named, without the garbage collector, which is not one of the table. */
export function chosenCollectors(ids: ReadonlySet<string>): Collector[] {
  return collectors.filter(({ id }) => ids.has(id));
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
  const memory = rememberedBy(view, now);
  const off = new Set<string>(switchedOff(choice));
  const due = new Map<string, DueWork>();
  const leftAlone: LeftAlone[] = [];
  for (const collector of chosenCollectors(ids)) {
    if (off.has(collector.id)) continue;
    for (const decision of workOf(collector)) {
      const { record, not } = decision;
      if (!scope(record) || due.has(record.uid)) continue;
      if (not === undefined) due.set(record.uid, decision.work());
      else leftAlone.push({ object: identityOf(record), because: not });
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

  function workOf(collector: Collector) {
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
    const item = { notBefore: timeOf(notBefore), confidence, because };
    return { record: object, not: whyNotNow(item, Date.parse(timeOf(now))) };
  }
}

const leases = 'leases.coordination.k8s.io';

/** Bound to the object as it was judged: what has changed since may be judged otherwise. */
function plainWork({ object, action, options, patch, because, rule }: Decision): DueWork {
  const { resourceVersion } = object;
  const { propagationPolicy, gracePeriodSeconds } = options ?? {};
  const request: PlannedRequest = {
    verb: action,
    ...identityOf(object),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(action === 'patch' && patch && { patch: { ...patch, type: 'merge' } }),
    wave: 0,
  };
  return { record: object, request, because, rule };
}
