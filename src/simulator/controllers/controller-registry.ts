import type { Controller } from '../../controllers/controller.ts';
import { csrCleaner } from '../../controllers/credentials/csr-cleaner.ts';
import {
  legacyServiceAccountTokenCleaner,
  usedSecrets,
} from '../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { podCertificateRequestCleaner } from '../../controllers/credentials/podcertificaterequest-cleaner.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { serviceAccountTokenType } from '../../kube/facts/secret.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { notRead } from '../../kube/pod-use.ts';
import { hour, minute } from '../../kube/time.ts';
import { finishedCondition, isPod } from '../../kube/well-known-kinds.ts';
import { linksOfBookkeeping } from '../api-server/bookkeeping.ts';
import { adopters } from './adopters.ts';
import { deviceTaints, resourceClaims } from './devices.ts';
import { endpointControllers } from './endpoints.ts';
import { lossesOfJobs } from './jobs.ts';
import { decidedBy, type KeyedController } from './keyed-controller.ts';
import { apiServerLeases, cloudNodes, leaseCandidates, nodeWatch, taintEviction } from './nodes.ts';
import type { Due, Look, Passes, PeriodicController } from './periodic-controller.ts';
import { podGc } from './pod-gc.ts';
import { protectionControllers } from './protections.ts';
import { tokenControllers } from './tokens.ts';
import { volumeAttachments, volumeControllers } from './volumes.ts';
import { workloadControllers } from './workloads.ts';

/**
 * Controllers that look at all objects of their kinds, in passes or at times they know in advance.
 */
const periodicControllers: readonly PeriodicController[] = [
  podGc,
  {
    ...wired(cronJobHistory),
    controller: 'cronjob-controller',
    concerns: (record) => isCronJob(record) || isFinishedOfController(record),
    groupOf: (record) => {
      const name = record.type.kind === 'Job' ? controllerOf(record)?.name : record.name;
      const isOfCronJob = record.type.kind === 'Job' || isCronJob(record);
      return isOfCronJob && name !== undefined ? `${record.namespace}/${name}` : undefined;
    },
    linksOf: linksOfRunning,
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
    concerns: ({ facts }) => facts?.secretType === serviceAccountTokenType,
    linksOf: linksOfTokens,
  },
  nodeWatch,
  apiServerLeases,
  leaseCandidates,
];

/** Controllers that clean up whenever something of theirs changes. */
const keyedControllers: readonly KeyedController[] = [
  ...adopters,
  ...workloadControllers,
  ...volumeControllers,
  volumeAttachments,
  ...endpointControllers,
  ...tokenControllers,
  // Each Job has its own expiry time (TTL-6).
  {
    id: ttlAfterFinished.id,
    controller: 'ttl-after-finished-controller',
    kinds: ['jobs.batch'],
    reads: ['jobs.batch'],
    concerns: (job) =>
      job.facts?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined,
    decide: decidedBy(ttlAfterFinished),
  },
  lossesOfJobs,
  resourceClaims,
  taintEviction,
  deviceTaints,
  cloudNodes,
  ...protectionControllers,
];

/** The controllers other than the garbage collector that simulations run. */
export const simulatedControllers: readonly (PeriodicController | KeyedController)[] = [
  ...periodicControllers,
  ...keyedControllers,
];

/**
 * Objects that share a name of one of these may act on each other, whatever has happened to them. Pods that have ended
 * do so only where there are too many of them.
 */
export const linksOfControllers: readonly NonNullable<KeyedController['linksOf']>[] = [
  ...new Set([
    ...simulatedControllers.flatMap(({ linksOf }) => linksOf ?? []),
    linksOfBookkeeping,
    ...periodicControllers.flatMap(({ groupOf, id }) =>
      groupOf && id !== podGc.id ? (record: ObjectRecord) => [groupOf(record) ?? []].flat() : [],
    ),
  ]),
];

/** A controller that remembers only the time of its last pass, which the clock has. */
function wired(
  controller: Controller,
  passes?: Passes,
): Pick<PeriodicController, 'id' | 'reads' | 'passes' | 'begin'> {
  const look: Look = (view, settings, { now, since, ranBefore }) =>
    controller.decide(view, settings, now).map((decision): Due => {
      const at = decision.notBefore;
      if (!passes || !ranBefore) return { decision, at, from: at, to: at, inGroup: true };
      const from = at > now ? at : since;
      return { decision, at, from, to: from + passes.period, inGroup: true };
    });
  return { id: controller.id, reads: controller.reads, passes, begin: () => look };
}

/** The first pass does not wait for the informer: without a pause before it, it sees nothing (CSR-2). */
function blindAtFirst(period: number): Passes {
  return { period, afterStart: (pause) => (pause > 0 ? pause : period) };
}

/** A CronJob, and what it lists as running, also under another controller. */
function linksOfRunning({ type, namespace, name, facts }: ObjectRecord): readonly string[] {
  if (type.kind === 'Job') return [`${namespace}/${name}`];
  const running = type.kind === 'CronJob' ? (facts?.activeJobs ?? []) : [];
  return running.map((job) => `${namespace}/${job.name}`);
}

/** A token, and the pods that refer to it or of which it was not read. */
function linksOfTokens(record: ObjectRecord): readonly string[] {
  const { type, namespace, name, facts } = record;
  const unread = `${namespace}/?`;
  if (isPod(record)) {
    const used = usedSecrets(record);
    return used === notRead ? [unread] : [...used].map((secret) => `${namespace}/${secret}`);
  }
  const isToken = type.kind === 'Secret' && facts?.secretType === serviceAccountTokenType;
  return isToken ? [`${namespace}/${name}`, unread] : [];
}

function isCronJob({ type, facts }: ObjectRecord): boolean {
  return type.kind === 'CronJob' && facts !== undefined;
}

/** Only such Jobs can be too many. */
function isFinishedOfController(record: ObjectRecord): boolean {
  return controllerOf(record) !== undefined && finishedCondition(record) !== undefined;
}
