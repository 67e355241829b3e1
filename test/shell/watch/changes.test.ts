import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { orphansReport } from '../../../src/questions/orphans/document.ts';
import { type GraphReport, treeReport } from '../../../src/questions/owners/document.ts';
import { render } from '../../../src/questions/render.ts';
import { diagnosisReport } from '../../../src/questions/why/document.ts';
import {
  changesBetween,
  onlyMarked,
  type WatchedReport,
  withGone,
} from '../../../src/shell/watch/changes.ts';
import { link } from '../../../src/why/chain.ts';
import {
  configMap,
  deployment,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const podOf = (name: string, more: Partial<ObjectRecord> = {}) =>
  pod(name, { ownerReferences: [ownedBy(set)], ...more });
const treeOf = (...records: ObjectRecord[]) => treeReport(graphOf([web, ...records]), [web]);
const orphansOf = (...records: ObjectRecord[]) => orphansReport(graphOf(records));

async function printed(before: WatchedReport, after: WatchedReport, width?: number) {
  const marks = changesBetween(before, after);
  const whole = withGone(after, before, () => true);
  const shown = 'nodes' in after ? whole : onlyMarked(whole, marks);
  return render(shown, 'table', { colour: false, width, now: 0, marks, noHeaders: true });
}

test('a tree marks what came, changed and went, where it stood', async () => {
  const a = podOf('a');
  const changed = podOf('b', { finalizers: ['example.com/hold'] });
  const text = await printed(treeOf(set, a, podOf('b')), treeOf(set, changed, podOf('c')));
  expect(text.split('\n').map((line) => line.replace(/ +<invalid>/, '').trimEnd())).toEqual([
    '  Deployment/web -n shop',
    '  └─ ReplicaSet/web-1',
    '-    ├─ Pod/a',
    '~    ├─ Pod/b   finalizers: example.com/hold',
    '+    └─ Pod/c',
    '',
  ]);
});

test('a branch that goes is shown whole, and a root too', () => {
  const before = treeOf(set, podOf('a'));
  const after: GraphReport = { ...before, roots: [], nodes: [], edges: [] };
  expect(withGone(after, before, () => true)).toEqual(before);
  expect(withGone(after, before, () => false)).toEqual(after);
  const marks = changesBetween(before, after);
  expect([...marks.values()]).toEqual(['gone', 'gone', 'gone']);
});

test('a watch on a pipe prints only changed lines of a list', async () => {
  const orphan = (name: string, kind = 'ReplicaSet') =>
    pod(name, { ownerReferences: [ownedByGone(`apps/v1 ${kind} gone`)] });
  const before = orphansOf(orphan('a'), orphan('b'), orphan('c'));
  const after = orphansOf(orphan('b'), orphan('c', 'Deployment'), orphan('d'));
  const lines = (await printed(before, after)).split('\n');
  expect(lines.map((line) => line.slice(0, 14))).toEqual([
    '- shop   Pod/a',
    '~ shop   Pod/c',
    '+ shop   Pod/d',
    '',
  ]);
});

test('on a terminal a watch puts no sign on the lines below a row', async () => {
  const orphan = pod('a', { ownerReferences: [ownedByGone('apps/v1 ReplicaSet gone')] });
  const text = await printed(orphansOf(), orphansOf(orphan), 60);
  expect(text.split('\n').map((line) => line.slice(0, 4))).toEqual(['+ sh', '    ', '']);
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
});

test('a chain marks the links whose state or words differ, not those that are older', async () => {
  const held = configMap('held');
  const chain = (state: 'blocked' | 'waiting', because: string) => {
    const below = link(held, 'finalizer-controller-down', state, because, { finalizer: 'a/b' });
    return link(held, 'terminating', 'waiting', 'it is terminating', { links: [below] });
  };
  const of = (state: 'blocked' | 'waiting', because: string) =>
    diagnosisReport([{ chain: chain(state, because) }], []);
  const before = of('waiting', 'the program runs since 5m');
  expect([...changesBetween(before, of('waiting', 'the program runs since 6m'))]).toEqual([]);
  const text = await printed(before, of('blocked', 'not running'));
  expect(text.split('\n').map((line) => line.slice(0, 2))).toEqual(['  ', '~ ', '']);
});
