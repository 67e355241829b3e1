import { expect, test } from 'vitest';
import type { DeletionIntent } from '../../../../src/deletion/plan/plan.ts';
import { playDeletion } from '../../../../src/deletion/plan/play/play-deletion.ts';
import type { ObjectFacts, ObjectRecord } from '../../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
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
} from '../../../support/builders.ts';
import { context, planned } from '../planned.ts';
import { namespace } from '../told.ts';

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
  const asked = { targets: [shop], policy: 'Background', ...intent } as const;
  const { content } = playDeletion(all, asked, context).scope;
  return [...content].map(({ name }) => name);
}

test('objects without finalizers are deleted with their namespace, and are not played', () => {
  expect(contentOf(plain)).toEqual(['web', 'set', 'one', 'settings']);
});

test.each<[string, readonly ObjectRecord[], Partial<DeletionIntent>]>([
  ['owns a protected object', [...plain, protectedOfWeb], {}],
  [
    'owns a terminating object',
    [...plain, secret('key', { ...ofWeb, deleting: 'background' })],
    {},
  ],
  ['is a target', plain, { targets: [shop, web] }],
  ['uses a protected claim', [web, set, usesClaim, settings, claim], {}],
])('plays a family that %s', (_, records, intent) => {
  expect(contentOf(records, intent)).toEqual(['settings']);
});

test.each<[string, ObjectFacts, readonly string[]]>([
  ['whose kubelet answers', { nodeName: 'well' }, ['one']],
  ['that has ended', { nodeName: 'gone', phase: 'Failed' }, ['one']],
  ['that is on no Node', { nodeName: '' }, ['one']],
  ['without a grace period', { nodeName: 'well', terminationGracePeriodSeconds: 0 }, ['one']],
  ['with negative grace period', { nodeName: 'well', terminationGracePeriodSeconds: -1 }, []],
  ['on a Node that does not answer', { nodeName: 'silent' }, []],
  ['on a Node that is not there', { nodeName: 'gone' }, []],
])('knows plain pods: %s', (_, facts, content) => {
  expect(contentOf([pod('one', { facts })])).toEqual(content);
});

test.each([
  ['the namespace stays', configMap('held', { finalizers: ['acme.io/hold'] })],
  ['an owner is elsewhere', configMap('far', { ...ofWeb, namespace: 'bank' })],
  ['a uid is missing', configMap('nameless', { uid: '' })],
])('everything is played where %s', (_, other) => {
  expect(contentOf([...plain, other])).toEqual([]);
});

test('content that cannot be deleted is simulated', () => {
  const type = customType('plates.example.com/v1 Plate', { verbs: ['list', 'get', 'watch'] });
  const types = new ResourceTypes([...servedTypes.all, type], { exhaustive: true });
  const all = snapshotOf([shop, objectOfType(type, 'plate'), settings], { types });
  const intent = { targets: [shop], policy: 'Background' as const };
  const { content } = playDeletion(all, intent, context).scope;
  expect([...content]).toEqual([settings]);
});

test('a plan explains it as everything that is deleted with its namespace', () => {
  const { objects } = planned([shop, ...nodes, ...plain, { ...claim, ownerReferences: [] }], shop);
  const told = objects.map(({ name, wave, because }) => `${wave} ${name}: ${because}`);
  expect(told.join('\n')).toMatchInlineSnapshot(`
    "0 shop: requested; it is marked as being deleted; it is removed once it is empty
    1 settings: namespace shop is being deleted
    1 web: namespace shop is being deleted
    1 data: namespace shop is being deleted; it is being deleted and no pod uses it, so kubernetes.io/pvc-protection is removed
    1 one: namespace shop is being deleted; removed after its containers on well stop (grace period 30s)
    1 set: namespace shop is being deleted"
  `);
});
