import {
  controllerOf,
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { finishedCondition, isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../controller.ts';
import { nextSync, removingFinalizer } from '../decision.ts';
import { hasOwnManager, isTracked, jobTracking, outcomeOf } from './job.ts';

/** What becomes of the Job controller's finalizer on a pod that is being deleted. */
interface Tracking {
  /**
   * Counted: it goes once the Job has counted the pod. Left over: it goes as no Job counts the pod any more. Waiting:
   * the pod has to end first. Kept: the Job controller never takes it.
   */
  readonly state: 'counted' | 'left over' | 'waiting' | 'kept';
  /** In the words of the message: `its Job has finished`. */
  readonly because: string;
}

/**
 * The Job controller takes its finalizer from a pod that is being deleted, once it has counted the pod or no Job counts
 * it any more (JOB-3).
 */
export function releaseOf(view: ClusterView, pod: ObjectRecord, now: number): readonly Decision[] {
  if (!isBeingDeleted(pod) || !isTracked(pod)) return [];
  const at = ['jobs.batch', pod.namespace, jobNamedBy(pod) ?? ''] as const;
  const job = view.at(...at);
  if (!job && !view.covers(...at)) return [];
  const { state, because: why } = trackingOf(pod, job);
  if (state === 'kept' || state === 'waiting') return [];
  const because = `${why}, so ${jobTracking} is removed`;
  const reason = { ...nextSync(now), because, rule: 'JOB-3' };
  return [removingFinalizer('job', pod, jobTracking, reason)];
}

/** The Job that controls the pod, if any does. */
export function jobNamedBy(pod: ObjectRecord): string | undefined {
  const controller = controllerOf(pod);
  return controller && isJob(controller) ? controller.name : undefined;
}

/**
 * `job`: the one of the name that the pod calls its Job, if there is one. Mirrors handleSingleOrphanPod and
 * canRemoveFinalizer, pkg/controller/job/job_controller.go.
 */
export function trackingOf(pod: ObjectRecord, job: ObjectRecord | undefined): Tracking {
  const controller = controllerOf(pod);
  if (!controller) return { state: 'left over', because: 'no Job controls it' };
  if (!isJob(controller)) {
    return {
      state: 'kept',
      because: `${controller.kind} ${controller.name} controls it, and no Job`,
    };
  }
  if (job?.uid !== controller.uid) return { state: 'left over', because: 'its Job was deleted' };
  const { managedBy, podReplacementPolicy } = job.facts ?? {};
  if (!hasOwnManager(job)) return { state: 'kept', because: `${managedBy} manages its Job` };
  if (isBeingDeleted(job)) return { state: 'left over', because: 'its Job is being deleted' };
  if (finishedCondition(job) || outcomeOf(job)) {
    return { state: 'left over', because: 'its Job has finished' };
  }
  // isPodFailed: the kubelet reports how a Pod that ran ended.
  const hasStopped = nodeNameOf(pod) !== '' && pod.deletionGracePeriodSeconds === 0;
  if (podReplacementPolicy !== 'Failed' || isPodTerminal(pod) || hasStopped) {
    return { state: 'counted', because: 'its Job has counted it' };
  }
  return { state: 'waiting', because: 'its Job counts it when it has ended' };
}

function isJob({ apiVersion, kind }: OwnerReference): boolean {
  return kind === 'Job' && apiVersion === 'batch/v1';
}
