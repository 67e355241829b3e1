import { describe, expect, test } from 'vitest';
import { ownersReport, treeReport } from '../../../src/output/documents/owners-and-tree.ts';
import {
  blocking,
  configMap,
  deployment,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

const web = deployment('web', { uid: 'deploy', creationTimestamp: undefined });
const rs = replicaSet('web-7d9', {
  uid: 'rs',
  ownerReferences: [ownedBy(web, { ...blocking, controller: true })],
});

test('a tree tells every object and edge below the roots', () => {
  const report = treeReport(graphOf([web, rs]), [web]);
  expect({ ...report, coverage: undefined }).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'Tree',
    coverage: undefined,
    roots: ['deploy'],
    nodes: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        uid: 'deploy',
        id: 'deploy',
        observed: true,
        finalizers: [],
        gc: { action: 'unowned', rule: 'GC-22.8', because: 'it has no owner' },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        namespace: 'shop',
        name: 'web-7d9',
        uid: 'rs',
        id: 'rs',
        observed: true,
        creationTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [],
        gc: {
          action: 'keep',
          rule: 'GC-22.10',
          because: 'Deployment web exists in namespace shop',
        },
      },
    ],
    edges: [
      {
        dependent: 'rs',
        owner: 'deploy',
        class: 'solid',
        outcome: 'found',
        controller: true,
        blockOwnerDeletion: true,
        rule: 'GC-27',
        because: 'Deployment web exists in namespace shop',
      },
    ],
  });
});

test('owners may be unseen, and objects on their way out', () => {
  const lost = pod('web-1', {
    uid: 'pod',
    ownerReferences: [ownedByGone('apps/v1 ReplicaSet gone', { uid: 'gone' })],
    deleting: 'background',
    finalizers: ['shop.example.com/drain'],
  });
  const { kind, nodes, edges } = ownersReport(graphOf([lost]), [lost]);
  expect(kind).toBe('Owners');
  expect(nodes).toEqual([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web-1',
      uid: 'pod',
      id: 'pod',
      observed: true,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-02T00:00:00Z',
      finalizers: ['shop.example.com/drain'],
      status: 'Terminating',
      gc: {
        action: 'terminating',
        rule: 'GC-22.1',
        because: 'it is already being deleted; its references are not looked at again',
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      namespace: 'shop',
      name: 'gone',
      uid: 'gone',
      id: 'gone',
      observed: false,
      finalizers: [],
    },
  ]);
  expect(
    edges.map((edge) => [edge.dependent, edge.owner, edge.class, edge.blockOwnerDeletion]),
  ).toEqual([['pod', 'gone', 'dangling', false]]);
});

test('a deletion has a policy', () => {
  const orphan = configMap('c', { ownerReferences: [ownedByGone('v1 Pod p')] });
  const [node] = treeReport(graphOf([orphan]), [orphan]).nodes;
  expect(node?.gc).toEqual({
    action: 'delete',
    policy: 'Background',
    rule: 'GC-22.13',
    because: 'there is no Pod p in namespace shop',
  });
});

test('a manifest without uid is known by its place', () => {
  const draft = configMap('draft', { uid: '' });
  const { roots, nodes } = treeReport(graphOf([draft]), [draft]);
  expect([roots, nodes.map(({ id, uid }) => [id, uid])]).toEqual([
    ['configmaps/shop/draft'],
    [['configmaps/shop/draft', '']],
  ]);
});

describe('READY of a ReplicaSet', () => {
  const isReady = { conditions: [{ type: 'Ready', status: 'True' }] };
  const set = { ...rs, facts: { replicas: 3, statusReplicas: 3 } };
  const owned = { ownerReferences: [ownedBy(set, { controller: true })] };
  const pods = [
    pod('web-7d9-a', { ...owned, facts: isReady }),
    pod('web-7d9-b', { ...owned, facts: {} }),
    pod('other', { ownerReferences: [ownedBy(set)], facts: isReady }),
  ];
  const readyIn = (records: Parameters<typeof graphOf>[0], options?: object) =>
    treeReport(graphOf(records, { origin: { kind: 'files', paths: [] }, ...options }), [
      set,
    ]).nodes.find(({ id }) => id === 'rs')?.ready;

  test('is what its status says', () => {
    const { snapshot, ...graph } = graphOf([{ ...set, facts: { ...set.facts, readyReplicas: 2 } }]);
    const [record = set] = snapshot.records;
    expect(treeReport({ snapshot, ...graph }, [record]).nodes[0]?.ready).toBe('2/3');
  });

  test('is 0 on a cluster whose answer leaves it out', () => {
    expect(readyIn([set, ...pods], { origin: { kind: 'cluster', server: '' } })).toBe('0/3');
  });

  test('of an older snapshot counts the ready ones among the pods that it controls', () => {
    expect(readyIn([set, ...pods])).toBe('1/3');
    expect(readyIn([set])).toBe('0/3');
  });

  test('is not known where pods, or their status, were not read', () => {
    expect(readyIn([set, ...pods, pod('web-7d9-c', owned)])).toBe(undefined);
    expect(readyIn([set], { coverage: { read: [] } })).toBe(undefined);
  });
});
