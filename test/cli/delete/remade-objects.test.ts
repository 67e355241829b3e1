import { expect, test } from 'vitest';
import { remadeObjects } from '../../../src/perform/expectation.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { by, namespace, unbound } from '../../deletion/plan/told.ts';
import { configMap, pod, replicaSet } from '../../support/builders.ts';

test('objects that a remark announces, or in a deleted namespace, are not reported as recreated by surprise', () => {
  const shop = namespace('shop');
  const set = replicaSet('web', { facts: { replicas: 1 } });
  const one = pod('web-1', { ...by(set), facts: unbound });
  const settings = configMap('settings');
  const all = [shop, set, one, settings];
  expect(remadeObjects(planned(all, one))).toEqual(new Set([one.uid]));
  expect(remadeObjects(planned(all, settings))).toEqual(new Set());
  const inside = new Set([set.uid, one.uid, settings.uid]);
  expect(remadeObjects(planned(all, shop))).toEqual(inside);
});
