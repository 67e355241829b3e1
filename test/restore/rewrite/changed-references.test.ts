import { describe, expect, test } from 'vitest';
import type { RelinkedReference } from '../../../src/restore/relink/relink.ts';
import {
  fixedText,
  type ManifestFix,
  readManifestFile,
} from '../../../src/restore/rewrite/rewrite-manifests.ts';
import { withOwners, withRelinked } from '../../../src/restore/rewrite/rewrite-object.ts';

function changed(text: string, step: ManifestFix): string {
  const file = readManifestFile('in.yaml', text);
  if ('bad' in file) throw new Error(`line ${file.bad} cannot be read`);
  return fixedText(file, [step]);
}

const live = '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b';

/** Where a reference to the owner of this name leads now. */
function now(name: string, uid = live, apiVersion = 'apps/v1'): RelinkedReference {
  const owner = { apiVersion, kind: 'Deployment', name };
  return {
    reference: { ...owner, uid, controller: undefined, blockOwnerDeletion: undefined },
    told: { ...owner, from: 'x', to: uid, change: 'relinked', because: '' },
    owner: undefined,
    end: 'solid',
  };
}

const relinked =
  (...references: RelinkedReference[]): ManifestFix =>
  (object) =>
    withRelinked(object, references);

describe('a reference gets the uid of the owner that lives now', () => {
  const owned = (version: string, uid: string) =>
    `metadata:
  ownerReferences: # who owns it
  - apiVersion: ${version} # its version
    uid: ${uid} # its uid
    name: web
  name: a
`;
  const before = owned('apps/v1', 'x');
  test.each([
    ['a plain one', before, relinked(now('web')), owned('apps/v1', live)],
    [
      'in double quotes',
      owned('apps/v1', '"x"'),
      relinked(now('web')),
      owned('apps/v1', `"${live}"`),
    ],
    [
      'in single quotes',
      owned('apps/v1', "'x'"),
      relinked(now('web')),
      owned('apps/v1', `'${live}'`),
    ],
    [
      'in JSON',
      '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","name":"web","uid":"x"}]}}\n',
      relinked(now('web')),
      `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","name":"web","uid":"${live}"}]}}\n`,
    ],
    [
      'a uid that could be read as a number is quoted',
      before,
      relinked(now('web', '1e3')),
      owned('apps/v1', '"1e3"'),
    ],
    [
      'a uid of another form is quoted',
      before,
      relinked(now('web', 'other uid')),
      owned('apps/v1', '"other uid"'),
    ],
    [
      'one that is written as a number',
      owned('apps/v1', '123'),
      relinked(now('web')),
      owned('apps/v1', live),
    ],
    [
      'one with an anchor that nothing repeats',
      owned('apps/v1', '&u x'),
      relinked(now('web')),
      owned('apps/v1', `&u ${live}`),
    ],
    [
      'a version that is not served any more',
      owned('apps/v1beta1', live),
      relinked(now('web')),
      before.replace(' x ', ` ${live} `),
    ],
    ['both', owned('apps/v1beta1', 'x'), relinked(now('web')), owned('apps/v1', live)],
    ['what leads there already', before, relinked(now('web', 'x')), before],
    ['the reference to another owner', before, relinked(now('other')), before],
    ['a reference that nothing is known of', before, relinked(), before],
    ['no reference', 'metadata: {name: a} # a\n', relinked(now('web')), undefined],
    ['no list of them', 'metadata: {ownerReferences: web} # a\n', relinked(now('web')), undefined],
    ['no metadata', 'kind: A # a\n', relinked(now('web')), undefined],
    [
      'one of two',
      'metadata: {ownerReferences: [{apiVersion: apps/v1, name: db, uid: y}, {apiVersion: apps/v1, name: web, uid: x}]}\n',
      relinked(now('db', 'y'), now('web')),
      `metadata: {ownerReferences: [{apiVersion: apps/v1, name: db, uid: y}, {apiVersion: apps/v1, name: web, uid: ${live}}]}\n`,
    ],
  ])('%s', (_, text, step, expected = text) => {
    expect(changed(text, step)).toBe(expected);
  });

  // The other place that the anchor names keeps its value.
  test.each([
    [
      'that an alias repeats elsewhere',
      'metadata:\n  ownerReferences:\n  - {apiVersion: apps/v1, name: web, uid: &u x}\nspec: *u\nnote: a---b\n',
      `metadata:\n  ownerReferences:\n    - apiVersion: apps/v1\n      name: web\n      uid: ${live}\nspec: x\nnote: a---b\n`,
    ],
    [
      'behind an alias',
      '---\nspec: &r\n- {apiVersion: apps/v1, name: web, uid: x}\nmetadata:\n  ownerReferences: *r\n',
      `---\nspec:\n  - apiVersion: apps/v1\n    name: web\n    uid: x\nmetadata:\n  ownerReferences:\n    - apiVersion: apps/v1\n      name: web\n      uid: ${live}\n`,
    ],
    [
      'on a line of its own',
      'metadata:\n  ownerReferences:\n    - apiVersion: apps/v1\n      name: web\n      uid: |-\n        x\n  name: a # a\n',
      `metadata:\n  ownerReferences:\n    - apiVersion: apps/v1\n      name: web\n      uid: |-\n        ${live}\n  name: a # a\n`,
    ],
  ])('%s', (_, text, expected) => {
    expect(changed(text, relinked(now('web')))).toBe(expected);
  });
});

describe('references go that are not to stay', () => {
  const both = `metadata:
  ownerReferences:
  - name: web # 1
    uid: x
  - name: db # 2
    uid: y
  # behind them
  name: a
`;
  const inFlow = 'metadata: {ownerReferences: [{name: web}, {name: db}], name: a} # a\n';
  const first: ManifestFix = (object) => withOwners(object, (index) => index === 0);
  const second: ManifestFix = (object) => withOwners(object, (index) => index === 1);
  const all: ManifestFix = (object) => withOwners(object, () => true);
  test.each([
    ['the second', both, first, both.replace('  - name: db # 2\n    uid: y\n', '')],
    ['the first', both, second, both.replace('  - name: web # 1\n    uid: x\n', '')],
    ['none', both, all, both],
    ['the second in a line', inFlow, first, inFlow.replace(', {name: db}', '')],
    ['the first in a line', inFlow, second, inFlow.replace('{name: web}, ', '')],
    [
      'all, but not the comment of what comes next',
      both,
      (object: Parameters<ManifestFix>[0]) => withOwners(object, () => false),
      'metadata:\n  # behind them\n  name: a\n',
    ],
    [
      'nor one that is further to the right',
      both.replace('  # behind', '    # behind'),
      (object: Parameters<ManifestFix>[0]) => withOwners(object, () => false),
      'metadata:\n    # behind them\n  name: a\n',
    ],
    [
      'an empty list',
      'metadata: {ownerReferences: [], name: a} # a\n',
      all,
      'metadata: {name: a} # a\n',
    ],
    [
      'what is no list',
      'metadata:\n  ownerReferences: web\n  name: a # a\n',
      all,
      'metadata:\n  name: a # a\n',
    ],
    ['nothing at all', 'metadata:\n  ownerReferences:\n  name: a\n', all, 'metadata:\n  name: a\n'],
    [
      'the last lines of a file',
      'metadata:\n  name: a\n  ownerReferences:\n  - name: web\n    uid: x # x',
      second,
      'metadata:\n  name: a\n',
    ],
    [
      'one whose dash stands alone',
      'metadata:\n  ownerReferences:\n  -\n    name: web\n    uid: x\n  - name: db\n    uid: y\n',
      second,
      'metadata:\n  ownerReferences:\n    - name: db\n      uid: y\n',
    ],
  ])('%s', (_, text, step, expected) => {
    expect(changed(text, step)).toBe(expected);
  });
});

describe('what counts as an object', () => {
  /** The names that a step is called with, and where in the file each is. */
  function visited(text: string): string[] {
    const seen: string[] = [];
    changed(text, (object, index) => {
      seen.push(`${index} ${object.kind}`);
      return object;
    });
    return seen;
  }

  test.each([
    [
      'documents and items of Lists, in their order',
      'kind: A\n---\nkind: List\nitems: [{kind: B}, {kind: CList, items: [{kind: C}]}]\n---\nkind: D\n',
      ['0 A', '1 B', '2 C', '3 D'],
    ],
    [
      'a kind whose name ends with List, and that has no items',
      'kind: PriceList\n',
      ['0 PriceList'],
    ],
    ['a kind that has items and is no List', 'kind: Cart\nitems: [{kind: A}]\n', ['0 Cart']],
    ['a kind whose name begins with List', 'kind: Listing\nitems: [{kind: A}]\n', ['0 Listing']],
    ['JSON values one after the other', '{"kind":"A"}\n{"kind":"B"}\n', ['0 A', '1 B']],
    ['JSON and then YAML', '{"kind":"A"}\n---\nkind: B\n', ['0 A', '1 B']],
    ['YAML in braces, with two in quotes', "{kind: A, note: 'a }{ b'}\n", ['0 A']],
    ['YAML in braces, with one in quotes', "{kind: A, note: 'a } in it'}\n", ['0 A']],
    ['YAML in braces', '{kind: A}\n---\n{kind: B}\n', ['0 A', '1 B']],
    ['JSON and YAML in braces', '{"kind":"A"}\n---\n{kind: B}\n', ['0 A', '1 B']],
    ['YAML with braces further down', 'kind: A\nspec: {"x":"y"}\n', ['0 A']],
  ])('%s', (_, text, objects) => {
    expect(visited(text)).toEqual(objects);
    expect(changed(text, (object) => object)).toBe(text);
  });

  test('of several objects only those are rewritten that change', () => {
    const text = (references: string) => `kind: List
items:
- kind: A # a
- kind: B # b
  metadata: {${references}name: b}
---
kind: C # c
`;
    const strip: ManifestFix = (object) => withOwners(object, () => false);
    expect(changed(text('ownerReferences: [{name: web}], '), strip)).toBe(text(''));
  });

  test('what stands between and behind JSON values stays', () => {
    const text = (references: string) =>
      `{"kind":"A"}\n\n{"kind":"B","metadata":{${references}"name":"b"}}\n\n\n`;
    const strip: ManifestFix = (object) => withOwners(object, () => false);
    expect(changed(text('"ownerReferences":[],'), strip)).toBe(text(''));
  });
});
