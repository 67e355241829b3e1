import { controllerOf } from '../../../controllers/decision.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, type ShellCommand, shellCommand } from '../../../kube/shell-command.ts';
import { finishedCondition } from '../../../kube/well-known-kinds.ts';
import type { AuditRule, AuditViolation } from '../audit-rule.ts';

/** From here on a CronJob keeps hundreds of Jobs. */
const many = 100;

export const cronJobHistoryLimit: AuditRule = {
  id: 'cronjob-history-limit',
  title: 'A CronJob that keeps nothing of its runs, or hundreds of them',
  severity: 'info',
  consequence: 'the Jobs above the limits are deleted with their pods and logs, the others stay',
  advice: 'Set limits that keep the last failed run: the command of the finding does.',
  subjects: ['cronjobs.batch'],
  readsFacts: true,
  check: ({ of, cluster }) =>
    of('cronjobs.batch').flatMap((cronJob): AuditViolation[] => {
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
