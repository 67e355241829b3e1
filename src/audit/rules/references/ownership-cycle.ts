import { byContent, type ObjectRecord } from '../../../kube/object-record.ts';
import { findCycles, findDeadlocks } from '../../../snapshot/graph/cycles.ts';
import { type Consequence, describe, type Rule, type Violation } from '../reference-rule.ts';

export const ownershipCycle: Rule = {
  id: 'ownership-cycle',
  title: 'Objects own each other in a ring',
  advice:
    'Remove the reference that should not be, or delete one member in the foreground, which undoes the whole ring.',
  checkGraph: (graph) => [
    ...findCycles(graph).flatMap((ring) =>
      eachOf(ring, 'never collected', {
        message: `${ring.length} objects keep each other alive: ${listOf(ring)}`,
        kubernetesRule: 'GC-22.10',
        fix: {
          summary:
            'delete one of them in the foreground, or remove the reference that should not be',
          edits: [],
        },
      }),
    ),
    ...findDeadlocks(graph).flatMap((ring) =>
      eachOf(ring, 'blocks a foreground deletion for ever', {
        message: `${ring.length} objects are being deleted in the foreground and each waits for another one: ${listOf(ring)}`,
        kubernetesRule: 'GC-23',
        fix: { summary: 'delete one of them once more, with --cascade=background', edits: [] },
      }),
    ),
  ],
};

function eachOf(
  ring: readonly ObjectRecord[],
  consequence: Consequence,
  violation: Omit<Violation, 'consequences'>,
): { record: ObjectRecord; violation: Violation }[] {
  return ring.map((record) => ({
    record,
    violation: { ...violation, consequences: [consequence] },
  }));
}

function listOf(ring: readonly ObjectRecord[]): string {
  const shown = ring.toSorted(byContent).slice(0, 5).map(describe).join(', ');
  return ring.length > 5 ? `${shown} and ${ring.length - 5} more` : shown;
}
