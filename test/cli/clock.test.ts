import { expect, test } from 'vitest';
import { remarkOnClock } from '../../src/cli/clock.ts';
import { gcHere } from './run-here.ts';

const words = '--now is before the cluster was read: what happened since then counts all the same.';

test('a clock before a cluster was read is told of', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  const at = (observedAt: string) => remarkOnClock(now, { observedAt });
  expect([at('2026-01-31T12:00:01Z'), at('2026-01-31T12:00:00Z')]).toEqual([words, undefined]);
});

test('a saved snapshot has a time, plain files have none', async () => {
  const commands = ['forecast', 'podgc-preview', 'simulate --delete deployment/web -n shop'];
  const inputs = ['examples/clusters/shop.json.gz', 'examples/shop/shop.yaml'];
  const told: boolean[] = [];
  for (const command of commands) {
    for (const input of inputs) {
      const line = `${command} --from ${input} --now 2020-01-01T00:00:00Z -o json`;
      const { code, stderr } = await gcHere(line);
      expect(code, stderr).toBe(0);
      told.push(stderr.includes(words));
    }
  }
  expect(told).toEqual([true, false, true, false, true, false]);
});
