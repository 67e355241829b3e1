import { expect, test } from 'vitest';
import type { PlannedObject } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { questionOf } from '../../../src/perform/question.ts';
import { deleteOptionsOf } from '../../../src/shell/flags/delete-options.ts';
import { changesEnd } from '../../../src/shell/plan/planning.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { builderOf, configMap, ownedBy, secret, snapshotOf } from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const customResourceDefinition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

function asked(records: readonly ObjectRecord[], target: ObjectRecord, flags = {}): unknown {
  const plan = planned([...records], target);
  return questionOf(
    { plan, snapshot: snapshotOf([...records]) },
    changesEnd(deleteOptionsOf(flags)),
  );
}

const root = configMap('root');
const leaf = configMap('leaf', { ownerReferences: [ownedBy(root)] });

test('a few objects take a y', () => {
  expect(asked([root], root)).toEqual({ question: 'Delete this object?', word: undefined });
  expect(asked([root, leaf], root)).toEqual({
    question: 'Delete these 2 objects?',
    word: undefined,
  });
});

test('a Namespace and a CustomResourceDefinition take their names', () => {
  const shop = namespace('shop');
  expect(asked([shop], shop)).toEqual({ question: 'Delete this object?', word: 'shop' });
  const crd = customResourceDefinition('databases.example.com');
  expect(asked([crd], crd)).toEqual({
    question: 'Delete this object, with all objects of 1 CustomResourceDefinition?',
    word: 'databases.example.com',
  });
});

test('several of them, and more than a hundred objects, take the number of objects', () => {
  const [one, two] = [namespace('one'), namespace('two')];
  const plan = planned([one, two], [one, two]);
  const snapshot = snapshotOf([one, two]);
  expect(questionOf({ plan, snapshot }, false)).toEqual({
    question: 'Delete these 2 objects?',
    word: '2',
  });
  const leaves = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      configMap(`leaf-${index}`, { ownerReferences: [ownedBy(root)] }),
    );
  expect(asked([root, ...leaves(99)], root)).toMatchObject({ word: undefined });
  expect(asked([root, ...leaves(100)], root)).toEqual({
    question: 'Delete these 101 objects?',
    word: '101',
  });
});

test('what is being deleted already is not asked about, unless the requests change how it ends', () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] };
  const going = configMap('going', leaving);
  const both = planned([root, leaf, going], [root, going]);
  const snapshot = snapshotOf([root, leaf, going]);
  expect(questionOf({ plan: both, snapshot }, false)).toEqual({
    question: 'Delete these 2 objects (1 more being deleted already)?',
    word: undefined,
  });
  const forced = { 'grace-period': '0', force: true };
  const again = { question: 'Delete this object?', word: undefined };
  for (const flags of [forced, { cascade: 'foreground' }]) {
    expect([flags, asked([going], going, flags)]).toEqual([flags, again]);
  }
});

test('patches are counted too', () => {
  const plan = planned([root], root);
  const patch = { ...plan.requests[0], verb: 'patch' } as (typeof plan.requests)[number];
  const snapshot = snapshotOf([root]);
  const options = deleteOptionsOf({});
  expect(
    questionOf(
      { plan: { ...plan, requests: [...plan.requests, patch] }, snapshot },
      changesEnd(options),
    ),
  ).toEqual({
    question: 'Delete this object and change this object?',
    word: undefined,
  });
  const kept = plan.objects.map((one): PlannedObject => ({ ...one, fate: 'kept' }));
  expect(
    questionOf(
      { plan: { ...plan, objects: kept, requests: [patch] }, snapshot },
      changesEnd(options),
    ),
  ).toEqual({
    question: 'Change this object?',
    word: undefined,
  });
});

test('data that goes is asked about', () => {
  const token = secret('token', { ownerReferences: [ownedBy(root)] });
  expect(asked([root, token], root)).toEqual({
    question: 'Delete these 2 objects, with the data of 1 Secret?',
    word: undefined,
  });
});
