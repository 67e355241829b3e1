import { findCycles, isUnwinding } from '../graph/cycles.ts';
import type { Rule } from './rule.ts';
import { describe } from './true-owner.ts';

export const ownershipCycle: Rule = {
  id: 'ownership-cycle',
  title: 'Objects own each other in a ring',
  checkGraph: (graph) =>
    findCycles(graph)
      .filter((cycle) => !isUnwinding(cycle))
      .flatMap((cycle) => {
        const ring = cycle.slice(0, 5).map(describe).join(', ');
        const more = cycle.length > 5 ? ` and ${cycle.length - 5} more` : '';
        return cycle.map((record) => ({
          record,
          violation: {
            because: `${cycle.length} objects keep each other alive: ${ring}${more}`,
            consequences: ['never collected' as const],
            gcRule: 'GC-22.10',
            repair: {
              summary:
                'delete one of them in the foreground, or remove the reference that should not be',
              edits: [],
            },
          },
        }));
      }),
};
