import { leftBehindBy, madeByJob } from '../../../controllers/jobs/left-behind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import type { Graph } from '../../../snapshot/graph/graph.ts';
import type { Rule } from '../reference-rule.ts';

export const orphanedJobPods: Rule = {
  id: 'orphaned-job-pods',
  title: 'The pod was left behind by a Job that is gone',
  advice: 'Delete the pods.',
  checkUnowned: (graph, record) => {
    const job = goneJobOf(graph, record);
    return job === undefined
      ? []
      : [
          {
            message: `${leftBehindBy(job)} (the default of batch/v1 deletes that name no policy)`,
            consequences: [
              isBeingDeleted(record)
                ? ('already being deleted' as const)
                : ('never collected' as const),
            ],
            kubernetesRule: 'GC-55',
            fix: {
              summary: 'delete the pod',
              command: shellCommand`kubectl delete ${addressOf(record)}`,
              edits: [],
            },
          },
        ];
  },
};

/** The name of the Job that left this pod behind; undefined when it did not, or when Jobs were not read. */
export function goneJobOf(graph: Graph, record: ObjectRecord): string | undefined {
  const made = madeByJob(record);
  const job = graph.snapshot.types.versions('jobs.batch')[0];
  if (!made || !job || graph.withUid(made.uid)) return undefined;
  return graph.coverage.covers(job, record.namespace, made.name) ? made.name : undefined;
}
