import { expect, test } from 'vitest';
import { frozenObject } from '../../../../src/audit/rules/lost-objects.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import {
  configMap,
  deployment,
  ownedBy,
  ownedByGone,
  servedTypes,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const unserved = ownedByGone('extensions/v1beta1 Ingress web');
const web = deployment('web');
const of = (...ownerReferences: ReturnType<typeof ownedByGone>[]) =>
  configMap('flags', { ownerReferences });

test('garbage that only an unserved kind keeps', () => {
  const records = [of(unserved, ownedByGone('v1 Secret a'), ownedByGone('v1 Secret b'))];
  expect(violationsOf(frozenObject, records)).toEqual([
    {
      at: 'ConfigMap flags',
      message:
        'its other 2 owners are gone, and it would be deleted, but no API serves extensions/v1beta1 Ingress',
      command: 'kubectl gc owners configmap/flags -n shop',
    },
  ]);
});

test.each([
  ['the reference is its only fault', of(unserved)],
  ['another owner lives', of(unserved, ownedBy(web))],
  ['nothing is frozen', of(ownedByGone('v1 Secret a'))],
  ['it has no owner', of()],
])('not when %s', (_, record) => {
  expect(violationsOf(frozenObject, [web, record])).toEqual([]);
});

const failed = [{ group: 'metrics.example.com', version: 'v1', message: 'no endpoints' }];
const types = new ResourceTypes(servedTypes.all, { exhaustive: true, failed });

test('an owner of an API that does not answer', () => {
  const record = of(ownedByGone('metrics.example.com/v1 Meter cpu'));
  expect(violationsOf(frozenObject, [record], { types })).toEqual([
    {
      at: 'ConfigMap flags',
      message:
        'it is unknown whether its owner Meter cpu lives while metrics.example.com/v1 does not answer: no endpoints',
      command: 'kubectl gc why --gc',
      consequence: 'not collected while that API is down',
    },
  ]);
});

test('an owner that may not be read is unknown, not frozen', () => {
  const record = of(ownedByGone('v1 Secret a'));
  expect(violationsOf(frozenObject, [record], { types, unread: ['secrets'] })).toEqual([]);
});
