import { expect, test } from 'vitest';
import { snapshotInfoAnswer } from '../../../src/output/answers/snapshot-info.ts';
import { snapshotInfo } from '../../../src/output/documents/snapshot-info.ts';
import { render } from '../../../src/output/render.ts';
import { autoscaler, deployment, ownedBy, pod, snapshotOf } from '../../support/builders.ts';

const look = { colour: false, width: undefined, now: 0 };

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

test('a snapshot from files, of which one could not be read', async () => {
  const web = deployment('web');
  const problem = { reason: 'unreadable' as const, message: 'b.yaml is no YAML', path: 'b.yaml' };
  const leaving = pod('web-1', { ownerReferences: [ownedBy(web)], deleting: 'background' });
  const snapshot = snapshotOf([leaving, web, pod('debug'), autoscaler('web')], {
    origin: { kind: 'files', paths: ['a.yaml', 'b.yaml'] },
    serverVersion: undefined,
    coverage: { problems: [problem] },
  });
  expect(await render(snapshotInfo(snapshot), 'table', look)).toMatchInlineSnapshot(`
    "Taken:    2026-01-03T00:00:00Z
    From:     a.yaml, b.yaml
    Server:   <unknown>
    Objects:  4 of 3 kinds
    Holds:    metadata
    Complete: no, 1 problem

    RESOURCE                   APIVERSION       OBJECTS   OWNED   TERMINATING
    deployments                apps/v1          1         0       0
    horizontalpodautoscalers   autoscaling/v2   1         0       0
    pods                       v1               2         1       1
    "
  `);
  expect(await render(snapshotInfo(snapshot), 'name', look)).toBe(
    'deployments.apps\nhorizontalpodautoscalers.autoscaling\npods\n',
  );
});
