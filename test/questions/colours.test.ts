import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { comparePolicies } from '../../src/deletion/plan/compare-policies.ts';
import { invalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import { orphansReport } from '../../src/questions/orphans/document.ts';
import { ownersReport, treeReport } from '../../src/questions/owners/document.ts';
import { type Format, type Report, render } from '../../src/questions/render.ts';
import { context, planned } from '../deletion/plan/planned.ts';
import { story, web } from '../deletion/plan/story.ts';
import { reportOf } from '../support/audit-report.ts';
import {
  blocking,
  clusterRole,
  configMap,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  snapshotOf,
} from '../support/builders.ts';

const set = replicaSet('set');
const gone = ownedByGone('v1 Node gone');
const leaving = pod('leaving', {
  ownerReferences: [ownedBy(set)],
  deleting: 'background',
  finalizers: ['example.com/drain'],
});
const far = pod('far', { namespace: 'bank', ownerReferences: [ownedBy(set)] });
const kept = configMap('kept', { ownerReferences: [ownedBy(set), gone] });
const lost = configMap('lost', { ownerReferences: [gone] });
const role = clusterRole('reader', { ownerReferences: [ownedBy(set, blocking)] });
const frozen = configMap('frozen', { ownerReferences: [ownedByGone('a.example.com/v1 A a')] });
const graph = graphOf([set, leaving, far, kept, lost, role, frozen]);
const tree = treeReport(graph, [set]);
const orphans = orphansReport(graph);
const wrong = invalidReferencesReport(graph, findInvalidReferences(graph));
const comparison = comparePolicies(snapshotOf(story), { targets: [web] }, context);

const codes = { strikethrough: 9, red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36 };
const codeOf = (colour: string) => codes[colour as keyof typeof codes];

test.each<[string, Report, Format, Readonly<Record<string, string>>]>([
  [
    'a tree table',
    tree,
    'table',
    { Terminating: 'yellow', 'reference dangling; will be deleted': 'yellow' },
  ],
  ['a bare tree', tree, 'tree', { dangling: 'red', terminating: 'yellow' }],
  ['bare owners', ownersReport(graph, [kept]), 'tree', { gone: 'strikethrough', dangling: 'red' }],
  [
    'orphans',
    orphans,
    'table',
    {
      ...{ 'will be deleted': 'red', 'loses a reference': 'yellow', 'never deleted': 'magenta' },
      ...{ gone: 'red', 'partly gone': 'yellow', 'cannot be found': 'magenta' },
    },
  ],
  [
    'wrong references',
    wrong,
    'table',
    {
      ...{ 'will be deleted': 'red', 'loses a reference': 'yellow' },
      'never deleted': 'magenta',
    },
  ],
  ['an audit', reportOf(), 'wide', { error: 'red', warning: 'yellow' }],
  ['a plan', planned(story, web), 'table', { 'will be deleted': 'red', stays: 'green' }],
  ['policies', comparison, 'table', { deleted: 'red', stays: 'green', orphaned: 'yellow' }],
])('colours change no text: %s', async (_, report, format, painted) => {
  const plain = { colour: false, width: undefined, now: context.now };
  const coloured = await render(report, format, { ...plain, colour: true });
  expect(stripVTControlCharacters(coloured)).toBe(await render(report, format, plain));
  const missing = Object.entries(painted).filter(
    ([words, colour]) => !coloured.includes(`\u001b[${codeOf(colour)}m${words}\u001b[`),
  );
  expect(missing).toEqual([]);
});
