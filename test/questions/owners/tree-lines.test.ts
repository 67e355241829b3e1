import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  type GraphReport,
  ownersReport,
  treeReport,
} from '../../../src/questions/owners/document.ts';
import { treeLines } from '../../../src/questions/owners/tree-lines.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import {
  configMap,
  deployment,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';

function drawn(report: GraphReport): string[] {
  return treeLines(report).map(
    ({ prefix, node, edge, repeated }) =>
      `${prefix}${node.name}${edge && edge.class !== 'solid' ? ` ${edge.class}` : ''}${repeated ? ' again' : ''}`,
  );
}

const web = deployment('web');
const old = replicaSet('web-6c4', { ownerReferences: [ownedBy(web)] });
const rs = replicaSet('web-7d9', { ownerReferences: [ownedBy(web)] });

function tree(records: readonly ObjectRecord[], ...roots: ObjectRecord[]): string[] {
  return drawn(treeReport(graphOf(records), roots));
}

test('a tree has a shared object in full once, and one line for an owner that is named twice', () => {
  const shared = pod('shared', { ownerReferences: [ownedBy(old), ownedBy(rs)] });
  const below = secret('below', {
    ownerReferences: [ownedBy(shared), ownedBy(shared, { name: 'x' })],
  });
  expect(tree([web, old, rs, shared, below], web, rs)).toEqual([
    'web',
    '├─ web-6c4',
    '│  └─ shared',
    '│     └─ below',
    '└─ web-7d9',
    '   └─ shared again',
    'web-7d9 again',
  ]);
});

test('owners are drawn upwards, in the order of the references', () => {
  const gone = ownedByGone('v1 Node gone');
  const record = pod('p', { ownerReferences: [gone, ownedBy(rs), ownedBy(old)] });
  expect(drawn(ownersReport(graphOf([record, rs, old, web]), [record]))).toEqual([
    'p',
    '├─ gone dangling',
    '├─ web-7d9',
    '│  └─ web',
    '└─ web-6c4',
    '   └─ web again',
  ]);
});

test('a chain of twenty thousand does not take twenty thousand columns', () => {
  const length = 20_000;
  const bare = Array.from({ length }, (_, i) => configMap(`link-${i}`, { uid: `${i}` }));
  const chain = bare.map((record, i) => {
    const owner = bare[i - 1];
    return owner ? { ...record, ownerReferences: [ownedBy(owner)] } : record;
  });
  const lines = treeLines(treeReport(graphOf(chain), chain.slice(0, 1)));
  expect(lines).toHaveLength(length);
  expect(lines[40]?.prefix).toBe(`${'   '.repeat(39)}└─ `);
  expect(lines[41]?.prefix).toBe('(41 levels down) ');
  expect(lines.at(-1)?.prefix).toBe('(19999 levels down) ');
});

test('a tree prints every reached object of any graph in full once', () => {
  fc.assert(
    fc.property(anySnapshot(), (snapshot) => {
      const graph = buildGraph(snapshot);
      for (const report of [
        treeReport(graph, snapshot.records),
        ownersReport(graph, snapshot.records.slice(0, 3)),
      ]) {
        const full = treeLines(report).filter(({ repeated }) => !repeated);
        expect(full.map(({ node }) => node.id).sort()).toEqual(
          report.nodes.map(({ id }) => id).sort(),
        );
      }
    }),
  );
});
