import { handlingTime } from '../../controllers/decision.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { second } from '../../kube/time.ts';

/** Why the Job controller deleted Pods of a Job. */
export interface JobStop {
  readonly rule: string;
  /** The field that decided. */
  readonly setting: string;
  readonly because: string;
}

/** By the reasons of conditions and Events (JobReason… in k8s.io/api/batch/v1): the rule, the field, and what happened. */
const stops: Readonly<Record<string, readonly [rule: string, setting: string, words: string]>> = {
  BackoffLimitExceeded: ['JOB-1', 'spec.backoffLimit', 'more Pods failed than its backoffLimit'],
  DeadlineExceeded: [
    'JOB-4',
    'spec.activeDeadlineSeconds',
    'it had not finished after its activeDeadlineSeconds',
  ],
  FailedIndexes: ['JOB-1', 'spec.backoffLimitPerIndex', 'indexes failed'],
  JobSuspended: ['JOB-2', 'spec.suspend', 'it was suspended'],
  MaxFailedIndexesExceeded: [
    'JOB-1',
    'spec.maxFailedIndexes',
    'more indexes failed than its maxFailedIndexes',
  ],
  PodFailurePolicy: ['JOB-5', 'spec.podFailurePolicy', 'a Pod failed by its podFailurePolicy'],
  SuccessPolicy: ['JOB-1', 'spec.successPolicy', 'it met its successPolicy'],
};

/** Conditions that a Job gets when it begins to delete its Pods. `Failed` and `Complete` come once they have ended. */
const beginnings = ['FailureTarget', 'SuccessCriteriaMet', 'Suspended'];

/** Conditions and times of Jobs have whole seconds. */
const tolerance = handlingTime + second;

/**
 * Why it deleted them at that time, epoch milliseconds, as far as the Job shows it: in its conditions or, where they were read
 * before, by its deadline.
 */
export function jobStopAt(job: ObjectRecord, at: number): JobStop | undefined {
  const { conditions = [], activeDeadlineSeconds, startTime } = job.facts ?? {};
  const isNear = (time: number) => Math.abs(at - time) <= tolerance;
  const began = conditions.find(
    ({ type, status, lastTransitionTime = '' }) =>
      beginnings.includes(type) && status === 'True' && isNear(Date.parse(lastTransitionTime)),
  );
  if (began) return jobStopBy(began.reason ?? '', job.name);
  if (activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  const deadline = Date.parse(startTime) + activeDeadlineSeconds * second;
  return isNear(deadline) ? jobStopBy('DeadlineExceeded', job.name) : undefined;
}

/** `reason`: of a condition or an Event of the Job. */
export function jobStopBy(reason: string, job: string): JobStop | undefined {
  const [rule, setting, words] = stops[reason] ?? [];
  if (rule === undefined || setting === undefined) return undefined;
  return { rule, setting, because: `the Job controller deletes the Pods of Job ${job}: ${words}` };
}

/** Does the Job decide it by its own fields and Pods, without a request? */
export function isJobsOwn({ rule }: { readonly rule?: string }): boolean {
  return rule !== 'JOB-2' && Object.values(stops).some(([own]) => own === rule);
}
