import { expect, test } from 'vitest';
import { apiVersionOf } from '../../../src/kube/resource-type.ts';
import {
  type OwnerPlace,
  ownerPlaceIn,
  ownerPlaceOf,
} from '../../../src/snapshot/graph/owner-place.ts';
import { clusterRole, pod, servedTypes, widgets } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

/** `at apps/v1 ReplicaSet in shop`; else how that ends, by which rule, and in which scope. */
function told(place: OwnerPlace): string {
  if (place.end === 'at') {
    return `at ${apiVersionOf(place.type)} ${place.type.kind} in ${place.namespace || 'none'}`;
  }
  const scope = 'namespaced' in place ? (place.namespaced ? ', namespaced' : ', in none') : '';
  return `${place.end}, ${place.outcome} (${place.rule})${scope}`;
}

// In the namespace of what it owns, or in none. In which words is held by the tests of classified references.
const rows = rowsOf(`
  apps/v1 ReplicaSet web      | a pod  | at apps/v1 ReplicaSet in shop
  v1 Node worker              | a pod  | at v1 Node in none
  v1 Node worker              | a role | at v1 Node in none
  gone.example.com/v1 Gone x  | a pod  | frozen, unserved-kind (GC-30)
  apps/v1beta2 ReplicaSet web | a pod  | frozen, unserved-version (GC-30)
  v1 Pod x                    | a role | frozen, namespaced-owner-of-cluster-object (GC-45)
  v1 PodList x                | a role | frozen, namespaced-owner-of-cluster-object (GC-45)
  v1 PodList x                | a pod  | gone, list-kind (GC-29), namespaced
  v1 Binding x                | a pod  | gone, not-gettable (GC-29), namespaced
  v1 ConfigMap ..             | a pod  | unknown, not-a-name (GC-27)
`);
test.each(rows)('%s of %s', (text = '', who, expected) => {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  const from = who === 'a pod' ? pod('web-1') : clusterRole('reader');
  expect(told(ownerPlaceOf(servedTypes, from, { apiVersion, kind, name }))).toBe(expected);
});

test('the reason names the owner also if its dependent has no name', () => {
  const unnamed = { type: { namespaced: false }, namespace: '' };
  const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'x' };
  expect(ownerPlaceIn(widgets, unnamed, owner)).toMatchObject({
    because: expect.stringMatching(/cluster-scoped.* Widget x$/),
  });
});
