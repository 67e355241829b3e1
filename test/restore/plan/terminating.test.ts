import { describe, expect, test } from 'vitest';
import type { SavedObject } from '../../../src/restore/backup/saved-object.ts';
import { fewestFlags, flagsToRestore } from '../../../src/restore/plan/not-restored.ts';
import { servedTypes } from '../../support/builders.ts';
import { kube, ownedBy, plan, saved } from '../saved.ts';

const app = 'v1 ConfigMap app';
const deletionTimestamp = '2026-01-31T12:00:00Z';
const isTerminating = true;
const actions = (objects: readonly SavedObject[], asked: Parameters<typeof plan>[1] = {}) =>
  plan(objects, asked).map(({ saved: { name }, action }) => `${name}: ${action}`);

describe('what was being deleted already when it was saved', () => {
  const going = saved(kube(app), { isTerminating });
  const part = saved(kube('v1 ConfigMap part', ownedBy(app)));
  const other = saved(kube('v1 ConfigMap other'));

  test('is left out with what it owned, unless it is asked for', () => {
    expect(actions([going, part, other])).toEqual(['other: create', 'app: skip', 'part: skip']);
    expect(actions([going, part, other], { terminating: true })).toEqual([
      'app: create',
      'other: create',
      'part: create',
    ]);
  });

  test('is left out with all that was in it', () => {
    const bank = saved(kube('v1 Namespace bank'), { isTerminating });
    const inBank = saved(kube(app, { namespace: 'bank' }));
    expect(actions([bank, inBank])).toEqual(['bank: skip', 'app: skip']);
    expect(actions([bank, inBank], { terminating: true })).toEqual(['bank: create', 'app: create']);
  });

  test('does not keep what has another owner from being restored', () => {
    const shared = saved(kube('v1 ConfigMap part', ownedBy(app, 'v1 ConfigMap other')));
    expect(actions([going, shared, other])).toContain('part: create');
  });

  test('may be there, and be deleted no more', () => {
    expect(actions([going], { there: [kube(app)] })).toEqual(['app: exists']);
  });
});

test('all that is in a namespace that is being deleted cannot be restored, whether it is there or not', () => {
  const shop = kube('v1 Namespace shop', { deletionTimestamp });
  const objects = [
    saved(kube('v1 Namespace shop')),
    saved(kube(app)),
    saved(kube('v1 ConfigMap gone')),
    saved(kube('v1 ConfigMap orphan', ownedBy(app))),
  ];
  const there = [shop, kube(app), kube('v1 ConfigMap orphan')];
  expect(actions(objects, { there })).toEqual([
    'shop: cannot',
    'app: cannot',
    'gone: cannot',
    'orphan: cannot',
  ]);
});

describe('the flags that a restoration takes', () => {
  const flagsOf = (text: string, metadata: object = {}, fields: object = {}, isOfFix = false) => {
    const object = kube(text, metadata, fields);
    const type = servedTypes.find(object.apiVersion, object.kind);
    if (!type) throw new Error(text);
    return flagsToRestore(type, object, isOfFix);
  };
  const failed = { status: { phase: 'Failed' } };

  test.each<[string, Parameters<typeof flagsOf>, readonly string[] | undefined]>([
    ['none', [app], []],
    ['of what had finished', ['v1 Pod web', {}, failed], ['--finished']],
    ['of a terminating object', [app, { deletionTimestamp }], ['--terminating']],
    ['of both', ['v1 Pod web', { deletionTimestamp }, failed], ['--finished', '--terminating']],
    ['before a fix, for terminating objects', [app, { deletionTimestamp }, {}, true], []],
    ['of a Lease', ['coordination.k8s.io/v1 Lease leader'], undefined],
  ])('%s', (_, [text, ...more], expected) => {
    expect(flagsOf(text, ...more)).toEqual(expected);
  });

  test('are the fewest with which something is restored', () => {
    expect(fewestFlags([['--finished'], []])).toEqual([]);
    expect(fewestFlags([['--terminating'], ['--finished']])).toEqual([
      '--finished',
      '--terminating',
    ]);
  });
});
