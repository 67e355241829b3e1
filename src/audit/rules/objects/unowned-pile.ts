import { counted } from '../../../kube/counts-by-kind.ts';
import { byContent, type ObjectRecord } from '../../../kube/object-record.ts';
import { hasOwners } from '../../../kube/records/stored-record.ts';
import { groupResourceOf, isEventType } from '../../../kube/resource-type.ts';
import { inNamespace, shellCommand } from '../../../kube/shell-command.ts';
import type { AuditRule } from '../audit-rule.ts';

const many = 10_000;
const tooMany = 100_000;

export const unownedPile: AuditRule = {
  id: 'unowned-pile',
  title: 'Very many objects of one kind without an owner',
  severity: 'info',
  consequence: 'never collected: nothing that is deleted takes them along',
  advice: 'Find out what makes them. Let it clean up, or set itself as their owner.',
  subjects: [],
  readsFacts: false,
  check: ({ graph }) => {
    const piles = new Map<string, ObjectRecord[]>();
    for (const record of graph.snapshot.records) {
      if (hasOwners(record) || isEventType(record.type)) continue;
      const key = `${groupResourceOf(record.type)} ${record.namespace}`;
      const pile = piles.get(key);
      if (pile) pile.push(record);
      else piles.set(key, [record]);
    }
    return [...piles.values()].flatMap((pile) => {
      if (pile.length <= many) return [];
      const oldest = pile.reduce((first, next) => (isOlder(next, first) ? next : first));
      const { type, namespace } = oldest;
      return [
        {
          object: oldest,
          message: `the oldest of ${counted(pile.length, type.kind)}${namespace === '' ? '' : ` in ${namespace}`} without an owner`,
          ...(pile.length > tooMany && { severity: 'warning' as const }),
          fix: {
            summary: 'find out what creates them, and let it clean up or own what it creates',
            command: shellCommand`kubectl gc orphans ${groupResourceOf(type)} ${inNamespace(oldest)} --unmanaged`,
          },
        },
      ];
    });
  },
};

function isOlder(a: ObjectRecord, b: ObjectRecord): boolean {
  const [at = '', other = ''] = [a.creationTimestamp, b.creationTimestamp];
  return at === other ? byContent(a, b) < 0 : at < other;
}
