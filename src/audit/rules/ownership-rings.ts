import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import {
  byContent,
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import type { ReferenceClass } from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { findCycles, findDeadlocks } from '../cycles.ts';
import {
  type Consequence,
  describe,
  eachReference,
  type Fault,
  type FoundReference,
  foundBy,
  foundIn,
  type ReferenceRule,
  removal,
} from './reference-findings.ts';

export const selfOwner: ReferenceRule = {
  id: 'self-owner',
  title: 'The object owns itself',
  advice:
    'Remove the reference. If a deletion is already stuck, delete that object again with `--cascade=background`.',
  ...eachReference((subject, { reference, class: cls }, index) => {
    const { record } = subject;
    if (record.uid === '' || reference.uid !== record.uid) return undefined;
    return () => ({
      message: 'the reference names the object itself',
      fix: removal(index, 'remove the reference'),
      ...consequencesOf(record, cls, reference.blockOwnerDeletion === true),
    });
  }),
};

/** Blocking goes by uid, so it does not depend on the reference's other fields (GC-5). */
function consequencesOf(
  record: ObjectRecord,
  cls: ReferenceClass,
  blocks: boolean,
): Pick<Fault, 'consequences' | 'kubernetesRule'> {
  const blocked = blocks ? (['blocks-foreground-deletion'] as const) : [];
  if (isDeletingDependents(record) && blocks)
    return { kubernetesRule: 'GC-23', consequences: blocked };
  if (isBeingDeleted(record) || cls !== 'solid') return {};
  return { kubernetesRule: 'GC-22.10', consequences: ['never-collected', ...blocked] };
}

export const ownershipCycle: ReferenceRule = {
  id: 'ownership-cycle',
  title: 'Objects own each other in a ring',
  advice:
    'Remove the reference that should not exist, or delete one member in the foreground, which deletes the whole ring.',
  ...foundBy((graph) => [
    ...findCycles(graph).flatMap((ring) =>
      foundInMembers(graph, ring, 'never-collected', (record) => ({
        message: `${ring.length} objects own each other, so none is ever deleted: ${membersInWords(ring)}`,
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
      foundInMembers(graph, ring, 'blocks-foreground-deletion', (record) => ({
        message: `${ring.length} objects are being deleted in the foreground and each waits for another one: ${membersInWords(ring)}`,
        kubernetesRule: 'GC-23',
        fix: {
          summary: 'let one of them stop blocking, or delete it again with --cascade=background',
          command: shellCommand`kubectl gc why ${addressOf(record)} --fix`,
          edits: [],
        },
      })),
    ),
  ]),
};

function foundInMembers(
  graph: Graph,
  ring: readonly ObjectRecord[],
  consequence: Consequence,
  faultOf: (record: ObjectRecord) => Fault,
): FoundReference[] {
  return ring.map((record) =>
    foundIn(graph, record, () => ({ ...faultOf(record), consequences: [consequence] })),
  );
}

function membersInWords(ring: readonly ObjectRecord[]): string {
  const shown = ring.toSorted(byContent).slice(0, 5).map(describe).join(', ');
  return ring.length > 5 ? `${shown} and ${ring.length - 5} more` : shown;
}
