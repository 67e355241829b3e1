import type { Collector } from '../../collectors/collector.ts';
import { cronJobHistory } from '../../collectors/cronjob-history.ts';
import { csrCleaner } from '../../collectors/csr-cleaner/csr-cleaner.ts';
import { controllerOf } from '../../collectors/decide.ts';
import { finishedCondition } from '../../collectors/job-state.ts';
import { legacyServiceAccountTokenCleaner } from '../../collectors/legacy-serviceaccount-token-cleaner/legacy-serviceaccount-token-cleaner.ts';
import { podCertificateRequestCleaner } from '../../collectors/podcertificaterequest-cleaner.ts';
import { serviceAccountToken } from '../../kube/facts/secret-facts.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiServerLeases, cloudNodes } from './elsewhere.ts';
import { endpointCollectors } from './endpoints.ts';
import { finishedJobs } from './finished-jobs.ts';
import type { KeyedCollector } from './keyed-collector.ts';
import { nodeWatch } from './node-health.ts';
import { podGarbageCollection } from './pod-garbage-collection.ts';
import { resourceClaims } from './resource-claims.ts';
import { taintEviction } from './taint-eviction.ts';
import { tokenCollectors } from './tokens.ts';
import { volumeCollectors } from './volumes.ts';
import type { Due, Look, Passes, WiredCollector } from './wired-collector.ts';
import { workloadCollectors } from './workloads.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Collectors that look at everything of their kinds, in passes or at times that they know. */
export const periodicCollectors: readonly WiredCollector[] = [
  podGarbageCollection,
  {
    ...wired(cronJobHistory),
    controller: 'cronjob-controller',
    concerns: (record) => isCronJob(record) || isFinishedOfController(record),
    groupOf: (record) =>
      isCronJob(record)
        ? `${record.namespace}/${record.name}`
        : record.type.kind === 'Job'
          ? `${record.namespace}/${controllerOf(record)?.name}`
          : undefined,
  },
  {
    ...wired(csrCleaner, blindAtFirst(hour)),
    controller: 'certificatesigningrequest-cleaner-controller',
    concerns: ({ facts }) => facts !== undefined,
  },
  {
    ...wired(podCertificateRequestCleaner, blindAtFirst(5 * minute)),
    controller: 'podcertificaterequest-cleaner-controller',
    concerns: () => true,
  },
  {
    ...wired(legacyServiceAccountTokenCleaner, { period: 24 * hour, afterStart: (pause) => pause }),
    controller: 'legacy-serviceaccount-token-cleaner-controller',
    concerns: ({ facts }) => facts?.secretType === serviceAccountToken,
  },
  nodeWatch,
  apiServerLeases,
];

/** Controllers that clean up whenever something of theirs changes. */
export const keyedCollectors: readonly KeyedCollector[] = [
  ...workloadCollectors,
  ...volumeCollectors,
  ...endpointCollectors,
  ...tokenCollectors,
  finishedJobs,
  resourceClaims,
  taintEviction,
  cloudNodes,
];

/** The collectors beside the garbage collector that simulations run. */
export const wiredCollectors: readonly (WiredCollector | KeyedCollector)[] = [
  ...periodicCollectors,
  ...keyedCollectors,
];

/** One that remembers nothing but when it made its last pass, which the clock knows. */
function wired(
  collector: Collector,
  passes?: Passes,
): Pick<WiredCollector, 'id' | 'reads' | 'passes' | 'begin'> {
  const look: Look = (view, settings, { now, since, ranBefore }) =>
    collector.decide(view, settings, now).map((decision): Due => {
      const at = decision.notBefore;
      if (!passes || !ranBefore) return { decision, at, from: at, to: at, inGroup: true };
      const from = at > now ? at : since;
      return { decision, at, from, to: from + passes.period, inGroup: true };
    });
  return { id: collector.id, reads: collector.reads, passes, begin: () => look };
}

/** The first pass does not wait for the informer: without a pause before it, it sees nothing (CSR-2). */
function blindAtFirst(period: number): Passes {
  return { period, afterStart: (pause) => (pause > 0 ? pause : period) };
}

function isCronJob({ type, facts }: ObjectRecord): boolean {
  return type.kind === 'CronJob' && facts !== undefined;
}

/** Only such Jobs can be too many. */
function isFinishedOfController(record: ObjectRecord): boolean {
  return controllerOf(record) !== undefined && finishedCondition(record) !== undefined;
}
