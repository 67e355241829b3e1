import { expect, test } from 'vitest';
import type { CoverageProblem } from '../../src/snapshot/coverage.ts';
import { headOf } from '../../src/snapshot/snapshot.ts';
import { pod, snapshotOf } from '../support/builders.ts';

const forbidden: CoverageProblem = {
  reason: 'forbidden',
  message: 'nodes may not be listed',
  resource: 'nodes',
};

test('a document says what was seen', () => {
  const read = [
    { resource: 'pods', namespaces: ['shop'] },
    { resource: 'pods', namespaces: ['bank'] },
    { resource: 'secrets' },
  ];
  const records = [pod('web-1'), pod('web-2')];
  expect(headOf('Tree', snapshotOf(records, { coverage: { read } }))).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'Tree',
    coverage: { complete: true, kinds: 2, objects: 2, problems: [] },
  });
});

test('and is incomplete with the first problem', () => {
  const { coverage } = headOf('Orphans', snapshotOf([], { coverage: { problems: [forbidden] } }));
  expect([coverage.complete, coverage.problems]).toEqual([false, [forbidden]]);
});
