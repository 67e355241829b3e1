import { expect, test } from 'vitest';
import type { Plan, PlannedObject } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { questionOf } from '../../../src/perform/question.ts';
import { checkedDeleteOptions } from '../../../src/shell/flags/delete-options.ts';
import { changesEnd } from '../../../src/shell/plan/planning.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { builderOf, configMap, ownedBy, secret, snapshotOf } from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
type Targets = ObjectRecord | readonly ObjectRecord[];
const customResourceDefinition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/** `Delete this object?`, with the word that it takes where that is no y. */
function questionFor(plan: Plan, records: readonly ObjectRecord[], flags = {}): string {
  const asked = questionOf(
    { plan, snapshot: snapshotOf(records) },
    changesEnd(checkedDeleteOptions(flags)),
  );
  return [asked?.question, asked?.word].join(' ').trimEnd();
}

const asked = (records: readonly ObjectRecord[], targets: Targets, flags = {}) =>
  questionFor(planned(records, targets), records, flags);

const root = configMap('root');
const leaf = configMap('leaf', { ownerReferences: [ownedBy(root)] });
const leaves = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...leaf, name: `leaf-${at}`, uid: `leaf-${at}` }));
const [shop, bank] = [namespace('shop'), namespace('bank')];
const crd = customResourceDefinition('databases.example.com');
const token = secret('token', { ownerReferences: [ownedBy(root)] });

test.each<[ObjectRecord[], Targets, string]>([
  [[root], root, 'Delete this object?'],
  [[root, leaf], root, 'Delete these 2 objects?'],
  [[shop], shop, 'Delete this object? shop'],
  [
    [crd],
    crd,
    'Delete this object, with all objects of 1 CustomResourceDefinition? databases.example.com',
  ],
  [[shop, bank], [shop, bank], 'Delete these 2 objects? 2'],
  [[root, ...leaves(99)], root, 'Delete these 100 objects?'],
  [[root, ...leaves(100)], root, 'Delete these 101 objects? 101'],
  [[root, token], root, 'Delete these 2 objects, with the data of 1 Secret?'],
])('case %#: few objects take a y, others more', (all, targets, question) => {
  expect(asked(all, targets)).toBe(question);
});

test('objects that are being deleted already need no answer, unless the requests change how they end', () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] };
  const going = configMap('going', leaving);
  expect(asked([root, leaf, going], [root, going])).toBe(
    'Delete these 2 objects (1 more being deleted already)?',
  );
  const forced = { 'grace-period': '0', force: true };
  for (const flags of [forced, { cascade: 'foreground' }]) {
    expect([flags, asked([going], going, flags)]).toEqual([flags, 'Delete this object?']);
  }
});

test('patches are counted too', () => {
  const plan = planned([root], root);
  const patch = { ...plan.requests[0], verb: 'patch' } as (typeof plan.requests)[number];
  const both = { ...plan, requests: [...plan.requests, patch] };
  expect(questionFor(both, [root])).toBe('Delete this object and change this object?');
  const kept = plan.objects.map((one): PlannedObject => ({ ...one, fate: 'kept' }));
  const patched = { ...plan, objects: kept, requests: [patch] };
  expect(questionFor(patched, [root])).toBe('Change this object?');
});
