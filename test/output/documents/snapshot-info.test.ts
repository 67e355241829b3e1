import { expect, test } from 'vitest';
import { snapshotInfoAnswer } from '../../../src/output/answers/snapshot-info.ts';
import { snapshotInfo } from '../../../src/output/documents/snapshot-info.ts';
import { render } from '../../../src/output/render.ts';
import { autoscaler, deployment, ownedBy, pod, snapshotOf } from '../../support/builders.ts';

const look = { colour: false, width: undefined, now: 0 };

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

test('a snapshot from files, of which one could not be read', async () => {
  const web = deployment('web');
  const problem = { reason: 'unreadable' as const, message: 'b.yaml is no YAML', path: 'b.yaml' };
  const snapshot = snapshotOf([web, pod('web-1', { ownerReferences: [ownedBy(web)] })], {
    origin: { kind: 'files', paths: ['a.yaml', 'b.yaml'] },
    serverVersion: undefined,
    coverage: { problems: [problem] },
  });
  expect(await render(snapshotInfo(snapshot), 'table', look)).toMatchInlineSnapshot(`
    "Taken:    2026-01-03T00:00:00Z
    From:     a.yaml, b.yaml
    Server:   <unknown>
    Objects:  2 of 2 kinds
    Holds:    metadata
    Complete: no, 1 problem

    RESOURCE      APIVERSION   OBJECTS   OWNED   TERMINATING
    deployments   apps/v1      1         0       0
    pods          v1           1         1       0
    "
  `);
  expect(await render(snapshotInfo(snapshot), 'name', look)).toBe('deployments.apps\npods\n');
});
