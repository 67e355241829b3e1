import { expect, test } from 'vitest';
import { snapshotInfoAnswer } from '../../../src/output/answers/snapshot-info.ts';
import { snapshotInfo } from '../../../src/output/documents/snapshot-info.ts';
import { render } from '../../../src/output/render.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { deployment, ownedBy, pod, snapshotOf } from '../../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: 0 };
const web = deployment('web');
const records = [web, pod('web-1', { ownerReferences: [ownedBy(web)] })];

test('a snapshot of a cluster', () => {
  expect(snapshotInfoAnswer.table(snapshotInfo(snapshotOf(records)), plain)).toMatchInlineSnapshot(`
    "Taken:    2026-01-03T00:00:00Z
    From:     https://shop.example.com
    Server:   v1.36.3
    Objects:  2 of 2 kinds
    Holds:    metadata
    Complete: yes

    RESOURCE      APIVERSION   OBJECTS   OWNED   TERMINATING
    deployments   apps/v1      1         0       0
    pods          v1           1         1       0
    "
  `);
});

test('a snapshot from files, of which one could not be read', () => {
  const problem = { reason: 'unreadable' as const, message: 'b.yaml is no YAML', path: 'b.yaml' };
  const snapshot = snapshotOf(records, {
    origin: { kind: 'files', paths: ['a.yaml', 'b.yaml'] },
    serverVersion: undefined,
    coverage: { problems: [problem] },
  });
  expect(snapshotInfoAnswer.table(snapshotInfo(snapshot), plain)).toMatchInlineSnapshot(`
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
});

test('its names are those of its kinds', async () => {
  expect(await render(snapshotInfo(snapshotOf(records)), 'name', plain)).toBe(
    'deployments.apps\npods\n',
  );
});
