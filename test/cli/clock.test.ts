import { expect, test } from 'vitest';
import { remarkOnClock } from '../../src/cli/clock.ts';
import type { Origin } from '../../src/snapshot/snapshot.ts';

test('a clock before a cluster was read is told of; files have no such time', () => {
  const cluster: Origin = { kind: 'cluster', server: 'https://shop.example.com' };
  const files: Origin = { kind: 'files', paths: ['shop.yaml'] };
  const now = Date.parse('2026-01-31T12:00:00Z');
  const at = (origin: Origin, observedAt: string) => remarkOnClock(now, { origin, observedAt });
  expect([
    at(cluster, '2026-01-31T12:00:01Z'),
    at(cluster, '2026-01-31T12:00:00Z'),
    at(files, '2026-01-31T12:00:01Z'),
  ]).toEqual([
    '--now is before the cluster was read: what happened since then counts all the same.',
    undefined,
    undefined,
  ]);
});
