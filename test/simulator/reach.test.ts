import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { defaultSimulationSettings } from '../../src/settings/controller-settings.ts';
import { reachOf } from '../../src/simulator/reach.ts';
import {
  builderOf,
  configMap,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  snapshotOf,
  widget,
} from '../support/builders.ts';

const namespaceOf = builderOf('v1', 'Namespace');
const definition = builderOf(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
)('gadgets.example.com');
const tenant = gadget('acme');
const own = { namespace: 'shop' };
const target = configMap('target', own);
const beside = configMap('beside', own);

/** Names of all that a deletion of `target` can touch, or of another one. */
function reached(records: readonly ObjectRecord[], targets = [target]): string[] {
  const reach = reachOf(snapshotOf(records), targets, defaultSimulationSettings);
  return (reach?.members ?? []).map(({ name }) => name);
}

const shopOf = (...owners: readonly ObjectRecord[]) =>
  namespaceOf('shop', { ownerReferences: owners.map((owner) => ownedBy(owner)) });
const all = ['shop', 'target', 'beside'];

test('an object does not reach the rest of its namespace, also if a custom resource owns the namespace', () => {
  expect(reached([namespaceOf('shop'), target, beside])).toEqual(['target']);
  expect(reached([tenant, shopOf(tenant), target, beside])).toEqual(['target']);
  expect(reached([tenant, definition, shopOf(tenant), target, beside])).toEqual(['target']);
});

test('the content of a namespace is reached if its owner is deleted, or the definition of its owner', () => {
  const records = [tenant, definition, shopOf(tenant), target, beside];
  expect(reached(records, [tenant])).toEqual(['acme', ...all]);
  expect(reached(records, [definition])).toEqual(['acme', 'gadgets.example.com', ...all]);
  expect(reached(records, [target, tenant])).toEqual(['acme', ...all]);
});

test.each<[string, readonly ObjectRecord[]]>([
  ['is being deleted', [gadget('acme', { deletionTimestamp: '2026-11-21T14:00:00Z' })]],
  ['has an owner itself', [gadget('acme', { ownerReferences: [ownedByGone('v1 Pod gone')] })]],
  ['has a deleting controller', [builderOf('v1', 'PersistentVolume')('acme')]],
  ['is namespaced', [widget('acme', own)]],
])('reaches a whole namespace whose owner %s', (_, [owner]) => {
  if (!owner) throw new Error('there is no owner');
  const names = reached([owner, shopOf(owner), target, beside]);
  expect(names).toEqual(expect.arrayContaining(all));
});

test('a whole namespace is reached where its owner has another uid than the existing object', () => {
  const shop = namespaceOf('shop', { ownerReferences: [ownedBy(tenant, { uid: 'uid-before' })] });
  expect(reached([tenant, shop, target, beside])).toEqual(['acme', ...all]);
});

test('one owner that stays keeps the content of a namespace out of reach', () => {
  const going = gadget('going');
  const records = [tenant, going, shopOf(tenant, going), target, beside];
  expect(reached(records)).toEqual(['target']);
  expect(reached(records, [going])).not.toContain('target');
});

test('pods that name the same claim are reached with each other only where it is there', () => {
  const volumes = [{ name: 'data', claimName: 'data' }];
  const [one, two] = ['one', 'two'].map((name) => pod(name, { ...own, facts: { volumes } }));
  if (!one || !two) throw new Error('two pods');
  const data = builderOf('v1', 'PersistentVolumeClaim')('data', own);
  expect(reached([one, two], [one])).toEqual(['one']);
  expect(reached([one, two, data], [one])).toEqual(['one', 'two', 'data']);
});

test('an object of another namespace is reached if it has the same missing owner, or refers to a deleted object', () => {
  const lost = { ownerReferences: [ownedByGone('v1 ConfigMap gone')] };
  const here = configMap('here', { ...own, ...lost });
  const there = configMap('there', { namespace: 'bank', ...lost });
  expect(reached([here, there], [here])).toEqual(['here', 'there']);
  const led = configMap('led', { namespace: 'bank', ownerReferences: [ownedBy(target)] });
  expect(reached([target, led])).toEqual(['target', 'led']);
});
