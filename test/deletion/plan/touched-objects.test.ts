import { describe, expect, test } from 'vitest';
import { touchedObjects } from '../../../src/deletion/plan/touched-objects.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectKey, referenceTo } from '../../../src/kube/object-reference.ts';
import type { Simulation } from '../../../src/simulator/simulate.ts';
import { configMap, ownedBy, secret } from '../../support/builders.ts';
import { left } from './played.ts';
import { namespace } from './told.ts';

const owner = configMap('owner');
const other = configMap('other');
const child = secret('child', {
  ownerReferences: [ownedBy(owner), ownedBy(other)],
  finalizers: ['a.com/x', 'b.com/y'],
});
const records = [owner, other, child];

const named = (
  played: { readonly with: Simulation; readonly then?: Simulation; readonly without?: Simulation },
  targets: readonly ObjectRecord[] = [],
  all: readonly ObjectRecord[] = records,
) =>
  touchedObjects(all, { without: left(all), ...played }, new Set(targets.map(objectKey))).map(
    ({ record }) => record.name,
  );

test('an object is touched that ends otherwise than without the deletion', () => {
  expect(named({ with: left([owner, child]) })).toEqual(['other']);
  expect(named({ with: left(records), without: left([owner, child]) })).toEqual(['other']);
  expect(named({ with: left(records) })).toEqual([]);
});

describe('an object ends otherwise', () => {
  const changed = (changes: Partial<ObjectRecord>) =>
    named({ with: left([owner, other, { ...child, ...changes }]) });

  test.each<[string, Partial<ObjectRecord>, boolean]>([
    [
      'with its owners in another order',
      { ownerReferences: [ownedBy(other), ownedBy(owner)] },
      false,
    ],
    ['without one of its finalizers', { finalizers: ['a.com/x'] }, true],
    ['with its finalizers in another order', { finalizers: ['b.com/y', 'a.com/x'] }, false],
    ['while it is being deleted', { deletionTimestamp: '2026-01-02T00:00:00Z' }, true],
  ])('%s', (_, changes, isTouched) => {
    expect(changed(changes)).toEqual(isTouched ? ['child'] : []);
  });

  test('where its end is open, or open for another reason', () => {
    const open = (because: string) =>
      left(records, { unknown: [{ object: referenceTo(child), because }] });
    const byChance = left(records, {
      undetermined: [{ object: referenceTo(child), because: 'one' }],
    });
    expect(named({ with: open('one') })).toEqual(['child']);
    expect(named({ with: open('one'), without: open('one') })).toEqual([]);
    expect(named({ with: byChance, without: open('one') })).toEqual([]);
    expect(named({ with: open('two'), without: open('one') })).toEqual(['child']);
    const ends = (first: string, kept: string) =>
      open(`it is gone, as when ${first} first, or it ${kept}, as when ${first} never`);
    expect(named({ with: ends('a', 'stays'), without: ends('b', 'stays') })).toEqual([]);
    expect(named({ with: ends('a', 'stays'), without: ends('a', 'waits') })).toEqual(['child']);
    const then = open('one');
    expect(named({ with: left(records), then })).toEqual(['child']);
  });
});

describe('what would have gone anyway', () => {
  const shop = namespace('shop');
  const lone = configMap('lone', { ownerReferences: [ownedBy(owner)] });
  const far = configMap('far', { namespace: 'elsewhere' });
  const all = [shop, owner, lone, far];

  test('is not touched where the target stays', () => {
    const kept = left([shop, owner, far]);
    expect(named({ with: kept, without: kept }, [owner], all)).toEqual(['owner']);
  });
});

test('of two objects of one uid, each has its own end', () => {
  const [here, there] = [configMap('x', { uid: 'u' }), configMap('y', { uid: 'u' })];
  const elsewhere = configMap('x', { uid: 'u', namespace: 'elsewhere' });
  const kind = secret('x', { uid: 'u' });
  const all = [here, there, elsewhere, kind];
  for (const stays of all) {
    const rest = all
      .filter((one) => one !== stays)
      .map(({ name, namespace: at }) => `${at}/${name}`);
    const touched = touchedObjects(all, { with: left([stays]), without: left(all) }, new Set());
    expect(touched.map(({ record }) => `${record.namespace}/${record.name}`)).toEqual(rest);
  }
});
