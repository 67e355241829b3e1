import { expect, test } from 'vitest';
import {
  compareObjects,
  locationKey,
  objectKey,
  referenceTo,
} from '../../src/kube/object-reference.ts';
import { deployment, node } from '../support/builders.ts';

test('an object is referred to by everything that identifies it', () => {
  expect([referenceTo(deployment('web')), referenceTo(node('node-a', { uid: '' }))]).toEqual([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-deployment-shop-web',
    },
    { apiVersion: 'v1', kind: 'Node', namespace: '', name: 'node-a', uid: '' },
  ]);
});

test('the key is the uid, and without one the kind and the name', () => {
  const manifest = deployment('web', { uid: '' });
  expect([deployment('web'), manifest, referenceTo(manifest)].map(objectKey)).toEqual([
    'uid-deployment-shop-web',
    'apps/v1 Deployment shop/web',
    'apps/v1 Deployment shop/web',
  ]);
});

test('a location is the same in every version of the kind', () => {
  const web = deployment('web');
  const older = { ...web, type: { ...web.type, version: 'v1beta1' } };
  expect([web, older].map(locationKey)).toEqual([
    'deployments.apps shop web',
    'deployments.apps shop web',
  ]);
});

test('objects are ordered by kind, namespace, name and uid', () => {
  const reference = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'b' };
  const others = [
    { ...reference, kind: 'Node', uid: 'z' },
    { ...reference, namespace: 'bank', name: 'z' },
    { ...reference, name: 'db' },
    { ...reference, uid: 'a' },
    reference,
  ];
  expect(others.toReversed().sort(compareObjects)).toEqual(others);
});
