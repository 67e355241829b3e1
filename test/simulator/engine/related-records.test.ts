import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { relatedRecords } from '../../../src/simulator/engine/related-records.ts';
import {
  builderOf,
  configMap,
  deployment,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/** The families by the names of their members, in the order of the records. */
function familiesOf(
  records: readonly ObjectRecord[],
  touched: readonly ObjectRecord[] = [],
  links?: Parameters<typeof relatedRecords>[2],
): string[] {
  const { familyOf } = relatedRecords(records, new Set(touched), links);
  const families = new Map<number, string[]>();
  records.forEach(({ name }, index) => {
    const family = families.get(familyOf(index)) ?? [];
    family.push(name);
    families.set(familyOf(index), family);
  });
  return [...families.values()].map((members) => members.join(' '));
}

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const first = pod('web-1-a', { ownerReferences: [ownedBy(set)] });

test('references join objects, however many steps apart, in whatever order they stand', () => {
  expect(familiesOf([first, secret('alone'), web, set])).toEqual(['web-1-a web web-1', 'alone']);
  const both = configMap('both', { ownerReferences: [ownedBy(web), ownedBy(secret('alone'))] });
  expect(familiesOf([web, secret('alone'), both])).toEqual(['web alone both']);
});

test('an owner that is gone joins its dependents with nothing', () => {
  const gone = { ownerReferences: [ownedByGone('apps/v1 Deployment gone')] };
  expect(familiesOf([configMap('a', gone), configMap('b', gone)])).toEqual(['a', 'b']);
});

test('a long chain and a wide tree are one family each', () => {
  const chain: ObjectRecord[] = [configMap('c0')];
  for (let at = 1; at < 300; at++) {
    chain.push(configMap(`c${at}`, { ownerReferences: [ownedBy(chain[at - 1] as ObjectRecord)] }));
  }
  const wide = Array.from({ length: 300 }, (_, at) =>
    secret(`s${at}`, { ownerReferences: [ownedBy(web)] }),
  );
  const families = familiesOf([...chain.toReversed(), ...wide, web]);
  expect(families.map((family) => family.split(' ').length)).toEqual([300, 301]);
});

test.each([
  ['a namespace', namespace('shop'), configMap('a'), configMap('b', { namespace: 'depot' })],
  [
    'a definition',
    definition('widgets.example.com'),
    widget('a', { namespace: 'depot' }),
    configMap('b'),
  ],
  [
    'a Node',
    node('worker'),
    pod('a', { facts: { nodeName: 'worker' } }),
    pod('b', { facts: { nodeName: 'other' } }),
  ],
])(
  '%s joins what it holds once it is written or goes, and nothing before',
  (_, home, inside, outside) => {
    const records = [home, inside, outside];
    expect(familiesOf(records)).toEqual([home.name, 'a', 'b']);
    expect(familiesOf(records, [home])).toEqual([`${home.name} a`, 'b']);
    const going = { ...home, deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(familiesOf([going, inside, outside])).toEqual([`${home.name} a`, 'b']);
  },
);

test('links of controllers join what shares one', () => {
  const links = [({ labels }: ObjectRecord) => Object.values(labels ?? {})];
  const records = [
    configMap('a', { labels: { x: 'one' } }),
    configMap('b', { labels: { x: 'two' } }),
    configMap('c', { labels: { x: 'one' } }),
    configMap('d', { labels: { x: 'two', y: 'three' } }),
    configMap('e', { labels: { y: 'three' } }),
    configMap('f'),
  ];
  expect(familiesOf(records, [], links)).toEqual(['a c', 'b d e', 'f']);
});

test('tells where owners and objects stand', () => {
  const { ownersOf, positionOf } = relatedRecords([first, web, set, secret('alone')], new Set());
  expect([ownersOf(first), ownersOf(set), ownersOf(web)]).toEqual([[2], [1], []]);
  expect([positionOf(web.uid), positionOf(first.uid), positionOf('gone')]).toEqual([
    1,
    0,
    undefined,
  ]);
});
