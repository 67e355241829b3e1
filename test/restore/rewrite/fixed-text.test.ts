import { describe, expect, test } from 'vitest';
import {
  fixedText,
  objectsIn,
  readManifestFile,
} from '../../../src/restore/rewrite/rewrite-manifests.ts';
import { withOwners, withoutServerFields } from '../../../src/restore/rewrite/rewrite-object.ts';

function mended(text: string): string {
  const file = readManifestFile('in.yaml', text);
  if ('bad' in file) throw new Error(`line ${file.bad} cannot be read`);
  return fixedText(file, [withoutServerFields, (object) => withOwners(object, () => false)]);
}

const helm = `# Rendered by hand
---
# Source: shop/templates/web.yaml
apiVersion: v1
kind: ConfigMap
metadata:
    name: web   # the name
    uid: "a-b"
    # who owns it
    ownerReferences:
        # nobody
        - {apiVersion: apps/v1, kind: Deployment, name: web, uid: x}   # gone
    # what it is for
    labels: {app: 'web', "tier": front}
    managedFields:
        - manager: kubectl   # long
          note: |
            several

            lines
data:
    a: |
        ownerReferences:
        - kept
    b: "yes"
---
# Source: shop/templates/nothing.yaml
---

---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: one
    ownerReferences:
    - apiVersion: v1
      kind: ConfigMap
      name: web
      uid: a-b
- {apiVersion: v1, kind: Secret, metadata: {uid: u, name: two, resourceVersion: "7", finalizers: [orphan, a/b]}}
`;

const without = `# Rendered by hand
---
# Source: shop/templates/web.yaml
apiVersion: v1
kind: ConfigMap
metadata:
    name: web   # the name
    # who owns it
    # what it is for
    labels: {app: 'web', "tier": front}
data:
    a: |
        ownerReferences:
        - kept
    b: "yes"
---
# Source: shop/templates/nothing.yaml
---

---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: one
- {apiVersion: v1, kind: Secret, metadata: {name: two, finalizers: [a/b]}}
`;

describe('everything else stays as it was written', () => {
  test.each([
    ['templates with comments', helm, without],
    ['Windows line ends', helm.replaceAll('\n', '\r\n'), without.replaceAll('\n', '\r\n')],
    ['no line end', 'kind: A\nmetadata:\n  name: a\n  uid: x', 'kind: A\nmetadata:\n  name: a\n'],
    ['the first field', 'metadata:\n  uid: x\n  name: a\n', 'metadata:\n  name: a\n'],
    [
      'JSON',
      '{\n  "kind": "A",\n  "metadata": {\n    "uid": "x",\n    "name": "a",\n    "generation": 3\n  }\n}\n',
      '{\n  "kind": "A",\n  "metadata": {\n    "name": "a"\n  }\n}\n',
    ],
    [
      'a JSON value a line',
      '{"kind":"A","metadata":{"name":"a","uid":"x"}}\n{"kind":"B","metadata":{"name":"b"}}\n',
      '{"kind":"A","metadata":{"name":"a"}}\n{"kind":"B","metadata":{"name":"b"}}\n',
    ],
    [
      'numbers too large for JavaScript',
      'metadata: {uid: x, name: a}\nspec: {big: 9007199254740993, e: 1e3}\n',
      'metadata: {name: a}\nspec: {big: 9007199254740993, e: 1e3}\n',
    ],
    ['no metadata', 'kind: A # a\n', undefined],
    ['nothing to do', '# only\n---\nkind: A # a\nmetadata: {name: a}\n...\n', undefined],
  ])('%s', (_, text, expected = text) => {
    expect(mended(text)).toBe(expected);
    expect(mended(mended(text))).toBe(expected);
  });
});

test('what cannot be cut out is rewritten with the same content', () => {
  expect(
    mended('metadata:\n  name: a # name\n  ownerReferences: &o\n  - uid: x\nspec:\n  same: *o\n'),
  ).toBe('metadata:\n  name: a\nspec:\n  same:\n    - uid: x\n');
  expect(mended('spec: &m\n  uid: x # x\n  name: a\nmetadata: *m\n')).toBe(
    'spec:\n  uid: x\n  name: a\nmetadata:\n  name: a\n',
  );
  expect(mended('- metadata:\n    name: a # a\n    ? uid\n    : x\n')).toBe(
    '- metadata:\n    name: a # a\n',
  );
});

test('every object has its line', () => {
  const file = readManifestFile('in.yaml', helm);
  if ('bad' in file) throw new Error('it can be read');
  expect(objectsIn(file).map(({ object, line }) => `${object.kind}:${line}`)).toEqual([
    'ConfigMap:4',
    'Secret:34',
    'Secret:43',
  ]);
});

test('an alias that leads nowhere makes a document one that cannot be read', () => {
  expect(readManifestFile('in.yaml', 'kind: A\n---\nkind: B\nspec: *nowhere\n')).toEqual({
    bad: 2,
  });
});

test('a template has the line of its document', () => {
  expect(readManifestFile('in.yaml', 'kind: A\n---\n{{ if .Values.x }}\nkind: B\n')).toEqual({
    bad: 2,
  });
});
