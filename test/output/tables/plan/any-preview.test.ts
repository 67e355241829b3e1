import path from 'node:path';
import { expect, test } from 'vitest';
import { cascades } from '../../../../src/deletion/plan/compare-policies.ts';
import { planDeletion } from '../../../../src/deletion/plan/plan-deletion.ts';
import { fromFiles } from '../../../../src/files/from-files.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import { gapLines } from '../../../../src/output/gap-lines.ts';
import { render } from '../../../../src/output/render.ts';
import { root } from '../../../support/command-line.ts';

const clusters = [
  'shop.json.gz',
  'shop-later.json.gz',
  'leftovers.yaml',
  'stuck.yaml',
  'what-follows.yaml',
];
const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
/** In CI every root, else some of each kind of a namespace: each takes a simulation. */
const ofEachKind = process.env.CI ? Number.POSITIVE_INFINITY : 2;
/** On stderr: `Nothing was sent: …` of files, or the command that deletes. */
const lastLine = 1;

test.each(clusters)(
  'no preview of a root of %s takes more than 40 lines of 80 columns',
  async (name) => {
    const now = new Date('2026-11-21T15:00:00Z');
    const file = path.join(root, 'examples/clusters', name);
    const snapshot = await fromFiles([file], { now: () => now, complete: false });
    const cluster = { server: '', uid: '' };
    const context = { now: now.getTime(), settings: {}, cluster };
    const look = { colour: false, width: 80, now: now.getTime() };
    const heightOf = async (target: ObjectRecord, cascade: (typeof cascades)[number]) => {
      const intent = { targets: [target], policy: policies[cascade] };
      const plan = planDeletion(snapshot, intent, context);
      const text = await render(plan, 'table', look);
      const lines = text.trimEnd().split('\n');
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
      return lines.length + gapLines(plan.coverage.problems).length + lastLine;
    };
    const tall: string[] = [];
    const all = snapshot.records.filter(({ ownerReferences }) => ownerReferences.length === 0);
    const kinds = [...Map.groupBy(all, ({ type, namespace }) => `${type.kind} ${namespace}`)];
    const roots = kinds.flatMap(([, some]) => some.slice(0, ofEachKind));
    expect(roots.length).toBeGreaterThan(0);
    for (const target of roots) {
      for (const cascade of cascades) {
        const height = await heightOf(target, cascade);
        if (height > 40) tall.push(`${cascade} ${target.type.kind} ${target.name}: ${height}`);
      }
    }
    expect(tall).toEqual([]);
  },
  600_000,
);
