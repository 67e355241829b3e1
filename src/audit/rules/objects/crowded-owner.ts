import { countsByKind } from '../../../kube/counts-by-kind.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import type { AuditRule } from '../audit-rule.ts';

/** As many as the largest supported cluster has nodes, so that even a DaemonSet has no more. */
const many = 5000;
const tooMany = 50_000;

export const crowdedOwner: AuditRule = {
  id: 'crowded-owner',
  title: 'An owner with very many dependents',
  severity: 'info',
  consequence:
    'slow to delete, and costly for the API server: with --cascade=orphan, the garbage collector sends a patch for every dependent at once',
  advice:
    'Let its controller clean up earlier: history limits of a CronJob, a time to live for Jobs, a revision limit.',
  subjects: [],
  readsFacts: false,
  check: ({ graph }) =>
    graph.snapshot.records.flatMap((record) => {
      if (graph.countDependents(record) <= many) return [];
      const dependents = graph.dependentsOf(record.uid);
      return [
        {
          object: record,
          message: `${dependents.length} objects name it as an owner: ${countsByKind(dependents)}`,
          ...(dependents.length > tooMany && { severity: 'warning' as const }),
          fix: {
            summary: 'have its controller clean up earlier (history limits, a time to live)',
            command: shellCommand`kubectl gc tree ${addressOf(record)}`,
          },
        },
      ];
    }),
};
