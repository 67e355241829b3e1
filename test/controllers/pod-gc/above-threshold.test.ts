import { expect, test } from 'vitest';
import { deletedAsMoreEnd, endedPodsIn } from '../../../src/controllers/pod-gc/pass.ts';
import { pod } from '../../support/builders.ts';

const created = (second: number) => `2026-01-01T00:00:0${second}Z`;
const ended = (name: string, second: number, deletionTimestamp?: string) =>
  pod(name, { creationTimestamp: created(second), deletionTimestamp, facts: { phase: 'Failed' } });

const pods = [ended('c', 3), ended('a', 1), ended('b', 2)];

function chosen(threshold: number | undefined, more: number, records = pods): string[] {
  return deletedAsMoreEnd(endedPodsIn(records, threshold), more).map(({ name }) => name);
}

test.each([
  { threshold: 3, more: 0, names: [] },
  { threshold: 3, more: 2, names: ['a', 'b'] },
  { threshold: 4, more: 2, names: ['a'] },
  { threshold: 5, more: 2, names: [] },
  { threshold: 1, more: 9, names: ['a', 'b', 'c'] },
  { threshold: 0, more: 2, names: [] },
  { threshold: undefined, more: 2, names: ['a', 'b'] },
  { threshold: undefined, more: 0, names: [] },
])('threshold $threshold, $more more Pods end: the oldest are deleted', (row) => {
  expect(chosen(row.threshold, row.more)).toEqual(row.names);
});

test('Pods that are being deleted were above an unknown threshold before, and count no more', () => {
  const first = ended('first', 0, created(9));
  expect(chosen(undefined, 1, [...pods, first])).toEqual(['a']);
});

test('of Pods with one creation time and name, any may be deleted', () => {
  const twin = { ...ended('a', 1), namespace: 'far', uid: 'uid-of-twin' };
  expect(chosen(undefined, 1, [...pods, twin])).toEqual(['a', 'a']);
});

test('only Pods that were read and have ended count', () => {
  const bare = pod('bare', { facts: undefined });
  const running = pod('running', { facts: { phase: 'Running' } });
  expect(endedPodsIn([bare, running], 1)).toEqual({ pods: [], above: -1 });
});
