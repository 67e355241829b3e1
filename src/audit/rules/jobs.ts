import { controllerOf } from '../../controllers/decision.ts';
import { goneJobOf, leftBehindBy } from '../../controllers/jobs/left-behind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { addressOf, type ShellCommand, shellCommand } from '../../kube/shell-command.ts';
import { age } from '../../kube/time.ts';
import { finishedCondition } from '../../kube/well-known-kinds.ts';
import type { Rule, Violation } from '../rule.ts';
import { aboutReferences, type ReferenceRule, violationOf } from './reference-findings.ts';

export const orphanedJobPods: ReferenceRule = {
  ...aboutReferences,
  id: 'orphaned-job-pods',
  title: 'The pod was left behind by a Job that is gone',
  advice: 'Delete the pods.',
  check: ({ graph }) =>
    graph.snapshot.records.flatMap((pod) => {
      const job = pod.ownerReferences.length === 0 ? goneJobOf(graph, pod) : undefined;
      if (job === undefined) return [];
      return violationOf(graph, pod, {
        message: `${leftBehindBy(job)} (the default of batch/v1 deletes that name no policy)`,
        consequences: [isBeingDeleted(pod) ? 'already being deleted' : 'never collected'],
        kubernetesRule: 'GC-55',
        fix: {
          summary: 'delete the pod',
          command: shellCommand`kubectl delete ${addressOf(pod)}`,
          edits: [],
        },
      });
    }),
};

export const finishedJobWithoutTtl: Rule = {
  id: 'finished-job-without-ttl',
  title: 'A finished Job that nothing will delete',
  severity: 'info',
  consequence: 'never collected: the Job and its pods stay until they are deleted',
  advice: 'Set `spec.ttlSecondsAfterFinished` in the manifest that makes the Job.',
  subjects: ['jobs.batch'],
  readsFacts: true,
  check: ({ of, now }) =>
    of('jobs.batch').flatMap((job) => {
      const { ttlSecondsAfterFinished } = job.facts ?? {};
      if (ttlSecondsAfterFinished !== undefined || job.ownerReferences.length > 0) return [];
      const end = finishedCondition(job);
      if (end === undefined || job.deletionTimestamp !== undefined) return [];
      return [
        {
          object: job,
          message: `${end.type === 'Failed' ? 'failed' : 'completed'} ${age(end.lastTransitionTime, now)} ago, has no spec.ttlSecondsAfterFinished and no owner`,
          fix: {
            summary: 'give it a time to live, and its template too',
            command: shellCommand`kubectl patch ${addressOf(job)} --type=merge -p ${'{"spec":{"ttlSecondsAfterFinished":86400}}'}`,
          },
        },
      ];
    }),
};

/** From here on a CronJob keeps hundreds of Jobs. */
const many = 100;

export const cronJobHistoryLimit: Rule = {
  id: 'cronjob-history-limit',
  title: 'A CronJob that keeps nothing of its runs, or hundreds of them',
  severity: 'info',
  consequence: 'the Jobs above the limits are deleted with their pods and logs, the others stay',
  advice: 'Set limits that keep the last failed run: the command of the finding does.',
  subjects: ['cronjobs.batch'],
  readsFacts: true,
  check: ({ of, cluster }) =>
    of('cronjobs.batch').flatMap((cronJob): Violation[] => {
      if (isBeingDeleted(cronJob)) return [];
      const { successfulJobsHistoryLimit: successful = 3, failedJobsHistoryLimit: failed = 1 } =
        cronJob.facts ?? {};
      const limits = `successfulJobsHistoryLimit ${successful} and failedJobsHistoryLimit ${failed}`;
      if (failed === 0) {
        return [
          {
            object: cronJob,
            severity: successful === 0 ? 'warning' : 'info',
            message: `${limits}: ${successful === 0 ? 'nothing is kept of any run' : 'nothing is kept of a run that fails'}`,
            consequence:
              'a failed Job is deleted with its pods and their logs as soon as it has ended',
            fix: { summary: 'keep the last failed Job', command: patch(cronJob, { failed: 1 }) },
          },
        ];
      }
      if (successful + failed < many) return [];
      const jobs = cluster
        .in('jobs.batch', cronJob.namespace)
        .filter((job) => controllerOf(job)?.uid === cronJob.uid && finishedCondition(job));
      return [
        {
          object: cronJob,
          message: `${limits}: up to ${successful + failed} finished Jobs and their pods are kept; ${jobs.length} are there now`,
          consequence:
            'the pods count towards those that ended in the cluster, of which pod garbage collection deletes the oldest',
          fix: {
            summary: 'set lower limits: the defaults are 3 and 1',
            command: patch(cronJob, { successful: 3, failed: 1 }),
          },
        },
      ];
    }),
};

function patch(
  cronJob: ObjectRecord,
  limits: { readonly successful?: number; readonly failed: number },
): ShellCommand {
  const { successful, failed } = limits;
  const spec = {
    ...(successful !== undefined && { successfulJobsHistoryLimit: successful }),
    failedJobsHistoryLimit: failed,
  };
  return shellCommand`kubectl patch ${addressOf(cronJob)} --type=merge -p ${JSON.stringify({ spec })}`;
}
