import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { finishedCondition, isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../controller.ts';
import { controllerOf, nextSync, patching } from '../decision.ts';
import { hasOwnManager, isTracked, jobTracking, outcomeOf } from './job.ts';

/**
 * The Job controller takes its finalizer from a pod that is being deleted, once it has counted the pod or no Job counts
 * it any more (handleSingleOrphanPod, canRemoveFinalizer, pkg/controller/job/job_controller.go; JOB-3).
 */
export function releaseOf(view: ClusterView, pod: ObjectRecord, now: number): readonly Decision[] {
  if (!isBeingDeleted(pod) || !isTracked(pod)) return [];
  const why = whyReleased(view, pod);
  if (why === undefined) return [];
  const finalizers = pod.finalizers.filter((one) => one !== jobTracking);
  const because = `${why}, so ${jobTracking} is removed`;
  const patch = { body: { metadata: { finalizers } } };
  return [patching('job', pod, { ...nextSync(now), patch, because, rule: 'JOB-3' })];
}

function whyReleased(view: ClusterView, pod: ObjectRecord): string | undefined {
  const controller = controllerOf(pod);
  if (!controller) return 'no Job controls it';
  const { apiVersion, kind, name, uid } = controller;
  if (kind !== 'Job' || apiVersion !== 'batch/v1') return undefined;
  const job = view.at('jobs.batch', pod.namespace, name);
  if (!job && !view.covers('jobs.batch', pod.namespace, name)) return undefined;
  if (job?.uid !== uid) return 'its Job is gone';
  if (!hasOwnManager(job)) return undefined;
  if (isBeingDeleted(job)) return 'its Job is being deleted';
  if (finishedCondition(job) || outcomeOf(job)) return 'its Job has finished';
  return isCounted(pod, job) ? 'its Job has counted it' : undefined;
}

/** isPodFailed: with the podReplacementPolicy Failed a pod counts once its kubelet has told how it ended. */
function isCounted(pod: ObjectRecord, job: ObjectRecord): boolean {
  const hasStopped = nodeNameOf(pod) !== '' && pod.deletionGracePeriodSeconds === 0;
  return job.facts?.podReplacementPolicy !== 'Failed' || isPodTerminal(pod) || hasStopped;
}
