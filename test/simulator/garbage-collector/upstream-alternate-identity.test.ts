import { expect, test } from 'vitest';
import type { OwnerReference } from '../../../src/kube/object-record.ts';
import type { ObjectReference } from '../../../src/kube/object-reference.ts';
import {
  alternateIdentity,
  OwnershipNode,
} from '../../../src/simulator/garbage-collector/ownership-node.ts';
import { rowsOf } from '../../support/rows.ts';

const absent: ObjectReference = {
  apiVersion: 'v1',
  kind: 'kind',
  namespace: 'ns1',
  name: 'name',
  uid: 'uid',
};
/** `apiVersion=v2 name=x`. */
const changesIn = (text: string): Partial<OwnerReference> =>
  Object.fromEntries(text.split(' ').flatMap((one) => (one === '' ? [] : [one.split('=')])));

/** A dependent in a namespace, with a reference to the absent owner that differs from it so: `ns1 kind=kind2`. */
function dependent(text: string): OwnershipNode {
  const [namespace = '', ...differences] = text.split(' ');
  const node = new OwnershipNode({ ...absent, namespace, uid: `child-${namespace}` });
  const { namespace: _, ...owner } = absent;
  const unset = { controller: undefined, blockOwnerDeletion: undefined };
  node.owners = [{ ...owner, ...unset, ...changesIn(differences.join(' ')) }];
  return node;
}

test.each(
  rowsOf(`
    namespaced alternate version   | ns1 | ns1, ns1 apiVersion=v2 | namespace=ns1 apiVersion=v2
    namespaced alternate namespace | ns1 | ns1, ns2               | namespace=ns2
    cluster alternate version      |     | ns1, ns1 apiVersion=v2 | namespace=ns1 apiVersion=v2
    cluster alternate kind         |     | ns1, ns1 kind=kind2    | namespace=ns1 kind=kind2
    cluster alternate name         |     | ns1, ns1 name=name2    | namespace= name=name2
  `),
)('%s', (_, namespace = '', text = '', changes = '') => {
  const dependents = text.split(', ').map(dependent);
  const missing = { ...absent, namespace };
  const expected = { ...absent, ...changesIn(changes) };
  expect(alternateIdentity(dependents, missing)).toEqual(expected);
  expect(alternateIdentity([...dependents].reverse(), missing)).toEqual(expected);
});
