import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { hour, timestampOf } from '../../kube/time.ts';
import { conditionOf, finishedCondition, isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Controller, ControllerId, Decision } from '../controller.ts';
import { controllerOf, deletion, nextSync, patching } from '../decision.ts';
import { jobsOf } from './cronjob-history.ts';

const id: ControllerId = 'job';
const jobs = 'jobs.batch';
const pods = 'pods';
export const jobTracking = 'batch.kubernetes.io/job-tracking';
const ownManager = 'kubernetes.io/job-controller';

/** A Job that fails, or is suspended, deletes the pods that still run. */
export const jobController: Controller = {
  id,
  controllers: ['job-controller'],
  reads: [jobs, pods],
  decide: (view, _settings, now) =>
    view.all(jobs).flatMap((job) => {
      if (!job.facts || isBeingDeleted(job)) return [];
      const own = view.in(pods, job.namespace).filter((pod) => controllerOf(pod)?.uid === job.uid);
      return afterLosses({ job, pods: own, lost: [], siblings: siblingsOf(view, job) }, now);
    }),
};

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
  const cronJob = view.at('cronjobs.batch', job.namespace, controllerOf(job)?.name ?? '');
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
 * A deleted pod counts as a failure, unless it has succeeded by then (isPodFailed). Beyond the Job's backoffLimit the
 * Job is Failed, and its other pods are deleted (syncJob, deleteActivePods, pkg/controller/job/job_controller.go; JOB-1).
 */
export function afterLosses(state: JobState, now: number): readonly Decision[] {
  const { job, lost } = state;
  const { facts = {}, name } = job;
  const { ttlSecondsAfterFinished: ttl = 0 } = facts;
  if (lost.length > 0 && finishedCondition(job) && ttl * 1000 >= hour) {
    // A plan does not look as far.
    const because = `Job ${name} has finished by this, and goes ${ttl} s later`;
    return [perhaps(job, because, 'JOB-1', now)];
  }
  if (!isManaged(job)) return [];
  const active = state.pods.filter(isActive);
  const outcome = outcomeOf(job);
  if (outcome) {
    const because = `Job ${name} becomes ${outcome} when none of its pods is left to end`;
    const reason = { ...nextSync(now), because, rule: 'JOB-1' };
    if (state.pods.every(isPodTerminal)) return [finishing(job, outcome, reason, now)];
    return active.map((pod) => deletion(id, pod, reason));
  }
  // manageJob.
  const suspended = { ...nextSync(now), because: `Job ${name} is suspended`, rule: 'JOB-2' };
  const stopped = facts.suspend ? active.map((pod) => deletion(id, pod, suspended)) : [];
  const runs = facts.suspend ? [] : active;
  const { backoffLimit = 6 } = facts;
  const counted = lost.filter(isTracked);
  const failed = (facts.failed ?? 0) + counted.length;
  const count = `${failed} of its pods have failed or were deleted, and its backoffLimit is ${backoffLimit}`;
  if (failed > backoffLimit && lossesFail(job, counted)) {
    const because = `Job ${name} fails: ${count}`;
    const reason = { ...nextSync(now), because, rule: 'JOB-1' };
    const stops = active.map((pod) => deletion(id, pod, reason));
    return [...stops, finishing(job, 'Failed', reason, now)];
  }
  if (failed > backoffLimit || (counted.length > 0 && hasOwnRules(job))) {
    const because = `Job ${name} may fail: ${count}`;
    return [...stopped, ...mayFinish(state, runs, because, 'JOB-1', now)];
  }
  // A process that is told to stop may end well.
  const ran = counted.filter(isRunning).length;
  const succeeded = (facts.succeeded ?? 0) + ran;
  const isEnough =
    facts.completions === undefined
      ? lost.length > 0 && runs.length === 0 && succeeded > 0
      : ran > 0 && succeeded >= facts.completions;
  if (!isEnough) return stopped;
  const because = `Job ${name} may be complete: its last pods were told to stop, and may have succeeded`;
  return [...stopped, ...mayFinish(state, [], because, 'JOB-1', now)];
}

function isRunning({ facts }: ObjectRecord): boolean {
  return facts?.phase !== 'Pending';
}

/** Does a deleted pod count otherwise than any failed one? */
function hasOwnRules({ facts }: ObjectRecord): boolean {
  return !facts || facts.podFailurePolicy === true || facts.backoffLimitPerIndex !== undefined;
}

/** Do all deleted pods certainly count as failed? A suspended Job may have let them go itself: then they do not. */
function lossesFail(job: ObjectRecord, lost: readonly ObjectRecord[]): boolean {
  const { podReplacementPolicy, suspend } = job.facts ?? {};
  const isOpen = (podReplacementPolicy === 'Failed' || suspend === true) && lost.length > 0;
  return !hasOwnRules(job) && !isOpen && !lost.some(isRunning);
}

function finishing(
  job: ObjectRecord,
  type: 'Complete' | 'Failed',
  reason: Omit<Parameters<typeof patching>[2], 'patch'>,
  now: number,
): Decision {
  const conditions = [{ type, status: 'True', lastTransitionTime: timestampOf(now) }];
  const patch = { subresource: 'status' as const, body: { status: { conditions } } };
  return patching(id, job, { ...reason, patch });
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
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob?.facts ?? {};
  const least = Math.min(successfulJobsHistoryLimit, failedJobsHistoryLimit);
  const finished = cronJob ? others.filter(finishedCondition) : [];
  const isOver = cronJob !== undefined && finished.length + 1 > least;
  const expires = !job.facts || job.facts.ttlSecondsAfterFinished !== undefined;
  const all = [...active, ...(isOver ? finished : []), ...(isOver || expires ? [job] : [])];
  return all
    .filter((object) => !isBeingDeleted(object))
    .map((object) => perhaps(object, because, rule, now));
}

function perhaps(object: ObjectRecord, because: string, rule: string, now: number): Decision {
  return deletion(id, object, { ...nextSync(now), because, rule, confidence: 'unknown' });
}
