import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { age } from '../../../kube/time.ts';
import { finishedCondition } from '../../../kube/well-known-kinds.ts';
import type { AuditRule } from '../audit-rule.ts';

export const finishedJobWithoutTtl: AuditRule = {
  id: 'finished-job-without-ttl',
  title: 'A finished Job that nothing will delete',
  severity: 'info',
  consequence: 'never collected: the Job and its pods stay until they are deleted',
  advice: 'Set spec.ttlSecondsAfterFinished in the manifest that makes the Job.',
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
