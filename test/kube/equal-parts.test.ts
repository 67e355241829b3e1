import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { shareEqualParts } from '../../src/kube/record-codec.ts';
import { anyRecord } from '../support/any-snapshot.ts';
import { ownedByGone, pod } from '../support/builders.ts';

/** As one list makes them: no two records have a part in common yet. */
function listed(records: readonly ObjectRecord[]): ObjectRecord[] {
  const copies: ObjectRecord[] = [];
  for (const record of records) {
    const copy = { ...structuredClone(record), type: record.type };
    shareEqualParts(copy, copies.at(-1));
    copies.push(copy);
  }
  return copies;
}

const oddText = fc.oneof(fc.string(), fc.constantFrom('', 'web', 'constructor', '1'));
const anyMap = fc.option(fc.dictionary(oddText, oddText, { maxKeys: 3, noNullPrototype: true }), {
  nil: undefined,
});
const anyOddRecord = fc
  .tuple(anyRecord(), fc.record({ labels: anyMap, annotations: anyMap }))
  .map(([record, maps]): ObjectRecord => ({ ...record, ...maps }));

test('a record says the same when it shares parts, in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyRecord(), anyOddRecord), { maxLength: 12 }), (records) => {
      expect(listed(records)).toEqual(records);
      expect(JSON.stringify(listed(records))).toBe(JSON.stringify(records));
    }),
  );
});

test('equal labels, references, finalizers and facts of two neighbours are one', () => {
  const details = {
    labels: { app: 'web', tier: 'front' },
    ownerReferences: [ownedByGone('apps/v1 ReplicaSet web')],
    finalizers: ['example.com/drain'],
    facts: { nodeName: 'node-a', containers: [{ name: 'web' }] },
  };
  const [one, two] = listed([pod('web-1', details), pod('web-2', details)]);
  expect(two?.labels).toBe(one?.labels);
  expect(two?.ownerReferences).toBe(one?.ownerReferences);
  expect(two?.finalizers).toBe(one?.finalizers);
  expect(two?.facts).toBe(one?.facts);
});

test('equal values within different parts are stored once', () => {
  const containers = [{ name: 'web', image: 'web:1' }];
  const [one, two] = listed([
    pod('web-1', { facts: { nodeName: 'node-a', containers } }),
    pod('web-2', { facts: { nodeName: 'node-b', containers } }),
  ]);
  expect(two?.facts).toEqual({ nodeName: 'node-b', containers });
  expect(two?.facts?.containers).toBe(one?.facts?.containers);
});

test('labels in another order, a part of them or more of them stay apart', () => {
  const [first, ...others] = listed([
    pod('a', { labels: { app: 'web', tier: 'front' } }),
    pod('b', { labels: { tier: 'front', app: 'web' } }),
    pod('c', { labels: { tier: 'front' } }),
    pod('d', { labels: { tier: 'front', app: 'web' } }),
  ]);
  expect(Object.keys(first?.labels ?? {})).toEqual(['app', 'tier']);
  expect(others.map(({ labels }) => Object.keys(labels ?? {}))).toEqual([
    ['tier', 'app'],
    ['tier'],
    ['tier', 'app'],
  ]);
});
