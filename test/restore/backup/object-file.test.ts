import { expect, test } from 'vitest';
import { objectFile } from '../../../src/restore/backup/object-file.ts';

function fileOf(name: string): string {
  const path = objectFile({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    namespace: '',
    name,
    uid: 'u',
    resource: 'clusterroles',
    namespaced: false,
  });
  return path.replace(/^.*\//, '');
}

test('no file of a backup has a name that Windows refuses, or one that differs from another in capitals only', () => {
  const names = [
    'system:node',
    'con',
    'nul.x',
    'com1',
    'console',
    'Reader',
    'reader',
    'a b?',
    'x.',
  ];
  expect(names.map(fileOf)).toEqual([
    'system%3Anode.yaml',
    '%63on.yaml',
    '%6Eul.x.yaml',
    '%63om1.yaml',
    'console.yaml',
    '%52eader.yaml',
    'reader.yaml',
    'a%20b%3F.yaml',
    'x%2E.yaml',
  ]);
});
