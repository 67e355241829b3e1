import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { applyPatch } from '../../../src/simulator/api-server/apply-patch.ts';
import type { PatchType } from '../../../src/simulator/api-server/request.ts';
import { rowsOf } from '../../support/rows.ts';

const object = { metadata: { name: 'web', labels: { app: 'web' }, finalizers: ['a', 'b'] } };

afterEach(() => expect('polluted' in {}).toBe(false));

test.each(['/__proto__/polluted', '/metadata/constructor/prototype/polluted', '/__proto__'])(
  'a JSON patch of %s pollutes no prototype',
  (path) => {
    const patch = [{ op: 'add', path, value: { polluted: true } }];
    expect(applyPatch(object, 'json', patch)).toEqual({
      refused: [422, 'Invalid', expect.stringContaining(`: ${path}: `)],
    });
  },
);

test.each(['merge', 'strategic'] as const)(
  'a %s patch of __proto__ pollutes no prototype',
  (type) => {
    const patch = JSON.parse('{"metadata":{"__proto__":{"polluted":true},"labels":{"a":"b"}}}');
    expect(applyPatch(object, type, patch)).toEqual({
      object: { metadata: { ...object.metadata, labels: { app: 'web', a: 'b' } } },
    });
  },
);

test('finalizers are removed from the metadata and the spec of a Namespace', () => {
  const namespace = { metadata: { finalizers: ['a'] }, spec: { finalizers: ['kubernetes', 'a'] } };
  expect(applyPatch(namespace, 'remove-finalizers', ['a'])).toEqual({
    object: { metadata: { finalizers: [] }, spec: { finalizers: ['kubernetes'] } },
  });
});

// `metadata`: what a patch makes of it; of references, the uid is what they are told apart by.
const held = parse(
  'metadata: {name: web, labels: {app: web}, finalizers: [a, b], ownerReferences: [{uid: "1", name: one}, {uid: "2", name: two}]}',
);
const patches = rowsOf(`
  merge     | {finalizers: [c], labels: {app: null, tier: x}}      | finalizers: [c], labels: {tier: x}
  strategic | {labels: {app: null, tier: x}}                       | labels: {tier: x}
  strategic | {finalizers: [b, c]}                                 | finalizers: [a, b, c]
  strategic | {finalizers: null}                                   | finalizers: []
  strategic | {$deleteFromPrimitiveList/finalizers: [a]}           | finalizers: [b]
  strategic | {$deleteFromPrimitiveList/finalizers: [a], finalizers: [c]} | finalizers: [b, c]
  strategic | {ownerReferences: [{uid: "1", controller: true}, {uid: "3", name: three}]}
      | ownerReferences: [{uid: "1", name: one, controller: true}, {uid: "2", name: two}, {uid: "3", name: three}]
  strategic | {ownerReferences: [{uid: "1", $patch: delete}]}      | ownerReferences: [{uid: "2", name: two}]
  remove-finalizers | [a, c]                                       | finalizers: [b]
  json | [{op: remove, path: /metadata/finalizers/0}]              | finalizers: [b]
  json | [{op: replace, path: /metadata/finalizers/1, value: c}]   | finalizers: [a, c]
  json | [{op: add, path: /metadata/finalizers/1, value: c}]       | finalizers: [a, c, b]
  json | [{op: add, path: /metadata/finalizers/2, value: c}]       | finalizers: [a, b, c]
  json | [{op: add, path: /metadata/finalizers/-, value: c}]       | finalizers: [a, b, c]
  json | [{op: add, path: /metadata/labels/x~1y~0, value: z}]      | labels: {app: web, x/y~: z}
  json | [{op: remove, path: /metadata/labels/app}]                | labels: {}
  json | [{op: test, path: /metadata/finalizers, value: [a, b]}, {op: replace, path: /metadata/name, value: x}] | name: x
`);
test.each(patches)('a %s patch of %s leaves %s', (type = '', patch = '', changed = '') => {
  const given = ['merge', 'strategic'].includes(type) ? { metadata: parse(patch) } : parse(patch);
  const metadata = { ...held.metadata, ...parse(`{${changed}}`) };
  expect(applyPatch(held, type as PatchType, given)).toEqual({ object: { metadata } });
});

const refusals = rowsOf(`
  merge | [a]                                                     | the patch is not an object
  json | {op: remove}                                             | the patch is not a list of operations
  json | [{op: remove}]                                           | no path
  json | [{op: add, path: /metadata/finalizers/x, value: c}]      | /metadata/finalizers/x: there is no such place
  json | [{op: add, path: /metadata/finalizers/3, value: c}]      | /metadata/finalizers/3: there is no such place
  json | [{op: add, path: /metadata/finalizers/1.5, value: c}]    | /metadata/finalizers/1.5: there is no such place
  json | [{op: remove, path: /metadata/labels/tier}]              | /metadata/labels/tier: there is no such place
  json | [{op: replace, path: /metadata/finalizers/2, value: c}]  | /metadata/finalizers/2: there is no such place
  json | [{op: test, path: /metadata/name, value: other}]         | /metadata/name: the test failed
  json | [{op: move, path: /metadata/name}]                       | /metadata/name: unknown operation "move"
`);
test.each(refusals)('a %s patch of %s is refused', (type = '', patch = '', why) => {
  expect(applyPatch(held, type as PatchType, parse(patch))).toEqual({
    refused: [422, 'Invalid', expect.stringContaining(`: ${why}`)],
  });
});

test('an operation that is none is named, whatever it is', () => {
  const patch = [{ op: { toString: 1 }, path: '/metadata/name', value: 'c' }];
  expect(applyPatch(object, 'json', patch)).toEqual({
    refused: [422, 'Invalid', expect.stringMatching(/: \/metadata\/name: .* \{"toString":1\}$/)],
  });
});
