import type { PassController } from '../../controllers/controller.ts';
import { bootstrapTokenCleaner } from '../../controllers/credentials/bootstrap-token-cleaner.ts';
import { csrCleaner } from '../../controllers/credentials/csr-cleaner.ts';
import {
  legacyServiceAccountTokenCleaner,
  usedSecrets,
} from '../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { podCertificateRequestCleaner } from '../../controllers/credentials/podcertificaterequest-cleaner.ts';
import { serviceAccountToken } from '../../controllers/credentials/serviceaccount-token.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { protection, protections } from '../../controllers/finalizers/protection.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import {
  afterLosses,
  isTracked,
  jobController,
  outcomeOf,
  siblingsOf,
  stopsWhileDeleted,
} from '../../controllers/jobs/job.ts';
import { releaseOf } from '../../controllers/jobs/job-tracking.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { bootstrapTokenType, serviceAccountTokenType } from '../../kube/facts/secret.ts';
import { matchesSelector } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { notRead } from '../../kube/pod-use.ts';
import { hour, minute } from '../../kube/time.ts';
import { finishedCondition, isPod, isPodTerminal } from '../../kube/well-known-kinds.ts';
import { linksOfBookkeeping } from '../api-server/server-clean-up.ts';
import type { CleanUpController } from '../engine/timeline.ts';
import { adopters } from './adopters.ts';
import { deviceTaints, resourceClaims } from './devices.ts';
import { endpointControllers } from './endpoints.ts';
import { byController, type IndexKind, ownName } from './indexes.ts';
import {
  affectedByName,
  type Cluster,
  type ControllerLinks,
  type KeyedController,
  keyed,
  type Links,
  linksIn,
  noteLoss,
} from './keyed-controller.ts';
import { apiServerLeases, cloudNodes, leaseCandidates, nodeWatch, taintEviction } from './nodes.ts';
import type { Due, Look, Passes, PeriodicController } from './periodic-controller.ts';
import { podGc } from './pod-gc.ts';
import { volumeAttachments, volumeControllers } from './volumes.ts';
import { workloadControllers } from './workloads.ts';

/**
 * Controllers that look at all objects of their kinds, in passes or at times they know in advance.
 */
const periodicControllers: readonly PeriodicController[] = [
  podGc,
  {
    ...wired(cronJobHistory),
    concerns: (record) => isCronJob(record) || isFinishedOfController(record),
    groupOf: (record) => {
      const name = record.type.kind === 'Job' ? controllerOf(record)?.name : record.name;
      const isOfCronJob = record.type.kind === 'Job' || isCronJob(record);
      return isOfCronJob && name !== undefined ? `${record.namespace}/${name}` : undefined;
    },
  },
  {
    ...wired(csrCleaner, blindAtFirst(hour)),
    concerns: ({ facts }) => facts !== undefined,
  },
  {
    ...wired(podCertificateRequestCleaner, blindAtFirst(5 * minute)),
    concerns: () => true,
  },
  {
    ...wired(legacyServiceAccountTokenCleaner, { period: 24 * hour, afterStart: (pause) => pause }),
    concerns: ({ facts }) => facts?.secretType === serviceAccountTokenType,
  },
  nodeWatch,
  apiServerLeases,
  leaseCandidates,
];

const jobs = 'jobs.batch';
const cronJobs = 'cronjobs.batch';
const secrets = 'secrets';
const claims = 'persistentvolumeclaims';
const volumes = 'persistentvolumes';
const ofAccounts: Links = { [secrets]: accountOf, serviceaccounts: ownName };
const ofJobs: Links = { [jobs]: ({ uid }) => [uid], pods: uidOfController };
const tokensByAccount: IndexKind = { resource: secrets, keysOf: accountOf };

/** A class or a group and what names it; all ranges and addresses, of which each may count for the others. */
const linksOfProtected: Links = {
  'volumeattributesclasses.storage.k8s.io': ({ name }) => [name],
  [claims]: classesOf,
  [volumes]: classesOf,
  'servicecidrs.networking.k8s.io': () => ['addresses'],
  'ipaddresses.networking.k8s.io': () => ['addresses'],
  'podgroups.scheduling.k8s.io': ownName,
  pods: ({ namespace, facts }) =>
    facts?.podGroupName === undefined ? [] : [`${namespace}/${facts.podGroupName}`],
};

/** Controllers that clean up whenever something of theirs changes. */
const keyedControllers: readonly KeyedController[] = [
  ...adopters,
  ...workloadControllers,
  ...volumeControllers,
  volumeAttachments,
  ...endpointControllers,
  // Tokens are deleted after their ServiceAccount (SAT-5).
  keyed(serviceAccountToken, {
    concerns: (secret) =>
      secret.facts?.secretType === serviceAccountTokenType && !isBeingDeleted(secret),
    // Nothing but another uid makes a difference to a token.
    affected: (change, cluster) =>
      change.before && change.after
        ? []
        : affectedByName(tokensByAccount, ofAccounts)(change, cluster),
    links: ofAccounts,
  }),
  // BT-1.
  keyed(bootstrapTokenCleaner, {
    concerns: ({ namespace, facts }) =>
      facts?.secretType === bootstrapTokenType && namespace === 'kube-system',
  }),
  // Each Job has its own expiry time (TTL-6).
  keyed(ttlAfterFinished, {
    concerns: (job) =>
      job.facts?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined,
  }),
  // Jobs that lose pods during a run, and may finish by that (JOB-1), those that are suspended (JOB-2), and those with a deadline (JOB-4).
  keyed(jobController, {
    concerns: ({ uid, facts }, { lostPods }) =>
      lostPods.has(uid) ||
      facts?.suspend === true ||
      facts?.activeDeadlineSeconds !== undefined ||
      facts?.podFailurePolicy === true,
    affected: ({ before, after }, cluster) => {
      if (!before || !isPod(before) || isPodTerminal(before)) return [];
      const job = jobOf(before, cluster);
      if (!job || finishedCondition(job)) return [];
      // Pod garbage collection marks a pod as Failed before it deletes it (PG-16).
      const hasEnded = after !== undefined && isPodTerminal(after);
      // A Job that is to finish waits for the pods that are terminating.
      const matters = isBeingDeleted(before) ? outcomeOf(job) : !after || isBeingDeleted(after);
      if (!matters && !hasEnded) return [];
      // What its Job has counted is not tracked any more (JOB-3).
      noteLoss(cluster, job, hasEnded ? after : before, hasEnded && isTracked(before));
      return [job];
    },
    decide: (job, { indexes, lostPods, view, isRequested }, { now }) => {
      if (isBeingDeleted(job) && !stopsWhileDeleted(job)) return [];
      const pods = indexes.of(byController('pods')).get(job.uid);
      const known = lostPods.get(job.uid) ?? new Map<string, ObjectRecord | undefined>();
      const lost = [...known.values()].filter((pod) => pod !== undefined);
      const decisions = afterLosses({ job, pods, lost, siblings: siblingsOf(view, job) }, now);
      const stopped = decisions.filter(({ rule }) => rule === 'JOB-2');
      for (const { object } of stopped)
        known.set(object.uid, isRequested(object) ? object : undefined);
      if (stopped.length > 0) lostPods.set(job.uid, known);
      return decisions;
    },
    links: ofJobs,
  }),
  // Pods that are being deleted, until their Jobs have counted them (JOB-3).
  keyed(jobController, {
    kinds: ['pods'],
    concerns: (pod) => isBeingDeleted(pod) && isTracked(pod),
    // What ends with its Job is found by the Job's selector (deleteJob, enqueueLabelSelector), not by its owner.
    affected: (change, cluster) =>
      affectedByName(byController('pods'), ofJobs)(change, cluster).filter((pod) => {
        const { selector } = change.before?.facts ?? {};
        return change.after || !selector || matchesSelector(selector, pod?.labels);
      }),
    decide: (pod, { view }, { now }) => releaseOf(view, pod, now),
    links: ofJobs,
  }),
  resourceClaims,
  taintEviction,
  deviceTaints,
  cloudNodes,
  // What is being deleted loses its protection once nothing uses it (PROT-1 to PROT-3).
  ...protection.syncers.map((one) =>
    keyed(
      protection,
      {
        reads: protections.find(({ controller }) => controller === one.runsAs)?.reads ?? [],
        concerns: isBeingDeleted,
        // Few of them are ever being deleted.
        affected: ({ before, after }, cluster) => {
          const linksOf = linksIn(linksOfProtected, cluster);
          const names = new Set(
            [before, after].flatMap((record) => (record ? linksOf(record) : [])),
          );
          const isNamed = (record: ObjectRecord) => linksOf(record).some((name) => names.has(name));
          const ending = cluster.state.ofResource(one.syncs).filter(isBeingDeleted);
          return names.size === 0 ? [] : ending.filter(isNamed);
        },
        links: linksOfProtected,
      },
      one,
    ),
  ),
];

/** The controllers other than the garbage collector that simulations run. */
export const simulatedControllers: readonly (PeriodicController | KeyedController)[] = [
  ...periodicControllers,
  ...keyedControllers,
];

/** Which objects may act on each other, whatever has happened to them. */
export const linksOfControllers: readonly ControllerLinks[] = [
  ...keyedControllers.flatMap(({ kinds, links }) => (links ? [{ kinds, links }] : [])),
  // A CronJob, and what it lists as running, also under another controller.
  { kinds: [cronJobs], links: { [jobs]: ownName, [cronJobs]: runningJobs } },
  // A token, and the pods that refer to it or of which it was not read.
  { kinds: [secrets], links: { [secrets]: ownAndUnread, pods: usedTokens } },
  ...linksOfBookkeeping,
];

/** Objects of one of these groups are judged together. Pods that have ended are only where there are too many of them. */
export const groupsOfControllers: readonly NonNullable<PeriodicController['groupOf']>[] =
  periodicControllers.flatMap(({ groupOf, id }) => (groupOf && id !== podGc.id ? [groupOf] : []));

/** A controller that remembers only the time of its last pass, which the clock has. */
function wired(
  controller: PassController,
  passes?: Passes,
): Pick<PeriodicController, 'id' | 'controller' | 'reads' | 'passes' | 'begin'> {
  const look: Look = (view, settings, { now, since, ranBefore }) =>
    controller.pass(view, settings, now).map((decision): Due => {
      const at = decision.notBefore;
      if (!passes || !ranBefore) return { decision, at, from: at, to: at, inGroup: true };
      const from = at > now ? at : since;
      return { decision, at, from, to: from + passes.period, inGroup: true };
    });
  const { id, controllers, reads } = controller;
  const [actor] = controllers as readonly [CleanUpController];
  return { id, controller: actor, reads, passes, begin: () => look };
}

/** The first pass does not wait for the informer: without a pause before it, it sees nothing (CSR-2). */
function blindAtFirst(period: number): Passes {
  return { period, afterStart: (pause) => (pause > 0 ? pause : period) };
}

/** What a CronJob lists as running. */
function runningJobs({ namespace, facts }: ObjectRecord): readonly string[] {
  return (facts?.activeJobs ?? []).map((job) => `${namespace}/${job.name}`);
}

/** A token, and whatever may refer to any. */
function ownAndUnread(secret: ObjectRecord): readonly string[] {
  const isToken = secret.facts?.secretType === serviceAccountTokenType;
  return isToken ? [...ownName(secret), unreadIn(secret)] : [];
}

function usedTokens(pod: ObjectRecord): readonly string[] {
  const used = usedSecrets(pod);
  return used === notRead
    ? [unreadIn(pod)]
    : [...used].map((secret) => `${pod.namespace}/${secret}`);
}

function unreadIn({ namespace }: ObjectRecord): string {
  return `${namespace}/?`;
}

function isCronJob({ type, facts }: ObjectRecord): boolean {
  return type.kind === 'CronJob' && facts !== undefined;
}

/** Only such Jobs can be too many. */
function isFinishedOfController(record: ObjectRecord): boolean {
  return controllerOf(record) !== undefined && finishedCondition(record) !== undefined;
}

/** The Job that controls a pod, also while it is being deleted. */
function jobOf(pod: ObjectRecord, { state }: Cluster): ObjectRecord | undefined {
  const [uid] = uidOfController(pod);
  const job = uid && state.at(jobs, pod.namespace, controllerOf(pod)?.name ?? '');
  return job && job.uid === uid ? job : undefined;
}

/** Of a pod of a Job. */
function uidOfController(record: ObjectRecord): readonly string[] {
  const controller = isPod(record) ? controllerOf(record) : undefined;
  return controller?.kind === 'Job' ? [controller.uid] : [];
}

/** The VolumeAttributesClasses that a claim or a volume has, had, and is to have. */
function classesOf({ facts = {} }: ObjectRecord): readonly string[] {
  return [
    facts.volumeAttributesClassName ?? [],
    facts.currentVolumeAttributesClassName ?? [],
    facts.targetVolumeAttributesClassName ?? [],
  ].flat();
}

/** The ServiceAccount that a token is of. */
function accountOf({ namespace, annotations, facts }: ObjectRecord): readonly string[] {
  const account = annotations?.['kubernetes.io/service-account.name'];
  const isToken = facts?.secretType === serviceAccountTokenType;
  return isToken && account !== undefined ? [`${namespace}/${account}`] : [];
}
