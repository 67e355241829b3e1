import { expect, test } from 'vitest';
import type { CoverageProblem } from '../../src/snapshot/coverage.ts';
import { headOf, refOf } from '../../src/snapshot/document-head.ts';
import { deployment, node, pod, snapshotOf } from '../support/builders.ts';

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

test('an object is referred to by everything that tells it from others', () => {
  expect([refOf(deployment('web')), refOf(node('node-a', { uid: '' }))]).toEqual([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-deployment-shop-web',
    },
    { apiVersion: 'v1', kind: 'Node', namespace: '', name: 'node-a', uid: '' },
  ]);
});
