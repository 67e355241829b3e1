import { expect, test } from 'vitest';
import { comparePolicies } from '../../../src/deletion/plan/compare-policies.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { comparisonAnswer } from '../../../src/questions/delete/comparison-text.ts';
import { context } from '../../deletion/plan/planned.ts';
import { story, web } from '../../deletion/plan/story.ts';
import { snapshotOf } from '../../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: context.now };
const comparison = comparePolicies(snapshotOf(story), { targets: [web] }, context);

test('wide says why', () => {
  const lines = comparisonAnswer.tableOf(comparison, { ...plain, wide: true }).split('\n');
  expect(lines.find((line) => line.includes('web-1-a'))).toMatchInlineSnapshot(
    `"shop        Pod/web-1-a        deleted: ReplicaSet web-1 was deleted; removed after its containers on a stop (grace period 30s)                                                 deleted: ReplicaSet web-1 is being deleted in the foreground; removed after its containers on a stop (grace period 30s)                                                 untouched: nothing happens to it"`,
  );
});

test('a remark says which policies it is about, unless all', () => {
  const remark = { code: 'volume', severity: 'note', message: 'see there', objects: [] } as const;
  const remarks = [
    { ...remark, policies: ['orphan' as const] },
    { ...remark, policies: ['background' as const, 'foreground' as const, 'orphan' as const] },
  ];
  expect(
    comparisonAnswer.tableOf({ ...comparison, objects: [], remarks }, plain),
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

test('the page counts and remarks as the table does', () => {
  const remark = { code: 'volume', severity: 'note', message: 'see there', objects: [] } as const;
  const problem = { reason: 'forbidden', resource: 'secrets', message: 'cannot list' } as const;
  const coverage = { ...comparison.coverage, complete: false, problems: [problem] };
  const remarks = [{ ...remark, policies: ['orphan' as const] }];
  const page = comparisonAnswer.pageOf({ ...comparison, coverage, remarks }, plain);
  expect(page.summary).toMatchInlineSnapshot(`
    [
      "background: at least 4 deleted, 1 kept",
      "foreground: at least 4 deleted, 1 kept",
      "orphan: 1 deleted, 1 orphaned, 1 kept",
      "Note: with orphan: see there",
      "Note: the numbers say how it ends once the finalizers that hold objects are removed.",
    ]
  `);
});
