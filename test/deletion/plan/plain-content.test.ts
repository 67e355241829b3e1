import { expect, test } from 'vitest';
import type { DeletionIntent } from '../../../src/deletion/plan/plan.ts';
import { playDeletion } from '../../../src/deletion/plan/play-deletion.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  builderOf,
  configMap,
  customType,
  deployment,
  node,
  objectOfType,
  ownedBy,
  pod,
  replicaSet,
  secret,
  servedTypes,
  snapshotOf,
} from '../../support/builders.ts';
import { context, planned } from './planned.ts';
import { namespace } from './told.ts';

const shop = namespace('shop');
const nodeThatIs = (name: string, status: string) =>
  node(name, { facts: { conditions: [{ type: 'Ready', status }] } });
const nodes = [nodeThatIs('well', 'True'), nodeThatIs('silent', 'Unknown')];
const web = deployment('web');
const set = replicaSet('set', { ownerReferences: [ownedBy(web)] });
const podWith = (facts: ObjectFacts) => pod('one', { ownerReferences: [ownedBy(set)], facts });
const settings = configMap('settings');
const plain = [web, set, podWith({ nodeName: 'well' }), settings];
const ofWeb = { ownerReferences: [ownedBy(web)] };
const protection = 'kubernetes.io/pvc-protection';
const claim = builderOf('v1', 'PersistentVolumeClaim')('data', { finalizers: [protection] });
const protectedOfWeb = { ...claim, ...ofWeb };
const usesClaim = podWith({ nodeName: 'well', volumes: [{ name: 'disk', claimName: 'data' }] });

/** Names of what is not played where a namespace is deleted with these objects in it. */
function contentOf(
  records: readonly ObjectRecord[],
  intent: Partial<DeletionIntent> = {},
): string[] {
  const all = snapshotOf([shop, ...nodes, ...records]);
  const { content } = playDeletion(
    all,
    { targets: [shop], policy: 'Background', ...intent },
    context,
  );
  return [...content].map(({ name }) => name);
}

test('what nothing holds goes with its namespace, and is not played', () => {
  expect(contentOf(plain)).toEqual(['web', 'set', 'one', 'settings']);
});

test.each<[string, readonly ObjectRecord[], Partial<DeletionIntent>]>([
  ['owns what a finalizer holds for a while', [...plain, protectedOfWeb], {}],
  [
    'owns what is being deleted',
    [...plain, secret('key', { ...ofWeb, deleting: 'background' })],
    {},
  ],
  ['is asked for itself', plain, { targets: [shop, web] }],
  ['uses a claim that its use protects', [web, set, usesClaim, settings, claim], {}],
])('a family is played of which one object %s', (_, records, intent) => {
  expect(contentOf(records, intent)).toEqual(['settings']);
});

test.each<[string, ObjectFacts, readonly string[]]>([
  ['whose kubelet answers', { nodeName: 'well' }, ['one']],
  ['that has ended', { nodeName: 'gone', phase: 'Failed' }, ['one']],
  ['that is on no Node', { nodeName: '' }, ['one']],
  ['without a grace period', { nodeName: 'well', terminationGracePeriodSeconds: 0 }, ['one']],
  ['with a grace period below zero', { nodeName: 'well', terminationGracePeriodSeconds: -1 }, []],
  ['on a Node that does not answer', { nodeName: 'silent' }, []],
  ['on a Node that is not there', { nodeName: 'gone' }, []],
])('a pod %s is plain or not', (_, facts, content) => {
  expect(contentOf([pod('one', { facts })])).toEqual(content);
});

test.each([
  ['the namespace stays', configMap('held', { finalizers: ['acme.io/hold'] })],
  ['something leads out of the namespace', configMap('far', { ...ofWeb, namespace: 'bank' })],
  ['something in it has no uid', configMap('nameless', { uid: '' })],
])('everything is played where %s', (_, other) => {
  expect(contentOf([...plain, other])).toEqual([]);
});

test('what cannot be deleted is played', () => {
  const type = customType('plates.example.com/v1 Plate', { verbs: ['list', 'get', 'watch'] });
  const types = new ResourceTypes([...servedTypes.all, type], { exhaustive: true });
  const all = snapshotOf([shop, objectOfType(type, 'plate'), settings], { types });
  const intent = { targets: [shop], policy: 'Background' as const };
  const { content } = playDeletion(all, intent, context);
  expect([...content]).toEqual([settings]);
});

test('a plan says of it what it says of all that goes with its namespace', () => {
  const { objects } = planned([shop, ...nodes, ...plain, { ...claim, ownerReferences: [] }], shop);
  const told = objects.map(({ name, wave, because }) => `${wave} ${name}: ${because}`);
  const goes = 'namespace shop is being deleted';
  const stops = 'its containers on well have stopped: the grace period of 30 s is over';
  const frees = `it is being deleted and no pod uses it, so ${protection} is removed`;
  expect(told).toEqual([
    '0 shop: requested; it is marked as being deleted; nothing is left in the namespace',
    `1 settings: ${goes}`,
    `1 web: ${goes}`,
    `1 data: ${goes}; ${frees}`,
    `1 one: ${goes}; ${stops}`,
    `1 set: ${goes}`,
  ]);
});
