import { expect, test } from 'vitest';
import { comparePolicies } from '../../../src/deletion/plan/compare-policies.ts';
import { comparisonAnswer } from '../../../src/output/answers/deletion-comparison.ts';
import { render } from '../../../src/output/render.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { context } from '../../deletion/plan/planned.ts';
import { story, web } from '../../deletion/plan/story.ts';
import { snapshotOf } from '../../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: context.now };
const comparison = comparePolicies(snapshotOf(story), { targets: [web] }, context);

test('the three policies stand side by side', () => {
  expect(comparisonAnswer.table(comparison, plain)).toMatchInlineSnapshot(`
    "POLICY       DELETED   RECREATED   STUCK   ORPHANED   STAYS   UNKNOWN
    background   4         0           0       0          1       0
    foreground   4         0           0       0          1       0
    orphan       1         0           0       1          1       0

    Note: with foreground: Foreground does not wait for 1 dependent without blockOwnerDeletion: Pod web-1-b. ReplicaSet web-1 may be gone before it is.
    Note: with orphan: Whether another controller adopts ReplicaSet web-1 is not known: selectors were not read.
    Note: the numbers say how it ends once the finalizers that hold objects are removed.

    NAMESPACE   OBJECT             BACKGROUND            FOREGROUND            ORPHAN
    shop        Deployment/web     deleted               deleted               deleted
    shop        ConfigMap/shared   stays                 stays                 stays
    shop        ReplicaSet/web-1   deleted               deleted               orphaned
    shop        Pod/web-1-a        deleted               deleted               untouched
    shop        Pod/web-1-b        stuck, then deleted   stuck, then deleted   untouched
    "
  `);
});

test('wide says why', () => {
  const lines = comparisonAnswer.table(comparison, { ...plain, wide: true }).split('\n');
  expect(lines.find((line) => line.includes('web-1-a'))).toMatchInlineSnapshot(
    `"shop        Pod/web-1-a        deleted: ReplicaSet web-1 is gone; its containers on a have stopped: the grace period of 30 s is over                           deleted: ReplicaSet web-1 is being deleted in the foreground; its containers on a have stopped: the grace period of 30 s is over                           untouched: nothing happens to it"`,
  );
});

test('a remark says which policies it is about, unless all', () => {
  const remark = { code: 'volume', severity: 'note', message: 'see there', objects: [] } as const;
  const remarks = [
    { ...remark, policies: ['orphan' as const] },
    { ...remark, policies: ['background' as const, 'foreground' as const, 'orphan' as const] },
  ];
  expect(
    comparisonAnswer.table({ ...comparison, objects: [], remarks }, plain),
  ).toMatchInlineSnapshot(`
    "POLICY       DELETED   RECREATED   STUCK   ORPHANED   STAYS   UNKNOWN
    background   4         0           0       0          1       0
    foreground   4         0           0       0          1       0
    orphan       1         0           0       1          1       0

    Note: with orphan: see there
    Note: see there
    "
  `);
});

test('names are those of kubectl, each once', async () => {
  expect((await render(comparison, 'name', plain)).split('\n')).toEqual([
    'deployment.apps/web',
    'configmap/shared',
    'replicaset.apps/web-1',
    'pod/web-1-a',
    'pod/web-1-b',
    '',
  ]);
});
