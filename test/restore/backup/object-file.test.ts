import { expect, test } from 'vitest';
import { objectFile } from '../../../src/restore/backup/object-file.ts';

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  resource: 'clusterroles',
  namespaced: false,
  namespace: '',
  uid: '0b5c-1',
};
const folder = 'objects/_cluster/clusterroles.rbac.authorization.k8s.io';

// None that Windows refuses, and none that differs from another in capitals only.
test.each([
  ['system:node', 'system%3Anode'],
  ['Admin', '%41dmin'],
  ['my role', 'my%20role'],
  ['..', '%2E%2E'],
  ['...', '%2E.%2E'],
  ['con', '%63on'],
  ['nul.backup', '%6Eul.backup'],
  ['console', 'console'],
  ['com1', '%63om1'],
  ['reader', 'reader'],
  ['a b?', 'a%20b%3F'],
  ['x.', 'x%2E'],
  ['grün', 'gr%FCn'],
  ['x'.repeat(150), 'x'.repeat(150)],
  // Cut where a character is written as %3A.
  [`${'x'.repeat(148)}:b`, `${'x'.repeat(148)}~0b5c-1`],
  [`${'x'.repeat(149)}:b`, `${'x'.repeat(149)}~0b5c-1`],
  [`:${'x'.repeat(252)}`, `%3A${'x'.repeat(147)}~0b5c-1`],
  ['x'.repeat(253), `${'x'.repeat(150)}~0b5c-1`],
  ['..\\..\\x', '%2E.%5C..%5Cx'],
])('names a file on every system: %s', (name, file) => {
  expect(objectFile({ ...role, name })).toBe(`${folder}/${file}.yaml`);
});

test('a namespaced object of the core group', () => {
  const pod = { ...role, apiVersion: 'v1', kind: 'Pod', resource: 'pods', namespaced: true };
  expect(objectFile({ ...pod, namespace: 'shop', name: 'web' })).toBe('objects/shop/pods/web.yaml');
});
