import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { releaseIn } from '../../src/cluster/release-in-secret.ts';

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const manifest = `---
# Source: web/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: web
stringData:
  password: hush
---
# Source: web/templates/claim.yaml
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: other
  annotations:
    "helm.sh/resource-policy": keep
---
# a comment and nothing else
`;
const release = {
  name: 'web',
  version: 3,
  info: { status: 'deployed' },
  config: { password: 'hush' },
  manifest,
  hooks: [
    { kind: 'Job', name: 'web-cleanup', events: ['pre-delete'], manifest: 'password: hush' },
    { kind: 'Job', name: 'web-migrate', events: ['post-install'] },
    {
      kind: 'Pod',
      name: 'web-check',
      events: ['post-install'],
      delete_policies: ['hook-succeeded'],
    },
  ],
  chart: {
    files: [
      {
        name: 'crds/things.yaml',
        data: base64('kind: CustomResourceDefinition\nmetadata: {name: things.example.com}'),
      },
      { name: 'README.md', data: base64('kind: none') },
    ],
  },
};
const expected = {
  revision: 3,
  status: 'deployed',
  objects: [
    { apiVersion: 'v1', kind: 'Secret', namespace: '', name: 'web', isKept: false },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'other',
      name: 'data',
      isKept: true,
    },
  ],
  preDelete: ['Job web-cleanup'],
  leftHooks: ['Job web-cleanup', 'Job web-migrate'],
  leftDefinitions: ['things.example.com'],
};
const secretOf = (bytes: Uint8Array | string) => ({ data: { release: base64(base64(bytes)) } });

test('keeps the objects of a release without their data', () => {
  const text = JSON.stringify(release);
  expect(releaseIn(secretOf(gzipSync(text)), 'web')).toEqual(expected);
  expect(releaseIn(secretOf(text), 'web')).toEqual(expected);
});

test('takes the items of a List, with the policy of the List', () => {
  const listOf = (annotations: string) => `apiVersion: v1
kind: List
metadata: {annotations: {${annotations}}}
items:
  - {apiVersion: v1, kind: Namespace, metadata: {name: app}}
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}
`;
  const objectsOf = (annotations: string) => {
    const text = JSON.stringify({ ...release, manifest: listOf(annotations) });
    const { objects } = releaseIn(secretOf(text), 'web');
    return objects.map(({ kind, name, isKept }) => `${kind} ${name} ${isKept}`);
  };
  expect(objectsOf('')).toEqual(['Namespace app false', 'ConfigMap a false']);
  expect(objectsOf('helm.sh/resource-policy: keep')).toEqual([
    'Namespace app true',
    'ConfigMap a true',
  ]);
});

test('says of a release that cannot be read no more than its name', () => {
  for (const secret of [{}, secretOf('{"password":'), secretOf(gzipSync('hush'))]) {
    expect(() => releaseIn(secret, 'web')).toThrow(
      /^what release "web" consists of cannot be read from its Secret/,
    );
  }
});
