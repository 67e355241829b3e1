import { matchesSelector } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { finishedCondition, isPod, isPodTerminal, pods } from '../../kube/well-known-kinds.ts';
import { byController, type ClusterView, type Keys, ownUid } from '../cluster-view.ts';
import type {
  Change,
  Decision,
  DelayedController,
  SyncController,
  SyncFacts,
  SyncInput,
} from '../controller.ts';
import {
  afterLosses,
  beyondNeed,
  isTracked,
  type JobState,
  jobId,
  outcomeOf,
  siblingsOf,
  stopsWhileDeleted,
} from './job.ts';
import { releaseOf } from './job-tracking.ts';

const jobs = 'jobs.batch';
const runsAs = 'job-controller';
const jobKeys: Keys = { [jobs]: ownUid, [pods]: uidOfJob };

/** Jobs that lose Pods in a play, and may finish by that (JOB-1), that are suspended (JOB-2), or have a deadline (JOB-4). */
const ofJobs: SyncController = {
  runsAs,
  syncs: jobs,
  sync: syncJob,
  needsSync: (job, { memory }) =>
    memory?.lostPods.has(job) === true ||
    job.facts?.suspend === true ||
    job.facts?.activeDeadlineSeconds !== undefined ||
    job.facts?.podFailurePolicy === true,
  affectedBy: losingPod,
  links: jobKeys,
};

/** In a play: Pods that are being deleted, until their Jobs have counted them (JOB-3). */
const ofPods: SyncController = {
  runsAs,
  syncs: pods,
  sync: (pod, { view, now, trigger }) => (trigger === undefined ? [] : releaseOf(view, pod, now)),
  needsSync: (pod) => isBeingDeleted(pod) && isTracked(pod),
  // Pods are found by the selector of a Job that is deleted (deleteJob, enqueueLabelSelector), not by their owner.
  affectedBy({ before, after }, { view }) {
    const job = after ?? before;
    if (!job || storedAs(job.type) !== jobs) return [];
    const { selector } = before?.facts ?? {};
    return view
      .index(byController(pods))
      .get(job.uid)
      .filter((pod) => after || !selector || matchesSelector(selector, pod.labels));
  },
  links: jobKeys,
};

/** A Job that fails, or is suspended, deletes the Pods that still run. */
export const jobController: DelayedController = {
  id: jobId,
  controllers: [runsAs],
  reads: [jobs, pods],
  syncers: [ofJobs, ofPods],
  delayed: (view, _settings, now) =>
    view
      .all(jobs)
      .filter((job) => job.facts && !isBeingDeleted(job))
      .flatMap((job) => {
        const state = jobStateOf(job, view);
        return afterLosses(state, now).length > 0 ? [] : beyondNeed(state, now);
      }),
};

function syncJob(job: ObjectRecord, { view, now, memory }: SyncInput): readonly Decision[] {
  if (!memory && (!job.facts || isBeingDeleted(job))) return [];
  if (isBeingDeleted(job) && !stopsWhileDeleted(job)) return [];
  const state = jobStateOf(job, view, memory?.lostPods.of(job));
  const decisions = afterLosses(state, now);
  // What delays a change from before a play is unknown.
  if (!memory && decisions.length === 0) return beyondNeed(state, now);
  for (const { object, rule } of decisions) {
    if (rule !== 'JOB-2') continue;
    // It does not count Pods that it deletes itself (deleteJobPods, pkg/controller/job/job_controller.go).
    memory?.lostPods.set(job, object, memory.isRequested(object) ? object : undefined);
  }
  return decisions;
}

function jobStateOf(
  job: ObjectRecord,
  view: ClusterView,
  lost: readonly ObjectRecord[] = [],
): JobState {
  return { job, pods: view.controlledBy(pods, job), lost, siblings: siblingsOf(view, job) };
}

/** The Job that loses a Pod by this write, of which it takes note. */
function losingPod({ before, after }: Change, { view, memory }: SyncFacts) {
  if (!before || !isPod(before) || isPodTerminal(before)) return [];
  const job = jobOf(before, view);
  if (!job || finishedCondition(job)) return [];
  // Pod garbage collection marks a Pod as Failed before it deletes it (PG-16).
  const hasEnded = after !== undefined && isPodTerminal(after);
  // A Job that is to finish waits for the Pods that are terminating.
  const matters = isBeingDeleted(before) ? outcomeOf(job) : !after || isBeingDeleted(after);
  if (!matters && !hasEnded) return [];
  // A Pod that its Job has counted is not tracked any more (JOB-3).
  memory?.lostPods.note(job, hasEnded ? after : before, hasEnded && isTracked(before));
  return [job];
}

/** The Job that controls a Pod, also while it is being deleted. */
function jobOf(pod: ObjectRecord, view: SyncFacts['view']): ObjectRecord | undefined {
  const [uid] = uidOfJob(pod);
  const job = uid && view.at(jobs, pod.namespace, controllerOf(pod)?.name ?? '');
  return job && job.uid === uid ? job : undefined;
}

function uidOfJob(pod: ObjectRecord): readonly string[] {
  const controller = controllerOf(pod);
  return controller?.kind === 'Job' ? [controller.uid] : [];
}
