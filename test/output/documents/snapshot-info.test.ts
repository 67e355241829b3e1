import { expect, test } from 'vitest';
import { snapshotInfoAnswer } from '../../../src/output/answers/snapshot-info.ts';
import { snapshotInfo } from '../../../src/output/documents/snapshot-info.ts';
import { autoscaler, deployment, ownedBy, pod, snapshotOf } from '../../support/builders.ts';

test('the objects of a snapshot are counted by kind', () => {
  const web = deployment('web');
  const owned = { ownerReferences: [ownedBy(web)] };
  const records = [
    pod('web-1', owned),
    web,
    pod('web-2', { ...owned, deleting: 'background' }),
    pod('debug'),
    autoscaler('web'),
  ];
  const { coverage, ...info } = snapshotInfo(snapshotOf(records));
  expect(coverage.objects).toBe(5);
  expect(info).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'SnapshotInfo',
    observedAt: '2026-01-03T00:00:00Z',
    serverVersion: 'v1.36.3',
    origin: { kind: 'cluster', server: 'https://shop.example.com' },
    holds: [],
    kinds: [
      {
        resource: 'deployments.apps',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        objects: 1,
        owned: 0,
        terminating: 0,
      },
      {
        resource: 'horizontalpodautoscalers.autoscaling',
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        objects: 1,
        owned: 0,
        terminating: 0,
      },
      { resource: 'pods', apiVersion: 'v1', kind: 'Pod', objects: 3, owned: 2, terminating: 1 },
    ],
  });
});

test('what a snapshot holds besides metadata is named', () => {
  const whole = snapshotOf([pod('web-1', { facts: { nodeName: 'a', phase: 'Running' } })], {
    evidence: { settings: {}, nodes: [], fieldManagers: {}, answers: [] },
  });
  expect(snapshotInfo(whole).holds).toEqual([
    'facts',
    'settings',
    'nodes',
    'field-managers',
    'answers',
  ]);
});

test('lists of different moments are shown with both', () => {
  const slow = snapshotOf([], {
    observedAt: '2026-01-03T00:01:00Z',
    observedFrom: '2026-01-03T00:00:00Z',
  });
  const table = snapshotInfoAnswer.table(snapshotInfo(slow), { colour: false, width: 80, now: 0 });
  expect(table.split('\n')[0]).toBe('Taken:    2026-01-03T00:00:00Z to 2026-01-03T00:01:00Z');
});

test('an empty one without a version has neither', () => {
  const info = snapshotInfo(snapshotOf([], { serverVersion: undefined }));
  expect([Object.keys(info).includes('serverVersion'), info.kinds]).toEqual([false, []]);
});
