import { type LabelSelector, labelSelector } from '../label-selector.ts';
import { type Condition, commonConditions } from './condition.ts';
import {
  at,
  count,
  type FieldsOf,
  flag,
  integer,
  list,
  type PartialReference,
  partialReference,
  text,
  time,
} from './shape.ts';

export interface JobFacts {
  readonly selector?: LabelSelector;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly suspend?: boolean;
  readonly ttlSecondsAfterFinished?: number;
  readonly managedBy?: string;
  readonly conditions?: readonly Condition[];
  /** status, RFC 3339. */
  readonly startTime?: string;
  /** status, RFC 3339. */
  readonly completionTime?: string;
  /** status: pods. */
  readonly active?: number;
  /** status: pods. */
  readonly succeeded?: number;
  /** status: pods. */
  readonly failed?: number;
}

export interface CronJobFacts {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy?: string;
  readonly suspend?: boolean;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  /** status.active. */
  readonly activeJobs?: readonly PartialReference[];
  /** RFC 3339. */
  readonly lastScheduleTime?: string;
  /** RFC 3339. */
  readonly lastSuccessfulTime?: string;
}

export const jobFields: FieldsOf<JobFacts> = {
  selector: at('spec.selector', '2.4', labelSelector),
  parallelism: at('spec.parallelism', '2.1', integer),
  completions: at('spec.completions', '2.2', integer),
  suspend: at('spec.suspend', '2.10', flag),
  ttlSecondsAfterFinished: at('spec.ttlSecondsAfterFinished', '2.8', integer),
  managedBy: at('spec.managedBy', '2.15', text),
  conditions: at('status.conditions', '3.1', commonConditions),
  startTime: at('status.startTime', '3.2', time),
  completionTime: at('status.completionTime', '3.3', time),
  active: at('status.active', '3.4', count),
  succeeded: at('status.succeeded', '3.5', count),
  failed: at('status.failed', '3.6', count),
};

export const cronJobFields: FieldsOf<CronJobFacts> = {
  schedule: at('spec.schedule', '2.1', text),
  timeZone: at('spec.timeZone', '2.8', text),
  startingDeadlineSeconds: at('spec.startingDeadlineSeconds', '2.2', integer),
  concurrencyPolicy: at('spec.concurrencyPolicy', '2.3', text),
  suspend: at('spec.suspend', '2.4', flag),
  successfulJobsHistoryLimit: at('spec.successfulJobsHistoryLimit', '2.6', integer),
  failedJobsHistoryLimit: at('spec.failedJobsHistoryLimit', '2.7', integer),
  activeJobs: at('status.active', '3.1', list(partialReference)),
  lastScheduleTime: at('status.lastScheduleTime', '3.4', time),
  lastSuccessfulTime: at('status.lastSuccessfulTime', '3.5', time),
};
