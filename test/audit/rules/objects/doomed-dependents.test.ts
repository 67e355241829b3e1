import { expect, test } from 'vitest';
import { doomedDependents } from '../../../../src/audit/rules/doomed-dependents.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const web = deployment('web');
const stale = replicaSet('web-1', { ownerReferences: [ownedBy(web, { uid: 'uid-old' })] });
const messages = (...given: Parameters<typeof violationsOf>) =>
  violationsOf(...given).map((found) => ('at' in found ? `${found.at}: ${found.message}` : found));

test('the restored tree whose top names the uid of the old owner', () => {
  const one = pod('web-1-a', { ownerReferences: [ownedBy(stale)] });
  const two = pod('web-1-b', { ownerReferences: [ownedBy(stale)] });
  const claim = configMap('web-1-b-state', { ownerReferences: [ownedBy(two)] });
  expect(violationsOf(doomedDependents, [claim, two, web, one, stale])).toEqual([
    {
      at: 'ReplicaSet web-1',
      message: 'the next pass deletes it, and 3 more objects go with it: 2 Pods, 1 ConfigMap',
      command:
        'kubectl gc invalid-ownerrefs replicasets.apps -n shop --field-selector metadata.name=web-1 --fix',
      related: ['ConfigMap web-1-b-state', 'Pod web-1-a', 'Pod web-1-b'],
    },
  ]);
});

test('what another owner keeps stays, and so does what hangs on it', () => {
  const shared = pod('shared', { ownerReferences: [ownedBy(stale), ownedBy(web)] });
  const below = configMap('below', { ownerReferences: [ownedBy(shared)] });
  expect(messages(doomedDependents, [web, stale, shared, below])).toEqual([]);
});

test('a dependent of two objects that both go is lost, though neither takes it alone', () => {
  const lost = configMap('lost', { ownerReferences: [ownedByGone('v1 Secret x')] });
  const shared = pod('shared', { ownerReferences: [ownedBy(stale), ownedBy(lost)] });
  const more = 'the next pass deletes it, and 1 more object goes with it: 1 Pod';
  expect(messages(doomedDependents, [web, stale, lost, shared])).toEqual([
    `ConfigMap lost: ${more}`,
    `ReplicaSet web-1: ${more}`,
  ]);
});

test.each([
  ['a finalizer keeps it as an owner', { finalizers: ['example.com/x'] }],
  ['its dependents are let go', { finalizers: ['orphan'] }],
])('not when %s', (_, details) => {
  const held = { ...stale, ...details };
  expect(
    messages(doomedDependents, [web, held, pod('a', { ownerReferences: [ownedBy(held)] })]),
  ).toEqual([]);
});

test('foregroundDeletion takes dependents along as well', () => {
  const held = { ...stale, finalizers: ['foregroundDeletion'] };
  const a = pod('a', { ownerReferences: [ownedBy(held)] });
  expect(messages(doomedDependents, [web, held, a])).toEqual([
    'ReplicaSet web-1: the next pass deletes it, and 1 more object goes with it: 1 Pod',
  ]);
});

test('a frozen dependent stays, and one of an unread owner may', () => {
  const frozen = pod('a', { ownerReferences: [ownedBy(stale), ownedByGone('gone/v1 Gone x')] });
  const unsure = pod('b', { ownerReferences: [ownedBy(stale), ownedByGone('v1 Secret x')] });
  expect(messages(doomedDependents, [web, stale, frozen, unsure], { unread: ['secrets'] })).toEqual(
    [],
  );
});

test('a namespace takes what is in it, and a definition its instances', () => {
  const lost = { ownerReferences: [ownedByGone('example.com/v1 Gadget tenant')] };
  const records = [
    namespace('shop', lost),
    secret('a'),
    secret('b', { namespace: 'bank' }),
    definition('widgets.example.com', lost),
    widget('c', { namespace: 'bank' }),
  ];
  expect(messages(doomedDependents, records)).toEqual([
    'CustomResourceDefinition widgets.example.com: the next pass deletes it, and 1 more object goes with it: 1 Widget',
    'Namespace shop: the next pass deletes it, and 1 more object goes with it: 1 Secret',
  ]);
});

test('what a user deletes on purpose is no loss', () => {
  const ending = deployment('web', { deleting: 'foreground' });
  const set = replicaSet('web-1', { ownerReferences: [ownedBy(ending)] });
  expect(
    messages(doomedDependents, [ending, set, pod('a', { ownerReferences: [ownedBy(set)] })]),
  ).toEqual([]);
});
