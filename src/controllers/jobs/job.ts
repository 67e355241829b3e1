import {
  controllerOf,
  isBeingDeleted,
  type ObjectRecord,
  ORPHAN,
} from '../../kube/object-record.ts';
import { timestampOf } from '../../kube/time.ts';
import {
  apiDefaults,
  conditionOf,
  finishedCondition,
  isPodTerminal,
} from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ControllerId, Decision } from '../controller.ts';
import { deletion, handlingTime, nextSync, patching } from '../decision.ts';
import { jobsOf } from './cronjob-history.ts';
import { actionsFor } from './pod-failure-policy.ts';

export const jobId: ControllerId = 'job';
export const jobTracking = 'batch.kubernetes.io/job-tracking';
const ownManager = 'kubernetes.io/job-controller';

/** What a Job decides by. */
export interface JobState {
  readonly job: ObjectRecord;
  /** Its own pods that are there. */
  readonly pods: readonly ObjectRecord[];
  /** Its pods that were deleted and that its status does not count yet, or for whose end it waited, as they were. */
  readonly lost: readonly ObjectRecord[];
  /** The other Jobs of its CronJob, and that CronJob. */
  readonly siblings: Siblings;
}

interface Siblings {
  readonly cronJob: ObjectRecord | undefined;
  readonly jobs: readonly ObjectRecord[];
}

export function siblingsOf(view: ClusterView, job: ObjectRecord): Siblings {
  const controller = controllerOf(job);
  const cronJob = controller && view.at('cronjobs.batch', job.namespace, controller.name);
  const all = cronJob ? jobsOf(view, cronJob) : [];
  if (!all.some(({ uid }) => uid === job.uid)) return { cronJob: undefined, jobs: [] };
  return { cronJob, jobs: all.filter(({ uid }) => uid !== job.uid) };
}

/** syncJob leaves Jobs that have finished, and those of another manager, as they are. */
export function isManaged(job: ObjectRecord): boolean {
  return finishedCondition(job) === undefined && hasOwnManager(job);
}

export function hasOwnManager({ facts }: ObjectRecord): boolean {
  return (facts?.managedBy ?? ownManager) === ownManager;
}

/** The Job controller counts only pods that carry its finalizer (getValidPodsWithFilter). */
export function isTracked({ finalizers }: ObjectRecord): boolean {
  return finalizers.includes(jobTracking);
}

/** IsPodActive, pkg/controller/controller_utils.go. */
export function isActive(pod: ObjectRecord): boolean {
  return !isPodTerminal(pod) && !isBeingDeleted(pod);
}

/**
 * A pod that is deleted or marked Failed counts as a failure, unless it has succeeded by then (isPodFailed). Beyond the
 * Job's backoffLimit the Job is Failed, and its other pods are deleted (syncJob, deleteActivePods,
 * pkg/controller/job/job_controller.go; JOB-1).
 */
export function afterLosses(state: JobState, now: number): readonly Decision[] {
  const { job, lost } = state;
  const { facts = {}, name } = job;
  if (!isManaged(job)) return [];
  const active = state.pods.filter(isActive);
  const isTerminating = isBeingDeleted(job);
  const outcome = isTerminating ? undefined : outcomeOf(job);
  if (outcome) {
    const because = `Job ${name} becomes ${outcome} when none of its pods is left to end`;
    const reason = { ...nextSync(now), because, rule: 'JOB-1' };
    if (state.pods.every(isPodTerminal)) return [finishing(job, outcome, reason, now)];
    return active.map((pod) => deletion(jobId, pod, reason));
  }
  // manageJob, which is not called for a Job that is being deleted.
  const isSuspended = facts.suspend === true && !isTerminating;
  const suspended = { ...nextSync(now), because: `Job ${name} is suspended`, rule: 'JOB-2' };
  const stopped = isSuspended ? active.map((pod) => deletion(jobId, pod, suspended)) : [];
  const runs = isSuspended ? [] : active;
  const { backoffLimit = apiDefaults.backoffLimit } = facts;
  const counted = lost.filter(isTracked);
  const losses = counted.filter((pod) => pod.facts?.phase !== 'Succeeded' && mayCount(job, pod));
  const failed = (facts.failed ?? 0) + losses.length;
  const count = `${failed} of its pods have failed or were deleted, and its backoffLimit is ${backoffLimit}`;
  const isOver = failed > backoffLimit;
  if (!isTerminating && isOver && lossesFail(job, losses)) {
    const because = `Job ${name} fails: ${count}`;
    const reason = { ...nextSync(now), because, rule: 'JOB-1' };
    const stops = active.map((pod) => deletion(jobId, pod, reason));
    return [...stops, finishing(job, 'Failed', reason, now)];
  }
  const policy = facts.suspend ? undefined : failedByPolicy(job, [...lost, ...state.pods]);
  if (policy && !isTerminating)
    return failing(job, active, { ...nextSync(now), because: policy, rule: 'JOB-5' }, now);
  if (isOver || mayFailByRules(job, lost)) {
    const rule =
      facts.backoffLimitPerIndex === undefined ? 'podFailurePolicy' : 'backoffLimitPerIndex';
    const isCounted = isOver || !job.facts;
    const because = `Job ${name} may fail${isCounted ? `: ${count}` : ` by its ${rule}`}`;
    return [...stopped, ...mayFinish(state, runs, because, 'JOB-1', now)];
  }
  const late = isSuspended ? [] : pastDeadline(job, active, now);
  if (late.some(({ confidence }) => confidence === 'certain')) return late;
  const ran = counted.filter(maySucceed).length;
  return [...stopped, ...late, ...afterSuccess(state, runs, ran, now)];
}

/**
 * A Job whose pods have ended and are not counted yet may be complete or fail by them; and it deletes pods of which it has
 * too many. Which ones depends on their Nodes and times (syncJob, manageJob and activePodsForRemoval,
 * pkg/controller/job/job_controller.go; JOB-6).
 */
export function beyondNeed(state: JobState, now: number): readonly Decision[] {
  const { job, pods: own } = state;
  const { facts } = job;
  if (!facts || !isManaged(job) || facts.suspend === true) return [];
  const { completions, parallelism = 1, backoffLimit = apiDefaults.backoffLimit } = facts;
  const ended = own.filter((pod) => isTracked(pod) && isPodTerminal(pod));
  const succeeded = (facts.succeeded ?? 0) + ended.filter(hasSucceeded).length;
  const failed = (facts.failed ?? 0) + ended.filter((pod) => !hasSucceeded(pod)).length;
  const active = own.filter(isActive);
  const isDone = completions === undefined ? active.length === 0 : succeeded >= completions;
  const mayEnd = isDone || failed > backoffLimit || facts.successPolicy === true;
  if (ended.length > 0 && mayEnd) {
    const because = `Job ${job.name} may finish: ${succeeded} of its pods have succeeded and ${failed} have failed`;
    return mayFinish(state, active, because, 'JOB-6', now);
  }
  const wanted = Math.min(parallelism, Math.max(0, (completions ?? Infinity) - succeeded));
  if (active.length <= wanted) return [];
  const because = `Job ${job.name} has ${active.length} pods that run, and wants ${wanted}`;
  return active.map((pod) => perhaps(pod, because, 'JOB-6', now));
}

/**
 * A container that is stopped may succeed. `ran`: how many of the pods that the Job lost may have. One of them may be all
 * that a successPolicy requires (matchSuccessPolicy, pkg/controller/job/success_policy.go).
 */
function afterSuccess(
  state: JobState,
  runs: readonly ObjectRecord[],
  ran: number,
  now: number,
): readonly Decision[] {
  const { job, lost } = state;
  const { completions, successPolicy, ...facts } = job.facts ?? {};
  const succeeded = (facts.succeeded ?? 0) + ran;
  if (successPolicy && ran > 0) {
    const because = `Job ${job.name} may meet its successPolicy: pods that it lost may have succeeded`;
    return mayFinish(state, runs, because, 'JOB-1', now);
  }
  const isEnough =
    completions === undefined
      ? lost.length > 0 && runs.length === 0 && succeeded > 0
      : ran > 0 && succeeded >= completions;
  if (!isEnough) return [];
  const because = `Job ${job.name} may be complete: its last Pods are terminating and may have succeeded`;
  return mayFinish(state, [], because, 'JOB-1', now);
}

/** Did the pod run when it was deleted, and is it not known to have failed? */
function maySucceed({ facts }: ObjectRecord): boolean {
  return facts?.phase !== 'Pending' && facts?.phase !== 'Failed';
}

/**
 * May a Job that is being deleted still delete its pods? It does when it fails before they are orphaned; and by a
 * podFailurePolicy, which also applies to pods that the Job does not track any more (getFailJobMessage).
 */
export function stopsWhileDeleted({ finalizers, facts }: ObjectRecord): boolean {
  return finalizers.includes(ORPHAN) || facts?.podFailurePolicy === true;
}

/** May a pod count as failed (nonIgnoredFailedPodsCount)? */
function mayCount(job: ObjectRecord, pod: ObjectRecord): boolean {
  return !job.facts?.podFailurePolicy || actionsFor(job, pod).some((action) => action !== 'Ignore');
}

/** May one of these pods fail its Job, or count for its index alone? */
function mayFailByRules(job: ObjectRecord, lost: readonly ObjectRecord[]): boolean {
  if (lost.length === 0) return false;
  const { facts } = job;
  if (!facts || facts.backoffLimitPerIndex !== undefined) return true;
  const mayFail = (pod: ObjectRecord) => actionsFor(job, pod).includes('FailJob');
  return facts.podFailurePolicy === true && lost.some((pod) => !hasSucceeded(pod) && mayFail(pod));
}

function hasSucceeded({ facts }: ObjectRecord): boolean {
  return facts?.phase === 'Succeeded';
}

/** Why a podFailurePolicy fails the Job: one of these pods is Failed, and a rule says FailJob (getFailJobMessage). */
function failedByPolicy(job: ObjectRecord, lost: readonly ObjectRecord[]): string | undefined {
  if (!job.facts?.podFailurePolicy) return undefined;
  const failed = lost.find((pod) => {
    const [action, ...others] = pod.facts?.phase === 'Failed' ? actionsFor(job, pod) : [];
    return action === 'FailJob' && others.length === 0;
  });
  return failed && `Job ${job.name} fails by its podFailurePolicy: Pod ${failed.name} has failed`;
}

/**
 * A Job that runs for longer than its activeDeadlineSeconds fails, if it has not finished by then (pastActiveDeadline,
 * pkg/controller/job/job_controller.go; JOB-4).
 */
function pastDeadline(job: ObjectRecord, active: readonly ObjectRecord[], now: number): Decision[] {
  const { activeDeadlineSeconds, startTime } = job.facts ?? {};
  if (activeDeadlineSeconds === undefined || isBeingDeleted(job)) return [];
  const because = `Job ${job.name} fails at its deadline, ${activeDeadlineSeconds} seconds after its start`;
  const due =
    (startTime === undefined ? now : Date.parse(startTime)) + activeDeadlineSeconds * 1000;
  const latest = due + handlingTime;
  // Each sync sets a timer for the deadline; when one is late, it does not show why.
  if (startTime !== undefined && latest <= now)
    return failing(job, active, { ...nextSync(now), because, rule: 'JOB-4' }, now);
  const reason = {
    notBefore: Math.max(due, now),
    notAfter: latest,
    because: `${because}, unless it has finished by then`,
    rule: 'JOB-4',
  };
  if (startTime !== undefined && due <= now) return failing(job, active, reason, now);
  const confidence = startTime === undefined ? 'unknown' : 'likely';
  // One that has no pods now may have some by then.
  if (active.length === 0) return [finishing(job, 'FailureTarget', { ...reason, confidence }, now)];
  return active.map((pod) => deletion(jobId, pod, { ...reason, confidence }));
}

/** A Job that is to fail deletes its pods, and has failed once all of them have ended (newFailureCondition). */
function failing(
  job: ObjectRecord,
  active: readonly ObjectRecord[],
  reason: JobReason,
  now: number,
): Decision[] {
  return [
    finishing(job, 'FailureTarget', reason, now),
    ...active.map((pod) => deletion(jobId, pod, reason)),
  ];
}

/**
 * Do all these pods certainly count as failed? With the podReplacementPolicy Failed one counts only when its phase says
 * so; and a suspended Job may have deleted them itself: then they do not.
 */
function lossesFail(job: ObjectRecord, lost: readonly ObjectRecord[]): boolean {
  const { podReplacementPolicy, podFailurePolicy, suspend } = job.facts ?? {};
  const areReplacedOnceFailed = podReplacementPolicy === 'Failed' || podFailurePolicy === true;
  const hasFailed = (pod: ObjectRecord) =>
    pod.facts?.phase === 'Failed'
      ? !podFailurePolicy || actionsFor(job, pod).every((action) => action === 'Count')
      : pod.facts?.phase === 'Pending' && !areReplacedOnceFailed;
  const isOpen = suspend === true && lost.length > 0;
  const isPerIndex = job.facts?.backoffLimitPerIndex !== undefined;
  return job.facts !== undefined && !isPerIndex && !isOpen && lost.every(hasFailed);
}

type JobReason = Omit<Parameters<typeof patching>[2], 'patch'>;

function finishing(
  job: ObjectRecord,
  type: 'Complete' | 'Failed' | 'FailureTarget',
  reason: JobReason,
  now: number,
): Decision {
  const conditions = [{ type, status: 'True', lastTransitionTime: timestampOf(now) }];
  const patch = { subresource: 'status' as const, body: { status: { conditions } } };
  return patching(jobId, job, { ...reason, patch });
}

/** What a Job becomes once its pods have ended, for which it waits (enactJobFinished). */
export function outcomeOf(job: ObjectRecord): 'Complete' | 'Failed' | undefined {
  if (conditionOf(job, 'SuccessCriteriaMet')?.status === 'True') return 'Complete';
  return conditionOf(job, 'FailureTarget')?.status === 'True' ? 'Failed' : undefined;
}

/** What may go where it is open whether a Job finishes now: its pods, itself, and what its CronJob has too many of. */
export function mayFinish(
  { job, siblings: { cronJob, jobs: others } }: Pick<JobState, 'job' | 'siblings'>,
  active: readonly ObjectRecord[],
  because: string,
  rule: string,
  now: number,
): readonly Decision[] {
  const limits = { ...apiDefaults, ...cronJob?.facts };
  const least = Math.min(limits.successfulJobsHistoryLimit, limits.failedJobsHistoryLimit);
  const finished = cronJob ? others.filter(finishedCondition) : [];
  const isOver = cronJob !== undefined && finished.length + 1 > least;
  const expires = !job.facts || job.facts.ttlSecondsAfterFinished !== undefined;
  const all = [...active, ...(isOver ? finished : []), ...(isOver || expires ? [job] : [])];
  return all
    .filter((object) => !isBeingDeleted(object))
    .map((object) => perhaps(object, because, rule, now));
}

function perhaps(object: ObjectRecord, because: string, rule: string, now: number): Decision {
  return deletion(jobId, object, { ...nextSync(now), because, rule, confidence: 'unknown' });
}
