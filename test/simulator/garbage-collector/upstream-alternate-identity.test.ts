import { expect, test } from 'vitest';
import type { OwnerReference } from '../../../src/kube/object-record.ts';
import type { ObjectReference } from '../../../src/kube/object-reference.ts';
import {
  alternateIdentity,
  OwnershipNode,
} from '../../../src/simulator/garbage-collector/ownership-node.ts';

const absent: ObjectReference = {
  apiVersion: 'v1',
  kind: 'kind',
  namespace: 'ns1',
  name: 'name',
  uid: 'uid',
};
const clusterScoped: ObjectReference = { ...absent, namespace: '' };

/** A dependent in a namespace, with references to the absent owner that differ from it so. */
function dependent(namespace: string, ...differences: Partial<OwnerReference>[]): OwnershipNode {
  const node = new OwnershipNode({ ...absent, namespace, uid: `child-${namespace}` });
  node.owners = differences.map((changes) => ({
    apiVersion: absent.apiVersion,
    kind: absent.kind,
    name: absent.name,
    uid: absent.uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  }));
  return node;
}
const at = (identity: ObjectReference, apiVersion: string) => ({ ...identity, apiVersion });

test.each<[string, ObjectReference, OwnershipNode[], ObjectReference | undefined]>([
  [
    'namespaced alternate version',
    absent,
    [dependent('ns1', {}), dependent('ns1', { apiVersion: 'v2' })],
    at(absent, 'v2'),
  ],
  [
    'namespaced alternate namespace',
    absent,
    [dependent('ns1', {}), dependent('ns2', {})],
    { ...absent, namespace: 'ns2' },
  ],
  [
    'cluster alternate version',
    clusterScoped,
    [dependent('ns1', {}), dependent('ns1', { apiVersion: 'v2' })],
    at(absent, 'v2'),
  ],
  [
    'cluster alternate kind',
    clusterScoped,
    [dependent('ns1', {}), dependent('ns1', { kind: 'kind2' })],
    { ...absent, kind: 'kind2' },
  ],
  [
    'cluster alternate name',
    clusterScoped,
    [dependent('ns1', {}), dependent('ns1', { name: 'name2' })],
    { ...clusterScoped, name: 'name2' },
  ],
])('%s', (_, missing, dependents, expected) => {
  expect(alternateIdentity(dependents, missing)).toEqual(expected);
  expect(alternateIdentity([...dependents].reverse(), missing)).toEqual(expected);
});
