import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Needs, restoreOrder } from '../../../src/restore/plan/restore-order.ts';

interface Numbered {
  readonly soft: readonly number[];
  readonly hard: readonly number[];
}

const need = (soft: readonly number[], hard: readonly number[] = []): Numbered => ({ soft, hard });

/** The order of objects that are called by their place in a list. */
function orderOf(needs: readonly Numbered[]) {
  const named = needs.map(({ soft, hard }, index): [string, Needs] => [
    `${index}`,
    { soft: soft.map(String), hard: hard.map(String) },
  ]);
  const { waves, later } = restoreOrder(new Map(named));
  return {
    waves: needs.map((_, index) => waves.get(`${index}`)),
    later: new Set(
      [...later].flatMap(([key, owners]) => [...owners].map((one) => `${key} ${one}`)),
    ),
  };
}

test.each([
  ['nothing', [], [], []],
  ['a chain', [need([1]), need([2]), need([])], [2, 1, 0], []],
  ['two owners', [need([]), need([0]), need([0, 1])], [0, 1, 2], []],
  ['a circle', [need([1]), need([0])], [0, 1], ['0 1']],
  ['itself', [need([0])], [0], ['0 0']],
  ['a tail of a circle', [need([1]), need([2]), need([1])], [1, 0, 1], ['1 2']],
  // A custom resource that owns the namespace it is in.
  ['a circle with a soft need', [need([], [1]), need([0])], [1, 0], ['1 0']],
])('%s', (_, needs, waves, later) => {
  const order = orderOf(needs);
  expect({ waves: order.waves, later: [...order.later] }).toEqual({ waves, later });
});

test('everything comes after what it needs, or gets it later', () => {
  const graph = fc.array(fc.array(fc.nat(19), { maxLength: 3 }), { maxLength: 20 });
  fc.assert(
    fc.property(graph, (lists) => {
      const needs = lists.map((list, index) => {
        const known = [...new Set(list.filter((at) => at < lists.length))];
        // Hard needs never make a circle.
        return need(known, known.filter((at) => at < index).slice(0, 1));
      });
      const { waves, later } = orderOf(needs);
      const isCircular = (from: number, to: number) => reaches(needs, to, from);
      needs.forEach(({ hard, soft }, index) => {
        for (const at of hard) expect(waves[at]).toBeLessThan(waves[index] ?? -1);
        for (const at of soft) {
          if (later.has(`${index} ${at}`)) expect(isCircular(index, at)).toBe(true);
          else expect(waves[at]).toBeLessThan(waves[index] ?? -1);
        }
      });
    }),
  );
});

function reaches(needs: readonly Numbered[], from: number, to: number): boolean {
  const seen = new Set<number>();
  const queue = [from];
  for (const at of queue) {
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    queue.push(...(needs[at]?.soft ?? []), ...(needs[at]?.hard ?? []));
  }
  return false;
}
