import { judge } from '../collectors/garbage-collector/judge.ts';
import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { AuditRule } from './audit-rule.ts';
import { fixReferencesOf } from './commands.ts';
import { countsByKind } from './counts-by-kind.ts';
import { fallOf } from './fall-of.ts';

export const doomedDependents: AuditRule = {
  id: 'doomed-dependents',
  title: 'An object that takes others along when the collector deletes it',
  severity: 'error',
  consequence: 'deleted after it: with it, its dependents lose their last owner',
  subjects: [],
  readsFacts: false,
  check: ({ graph }) => {
    const lost = graph.snapshot.records.filter((record) => isLost(graph, record));
    const fallOfOne = fallOf(graph, lost);
    return lost.flatMap((record) => {
      const fallen = fallOfOne(record);
      if (fallen.length === 0) return [];
      return [
        {
          object: record,
          message: `the next pass deletes it, and ${fallen.length} more ${fallen.length === 1 ? 'object goes' : 'objects go'} with it: ${countsByKind(fallen)}`,
          related: fallen.slice(0, 10),
          fix: {
            summary: 'mend its references before the collector comes to it',
            command: fixReferencesOf(record),
          },
        },
      ];
    });
  },
};

/** Deleted because an owner is missing, and not because somebody deletes that owner. */
function isLost(graph: Graph, record: ObjectRecord): boolean {
  if (record.ownerReferences.length === 0) return false;
  const { action, references } = judge(graph, record);
  return action === 'delete' && !references.some(({ class: cls }) => cls === 'waiting');
}
