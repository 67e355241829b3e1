import path from 'node:path';
import { expect, test } from 'vitest';
import { cascades } from '../../../src/deletion/plan/compare-policies.ts';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';
import { fromFiles } from '../../../src/files/from-files.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { flowed } from '../../../src/output/fit-text.ts';
import { gapWarnings } from '../../../src/output/gap-lines.ts';
import { render } from '../../../src/questions/render.ts';
import { root } from '../../support/command-line.ts';

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

const width = 80;

async function heightWithStderr(plan: Plan): Promise<number> {
  const warnings = gapWarnings(plan.coverage.problems, { command: ['delete'] }, true);
  const beside = warnings.map((one) => flowed(one, { width })).join('\n');
  const linesBeside = (warnings.length === 0 ? 0 : beside.split('\n').length) + lastLine;
  const look = { colour: false, width, now: Date.parse(plan.createdAt), linesBeside };
  const lines = (await render(plan, 'table', look)).trimEnd().split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
  return lines.length + linesBeside;
}

/** The same plan on a cluster of which much could not be read, with much to say about it and many refusals. */
function broken(plan: Plan): Plan {
  const words = 'the conversion webhook failed: no endpoints are available. '.repeat(5);
  const some = <T>(make: (index: number) => T) => Array.from({ length: 30 }, (_, at) => make(at));
  return {
    ...plan,
    remarks: [
      ...plan.remarks,
      ...some((at) => ({
        code: 'volume' as const,
        severity: 'warning' as const,
        message: `${at}: ${words}`,
        objects: [],
      })),
    ],
    refusals: some((at) => ({ code: 'refused-by-server', message: words, suggestions: [`${at}`] })),
    coverage: {
      ...plan.coverage,
      problems: [
        ...plan.coverage.problems,
        ...some((at) => ({
          reason: 'unavailable' as const,
          message: words,
          resource: `kind${at}`,
        })),
        ...some((at) => ({ reason: 'unreadable' as const, message: `file ${at}: ${words}` })),
      ],
    },
  };
}

test.each(clusters)(
  'every preview of a root of %s fits 40 lines of 80 columns',
  async (name) => {
    const now = new Date('2026-11-21T15:00:00Z');
    const file = path.join(root, 'examples/clusters', name);
    const snapshot = await fromFiles([file], { now: () => now, complete: false });
    const cluster = { server: '', uid: '' };
    const context = { now: now.getTime(), settings: {}, cluster };
    const heightOf = async (target: ObjectRecord, cascade: (typeof cascades)[number]) => {
      const intent = { targets: [target], policy: policies[cascade] };
      const plan = planDeletion(snapshot, intent, context);
      return Math.max(await heightWithStderr(plan), await heightWithStderr(broken(plan)));
    };
    const owners = new Set(
      snapshot.records.flatMap(({ ownerReferences }) => ownerReferences.map(({ uid }) => uid)),
    );
    // Without dependents, the policies differ in few words: each is taken for a third of such objects.
    const cascadesOf = ({ uid }: ObjectRecord, at: number) =>
      owners.has(uid) ? cascades : cascades.slice(at % 3, (at % 3) + 1);
    const tall: string[] = [];
    const all = snapshot.records.filter(({ ownerReferences }) => ownerReferences.length === 0);
    const kinds = [...Map.groupBy(all, ({ type, namespace }) => `${type.kind} ${namespace}`)];
    const roots = kinds.flatMap(([, some]) => some.slice(0, ofEachKind));
    expect(roots.length).toBeGreaterThan(0);
    for (const [at, target] of roots.entries()) {
      for (const cascade of cascadesOf(target, at)) {
        const height = await heightOf(target, cascade);
        if (height > 40) tall.push(`${cascade} ${target.type.kind} ${target.name}: ${height}`);
      }
    }
    expect(tall).toEqual([]);
  },
  600_000,
);
