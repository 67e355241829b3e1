import { byContent, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { findCycles, findDeadlocks } from '../../../snapshot/graph/cycles.ts';
import { type Consequence, describe, type Rule, type Violation } from '../reference-rule.ts';

export const ownershipCycle: Rule = {
  id: 'ownership-cycle',
  title: 'Objects own each other in a ring',
  advice:
    'Remove the reference that should not exist, or delete one member in the foreground, which deletes the whole ring.',
  checkGraph: (graph) => [
    ...findCycles(graph).flatMap((ring) =>
      eachOf(ring, 'never collected', (record) => ({
        message: `${ring.length} objects keep each other alive: ${listOf(ring)}`,
        kubernetesRule: 'GC-22.10',
        fix: {
          summary:
            'remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all',
          command: shellCommand`kubectl gc owners ${addressOf(record)}`,
          edits: [],
        },
      })),
    ),
    ...findDeadlocks(graph).flatMap((ring) =>
      eachOf(ring, 'blocks a foreground deletion for ever', (record) => ({
        message: `${ring.length} objects are being deleted in the foreground and each waits for another one: ${listOf(ring)}`,
        kubernetesRule: 'GC-23',
        fix: {
          summary: 'let one of them stop blocking, or delete it again with --cascade=background',
          command: shellCommand`kubectl gc why ${addressOf(record)} --fix`,
          edits: [],
        },
      })),
    ),
  ],
};

function eachOf(
  ring: readonly ObjectRecord[],
  consequence: Consequence,
  violationOf: (record: ObjectRecord) => Omit<Violation, 'consequences'>,
): { record: ObjectRecord; violation: Violation }[] {
  return ring.map((record) => ({
    record,
    violation: { ...violationOf(record), consequences: [consequence] },
  }));
}

function listOf(ring: readonly ObjectRecord[]): string {
  const shown = ring.toSorted(byContent).slice(0, 5).map(describe).join(', ');
  return ring.length > 5 ? `${shown} and ${ring.length - 5} more` : shown;
}
