import { expect, test } from 'vitest';
import { inventoryOf } from '../../src/delivery/tools.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { inWords } from '../../src/kube/object-reference.ts';
import { planned } from '../deletion/plan/planned.ts';
import { told } from '../deletion/plan/told.ts';
import { ownedBy } from '../support/builders.ts';
import { toolObject, toolTypes } from '../support/delivery.ts';

const finalizer = 'cluster.cluster.x-k8s.io';
const clusterOf = (version: string, metadata = {}, spec = {}): ObjectRecord =>
  toolObject(`cluster.x-k8s.io/${version} Cluster prod`, {
    metadata: { finalizers: [finalizer], ...metadata },
    spec: { infrastructureRef: { apiGroup: 'example.com', kind: 'Widget', name: 'net' }, ...spec },
  });
const prod = clusterOf('v1beta2');
const workers = toolObject('cluster.x-k8s.io/v1beta2 MachineDeployment workers', {
  metadata: { ownerReferences: [{ ...ownedBy(prod) }] },
});
const other = toolObject('cluster.x-k8s.io/v1beta2 MachineDeployment other', {});
const net = toolObject('example.com/v1 Widget net', {});

const ends = (...[records, target, intent]: Parameters<typeof planned>) =>
  planned(records, target, intent, { types: toolTypes }).objects.map((object) => {
    const { fate, then, likely } = object;
    return `${inWords(object)}: ${fate}${then ? `, then ${then}` : ''}${likely ? ', likely' : ''}`;
  });

test.each([
  ['Background', 'kept'],
  ['Orphan', 'orphaned'],
] as const)('a Cluster deletes machines and infrastructure, with %s', (policy, first) => {
  expect(ends([prod, workers, other, net], prod, { policy })).toEqual([
    'Cluster prod in namespace delivery: terminating, then deleted',
    `MachineDeployment workers in namespace delivery: ${first}, then deleted, likely`,
    'Widget net in namespace delivery: kept, then deleted, likely',
  ]);
});

test('no output says that a Cluster applied its machines', () => {
  const lines = told([prod, workers, net], prod, {}, { types: toolTypes });
  const { objects } = planned([prod, workers], prod, {}, { types: toolTypes });
  const remarks = lines.filter((line) => line.includes(' delivered: '));
  expect([...remarks, objects[1]?.because].join('\n')).toMatchInlineSnapshot(`
    "warning delivered: Cluster API Cluster delivery/prod has 2 objects: 1 MachineDeployment, 1 Widget. They are deleted with their dependents before cluster.cluster.x-k8s.io is removed from it.
    Cluster API Cluster delivery/prod has it, and deletes it with itself"
  `);
});

test('v1beta1 names the group by the apiVersion', () => {
  const reference = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    namespace: 'delivery',
    name: 'net',
  };
  const old = clusterOf('v1beta1', {}, { infrastructureRef: reference });
  expect(ends([old, net], old)).toHaveLength(2);
});

test.each([
  ['its spec', {}, { paused: true }],
  ['an annotation', { annotations: { 'cluster.x-k8s.io/paused': '' } }, {}],
])('it deletes nothing if paused by %s', (_, metadata, spec) => {
  const paused = clusterOf('v1beta2', metadata, spec);
  expect(inventoryOf(paused)).toMatchObject({ keepsAllBecause: 'it is paused' });
  expect(told([paused, net], paused, {}, { types: toolTypes })).toContain(
    'note delivered: 1 Widget that Cluster API Cluster delivery/prod has stays: it is paused.',
  );
});
