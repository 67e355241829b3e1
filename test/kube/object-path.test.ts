import { expect, test } from 'vitest';
import { objectPath } from '../../src/kube/resource-type.ts';
import { clusterRole, deployment, node, pod } from '../support/builders.ts';

test.each([
  ['a pod', objectPath(pod('web').type, 'shop', 'web'), '/api/v1/namespaces/shop/pods/web'],
  ['the pods of a namespace', objectPath(pod('web').type, 'shop'), '/api/v1/namespaces/shop/pods'],
  ['all pods', objectPath(pod('web').type, ''), '/api/v1/pods'],
  [
    'a Deployment',
    objectPath(deployment('web').type, 'shop', 'web'),
    '/apis/apps/v1/namespaces/shop/deployments/web',
  ],
  [
    'a node, whatever namespace is given',
    objectPath(node('n').type, 'shop', 'n'),
    '/api/v1/nodes/n',
  ],
  ['all nodes', objectPath(node('n').type, ''), '/api/v1/nodes'],
  [
    'a name that is no path segment as it stands',
    objectPath(clusterRole('r').type, '', 'shop:reader?x#y'),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/shop%3Areader%3Fx%23y',
  ],
])('the path of %s', (_, path, expected) => {
  expect(path).toBe(expected);
});
