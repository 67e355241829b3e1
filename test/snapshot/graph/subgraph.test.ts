import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { dependentsOf, ownersOf, type Subgraph } from '../../../src/snapshot/graph/subgraph.ts';
import {
  configMap,
  deployment,
  graphOf,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';

function edgesOf({ edges }: Subgraph): string[] {
  return edges.map(
    ({ dependent, owner, classified }) => `${dependent} > ${owner} ${classified.class}`,
  );
}

const web = deployment('web', { uid: 'deploy' });
const rs = replicaSet('web-7d9', { uid: 'rs', ownerReferences: [ownedBy(web)] });
const one = pod('web-1', { uid: 'one', ownerReferences: [ownedBy(rs)] });
const two = pod('web-2', { uid: 'two', ownerReferences: [ownedBy(rs)] });

describe('the dependents of an object', () => {
  test('are all below it, level by level', () => {
    const tree = dependentsOf(graphOf([two, one, rs, web]), [web]);
    expect({
      ...tree,
      nodes: [...tree.nodes.keys()],
      edges: edgesOf(tree),
      from: undefined,
    }).toEqual({
      direction: 'dependents',
      roots: ['deploy'],
      nodes: ['deploy', 'rs', 'two', 'one'],
      edges: ['rs > deploy solid', 'two > rs solid', 'one > rs solid'],
      from: undefined,
    });
    expect([...tree.from].map(([id, edges]) => [id, edges.map((edge) => edge.dependent)])).toEqual([
      ['deploy', ['rs']],
      ['rs', ['two', 'one']],
    ]);
  });

  test('are none where nothing refers to it', () => {
    const tree = dependentsOf(graphOf([one, rs]), [one]);
    expect([[...tree.nodes.keys()], tree.edges]).toEqual([['one'], []]);
  });

  test('cross namespaces and kinds, by uid', () => {
    const copy = secret('copy', { uid: 'copy', namespace: 'bank', ownerReferences: [ownedBy(rs)] });
    expect(edgesOf(dependentsOf(graphOf([rs, copy]), [rs]))).toEqual(['copy > rs dangling']);
  });

  test('are met once in a diamond, over every edge', () => {
    const other = replicaSet('web-6c4', { uid: 'old', ownerReferences: [ownedBy(web)] });
    const shared = pod('p', { uid: 'shared', ownerReferences: [ownedBy(rs), ownedBy(other)] });
    const tree = dependentsOf(graphOf([web, rs, other, shared]), [web]);
    expect([[...tree.nodes.keys()], edgesOf(tree)]).toEqual([
      ['deploy', 'rs', 'old', 'shared'],
      ['rs > deploy solid', 'old > deploy solid', 'shared > rs solid', 'shared > old solid'],
    ]);
  });

  test('have one edge for each reference to the same owner', () => {
    const twice = pod('p', {
      uid: 'p',
      ownerReferences: [ownedBy(rs), ownedBy(rs, { name: 'x' })],
    });
    expect(edgesOf(dependentsOf(graphOf([rs, twice]), [rs]))).toEqual([
      'p > rs solid',
      'p > rs dangling',
    ]);
  });

  test('of several objects are one graph', () => {
    const tree = dependentsOf(graphOf([web, rs, one]), [rs, web, rs]);
    expect([tree.roots, [...tree.nodes.keys()]]).toEqual([
      ['rs', 'deploy'],
      ['rs', 'deploy', 'one'],
    ]);
  });

  test('of a manifest that was never applied are none', () => {
    const manifest = configMap('draft', { uid: '' });
    const graph = graphOf([manifest, pod('p', { ownerReferences: [ownedBy(manifest)] })]);
    expect([...dependentsOf(graph, [manifest]).nodes.keys()]).toEqual(['configmaps/shop/draft']);
  });
});

describe('the owners of an object', () => {
  test('are all above it', () => {
    const chain = ownersOf(graphOf([web, rs, one]), [one]);
    expect([chain.direction, chain.roots, edgesOf(chain)]).toEqual([
      'owners',
      ['one'],
      ['one > rs solid', 'rs > deploy solid'],
    ]);
  });

  test('include those that only a reference speaks of', () => {
    const orphan = pod('p', {
      uid: 'p',
      ownerReferences: [
        ownedByGone('apps/v1 ReplicaSet gone', { uid: 'gone' }),
        ownedByGone('v1 Node node-a', { uid: 'lost' }),
        ownedByGone('gone.example.com/v1 Gone it', { uid: '' }),
      ],
    });
    const owners = ownersOf(graphOf([orphan]), [orphan]);
    expect([...owners.nodes.values()].slice(1)).toEqual([
      {
        id: 'gone',
        missing: {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          namespace: 'shop',
          name: 'gone',
          uid: 'gone',
        },
      },
      {
        id: 'lost',
        missing: { apiVersion: 'v1', kind: 'Node', namespace: '', name: 'node-a', uid: 'lost' },
      },
      {
        id: 'gone.example.com/v1 Gone shop/it',
        missing: {
          apiVersion: 'gone.example.com/v1',
          kind: 'Gone',
          namespace: 'shop',
          name: 'it',
          uid: '',
        },
      },
    ]);
    expect(edgesOf(owners)).toEqual([
      'p > gone dangling',
      'p > lost dangling',
      'p > gone.example.com/v1 Gone shop/it unresolvable',
    ]);
  });

  test('are those with the uid of the reference, not those that took the name', () => {
    const recreated = replicaSet('web-7d9', { uid: 'new' });
    const owners = ownersOf(graphOf([recreated, one]), [one]);
    expect([[...owners.nodes.keys()], edgesOf(owners)]).toEqual([
      ['one', 'rs'],
      ['one > rs dangling'],
    ]);
  });

  test('are followed to the object that really has the uid', () => {
    const lost = pod('p', { uid: 'p', ownerReferences: [ownedBy(rs, { name: 'x' })] });
    expect(edgesOf(ownersOf(graphOf([web, rs, lost]), [lost]))).toEqual([
      'p > rs dangling',
      'rs > deploy solid',
    ]);
  });

  test('may be manifests that were never applied', () => {
    const draft = deployment('web', { uid: '' });
    const set = replicaSet('web', { uid: 'rs', ownerReferences: [ownedBy(draft)] });
    expect(edgesOf(ownersOf(graphOf([draft, set]), [set]))).toEqual([
      'rs > deployments.apps/shop/web unknown',
    ]);
  });

  test('are met once where two paths lead to them', () => {
    const other = replicaSet('web-6c4', { uid: 'old', ownerReferences: [ownedBy(web)] });
    const shared = pod('p', { uid: 'shared', ownerReferences: [ownedBy(rs), ownedBy(other)] });
    expect([...ownersOf(graphOf([web, rs, other, shared]), [shared]).nodes.keys()]).toEqual([
      'shared',
      'rs',
      'old',
      'deploy',
    ]);
  });
});

describe('both walks end', () => {
  const ring = (size: number): ObjectRecord[] => {
    const bare = Array.from({ length: size }, (_, i) => configMap(`ring-${i}`, { uid: `${i}` }));
    return bare.map((record, i) => {
      const owner = bare[(i + 1) % size];
      return owner ? { ...record, ownerReferences: [ownedBy(owner)] } : record;
    });
  };

  test.each([1, 2, 3, 20_000])('in a ring of %d', (size) => {
    const records = ring(size);
    const graph = graphOf(records);
    const start = records.slice(0, 1);
    for (const walk of [ownersOf, dependentsOf]) {
      const { nodes, edges } = walk(graph, start);
      expect([nodes.size, edges.length]).toEqual([size, size]);
    }
  });

  test('and a node that owns half the cluster is no trouble', () => {
    const host = node('node-a');
    const pods = Array.from({ length: 5000 }, (_, i) =>
      pod(`p-${i}`, { ownerReferences: [ownedBy(host)] }),
    );
    expect(dependentsOf(graphOf([host, ...pods]), [host]).nodes.size).toBe(5001);
  });
});
