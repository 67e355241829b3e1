import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import { goneJobOf, leftBehindBy } from '../../controllers/left-without-reference.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { age } from '../../kube/time.ts';
import { finishedCondition, isPod } from '../../kube/well-known-kinds.ts';
import { eachOf, type Rule } from '../rule.ts';
import { foundBy, foundIn, type ReferenceRule } from './reference-findings.ts';

export const orphanedJobPods: ReferenceRule = {
  id: 'orphaned-job-pods',
  title: 'The Job of the Pod was deleted and left the Pod behind',
  advice: 'Delete the pods.',
  ...foundBy((graph) =>
    graph.snapshot.records.filter(isPod).flatMap((pod) => {
      const job = pod.ownerReferences.length === 0 ? goneJobOf(graph, pod) : undefined;
      if (job === undefined) return [];
      return foundIn(graph, pod, () => ({
        message: `${leftBehindBy(job)} (the default of batch/v1 when no propagationPolicy is given)`,
        consequences: [isBeingDeleted(pod) ? 'being-deleted' : 'never-collected'],
        kubernetesRule: 'GC-55',
        fix: {
          summary: 'delete the pod',
          command: shellCommand`kubectl delete ${addressOf(pod)}`,
          edits: [],
        },
      }));
    }),
  ),
};

export const finishedJobWithoutTtl: Rule = {
  id: 'finished-job-without-ttl',
  title: 'A finished Job that nothing will delete',
  severity: 'info',
  consequence: 'never collected: the Job and its pods stay until they are deleted',
  advice: 'Set `spec.ttlSecondsAfterFinished` in the manifest that makes the Job.',
  ...eachOf('jobs.batch', (job, { now }) => {
    const { ttlSecondsAfterFinished } = job.facts ?? {};
    if (ttlSecondsAfterFinished !== undefined || job.ownerReferences.length > 0) return undefined;
    const end = finishedCondition(job);
    if (end === undefined || job.deletionTimestamp !== undefined) return undefined;
    return {
      object: job,
      message: `${end.type === 'Failed' ? 'failed' : 'completed'} ${age(end.lastTransitionTime, now)} ago, has no spec.ttlSecondsAfterFinished and no owner`,
      fix: {
        summary:
          'set a time to live on it and on its template; a Job that finished earlier than that is deleted immediately',
        command: shellCommand`kubectl patch ${addressOf(job)} --type=merge -p ${'{"spec":{"ttlSecondsAfterFinished":86400}}'}`,
      },
    };
  }),
};
