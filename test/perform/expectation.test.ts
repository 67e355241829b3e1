import { describe, expect, test } from 'vitest';
import type { Fate, PlannedObject } from '../../src/deletion/plan/plan.ts';
import { referenceTo } from '../../src/kube/object-reference.ts';
import { expectationOf, expectedEnd, remadeObjects } from '../../src/perform/expectation.ts';
import { planned } from '../deletion/plan/planned.ts';
import { by, namespace, unbound } from '../deletion/plan/told.ts';
import { builderOf, configMap, pod, replicaSet } from '../support/builders.ts';
import { planned as plannedAs, planOf, requestFor } from './send/plans.ts';

const shop = namespace('shop');

describe('objects that are not reported as recreated by surprise', () => {
  const set = replicaSet('web', { facts: { replicas: 1 } });
  const one = pod('web-1', { ...by(set), facts: unbound });
  const settings = configMap('settings');
  const all = [shop, set, one, settings];

  test('a remark announces them, or their namespace is deleted', () => {
    expect(remadeObjects(planned(all, one))).toEqual(new Set([one.uid]));
    expect(remadeObjects(planned(all, settings))).toEqual(new Set());
    const inside = new Set([set.uid, one.uid, settings.uid]);
    expect(remadeObjects(planned(all, shop))).toEqual(inside);
  });

  test('a namespace that remains terminating announces none', () => {
    const keys = [shop, settings].map((record) => plannedAs(record, 'terminating'));
    expect(remadeObjects(planOf([requestFor(shop)], keys))).toEqual(new Set());
  });
});

describe('the end that is waited for', () => {
  const target = configMap('target');
  const other = configMap('other');
  const holder = builderOf('v1', 'Secret')('holder');
  const finalizer = 'example.com/hold';
  const waitsFor = [target, holder].map((record) => ({ finalizer, object: referenceTo(record) }));
  const later = (then: Fate) => ({ then });
  const awaited = { fate: 'deleted', mayStay: true };

  function endOf(record: typeof target, fate: Fate, changes: Partial<PlannedObject> = {}) {
    const object = plannedAs(record, fate, changes);
    return expectedEnd(expectationOf(planOf([requestFor(target)], [object])), object);
  }

  test.each<[Fate, Partial<PlannedObject>, object]>([
    ['deleted', {}, { fate: 'deleted' }],
    ['terminating', {}, awaited],
    ['unknown', {}, awaited],
    ['kept', {}, { fate: 'kept' }],
    ['terminating', later('recreated'), { fate: 'recreated', mayStay: true }],
    ['kept', later('deleted'), awaited],
    ['deleted', { likely: true }, { fate: 'unknown' }],
  ])('of a target that is planned as %s with %j', (fate, changes, end) => {
    expect(endOf(target, fate, changes)).toEqual(end);
  });

  test.each<[string, Fate, Partial<PlannedObject>, object]>([
    ['nothing', 'terminating', {}, { fate: 'terminating' }],
    ['nothing', 'unknown', {}, { fate: 'unknown' }],
    ['a target', 'kept', { ...later('deleted'), waitsFor: waitsFor.slice(0, 1) }, awaited],
    ['a target and another object', 'kept', { ...later('deleted'), waitsFor }, { fate: 'kept' }],
  ])('of another object that waits for %s and is planned as %s', (_, fate, changes, end) => {
    expect(endOf(other, fate, changes)).toEqual(end);
  });
});
