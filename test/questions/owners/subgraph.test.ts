import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { dependentsOf, ownersOf, type Subgraph } from '../../../src/questions/owners/subgraph.ts';
import {
  configMap,
  type Details,
  deployment,
  graphOf,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const makers: Readonly<Record<string, typeof pod>> = {
  web: deployment,
  rs: replicaSet,
  old: replicaSet,
  copy: (name, details) => secret(name, { namespace: 'bank', ...details }),
};

/** `rs > web; one > rs rs!`: objects whose uid is their name, and their owners, with ! by another name. */
function clusterOf(text: string): ObjectRecord[] {
  const make = (name: string, details?: Details) =>
    (makers[name] ?? pod)(name, { uid: name, ...details });
  return text.split('; ').map((one) => {
    const [name = '', owners = ''] = one.split(' > ');
    const ownerReferences = owners.split(' ').flatMap((owner) => {
      const known = owner === '' ? [] : [make(owner.replace('!', ''))];
      return known.map((is) => ownedBy(is, owner.endsWith('!') ? { name: 'x' } : {}));
    });
    return make(name, { ownerReferences });
  });
}

function edgesOf({ edges }: Subgraph): string[] {
  return edges.map(
    ({ dependent, owner, classified }) => `${dependent} > ${owner} ${classified.class}`,
  );
}

function walked(walk: typeof ownersOf, cluster: string, from: string) {
  const records = clusterOf(cluster);
  const starts = from.split(' ').flatMap((uid) => records.find((one) => one.uid === uid) ?? []);
  const found = walk(graphOf(records), starts);
  const edges = edgesOf(found).join(', ').replaceAll(' > ', '>').replaceAll(' solid', '');
  return { ...found, told: [[...found.nodes.keys()].join(' '), edges] };
}

const down = rowsOf(`
  all below it, level by level      | two > rs; one > rs; rs > web; web    | web       | web rs two one | rs>web, two>rs, one>rs
  none where nothing refers to it   | one > rs; rs                         | one       | one            |
  those of other namespaces, by uid | rs; copy > rs                        | rs        | rs copy        | copy>rs dangling
  met once in a diamond             | web; rs > web; old > web; p > rs old | web       | web rs old p   | rs>web, old>web, p>rs, p>old
  one edge for each reference       | rs; p > rs rs!                       | rs        | rs p           | p>rs, p>rs dangling
  of several objects one graph      | web; rs > web; one > rs              | rs web rs | rs web one     | one>rs, rs>web
`);

test.each(down)('the dependents of an object are %s', (_, cluster = '', from = '', ...told) => {
  expect(walked(dependentsOf, cluster, from).told).toEqual(told);
});

const up = rowsOf(`
  all above it                   | web; rs > web; one > rs              | one | one rs web   | one>rs, rs>web
  those that really have the uid | web; rs > web; p > rs!               | p   | p rs web     | p>rs dangling, rs>web
  met once where two paths lead  | web; rs > web; old > web; p > rs old | p   | p rs old web | p>rs, p>old, rs>web, old>web
`);

test.each(up)('the owners of an object are %s', (_, cluster = '', from = '', ...told) => {
  expect(walked(ownersOf, cluster, from).told).toEqual(told);
});

test('edges are found from the end that a walk comes from', () => {
  const { direction, roots, from } = walked(
    dependentsOf,
    'two > rs; one > rs; rs > web; web',
    'web',
  );
  expect([direction, roots]).toEqual(['dependents', ['web']]);
  expect([...from].map(([id, edges]) => [id, edges.map((edge) => edge.dependent)])).toEqual([
    ['web', ['rs']],
    ['rs', ['two', 'one']],
  ]);
  const several = walked(dependentsOf, 'web; rs > web; one > rs', 'rs web rs');
  expect(several.roots).toEqual(['rs', 'web']);
});

describe('the owners of an object', () => {
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
    const one = pod('one', {
      uid: 'one',
      ownerReferences: [ownedBy(replicaSet('web-7d9', { uid: 'rs' }))],
    });
    const owners = ownersOf(graphOf([recreated, one]), [one]);
    expect([[...owners.nodes.keys()], edgesOf(owners)]).toEqual([
      ['one', 'rs'],
      ['one > rs dangling'],
    ]);
  });

  test('may be manifests that were never applied', () => {
    const draft = deployment('web', { uid: '' });
    const set = replicaSet('web', { uid: 'rs', ownerReferences: [ownedBy(draft)] });
    expect(edgesOf(ownersOf(graphOf([draft, set]), [set]))).toEqual([
      'rs > deployments.apps/shop/web unknown',
    ]);
  });

  test('are none by a uid where it was never applied', () => {
    const manifest = configMap('draft', { uid: '' });
    const graph = graphOf([manifest, pod('p', { ownerReferences: [ownedBy(manifest)] })]);
    expect([...dependentsOf(graph, [manifest]).nodes.keys()]).toEqual(['configmaps/shop/draft']);
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
