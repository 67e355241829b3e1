import { describe, expect, test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { missingOwner } from '../../src/audit/rules/owner-mismatch.ts';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
import {
  blocking,
  configMap,
  event,
  gadget,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../support/builders.ts';

const web = replicaSet('web');
const gone = ownedByGone('apps/v1 ReplicaSet gone');

function summary(...parameters: Parameters<typeof findInvalidReferences>): string[] {
  return findInvalidReferences(...parameters).map(({ rule, object, reference, kubernetesRule }) =>
    [object.namespace, object.type.kind, object.name, rule, reference?.name, kubernetesRule]
      .filter(Boolean)
      .join(' '),
  );
}

test('findings are sorted by what they say, not by the order of objects', () => {
  const records = [
    pod('web-2', { ownerReferences: [gone, ownedBy(web, { name: 'x', controller: true })] }),
    pod('web-1', { ownerReferences: [gone] }),
    pod('teller', { namespace: 'bank', ownerReferences: [ownedBy(web)] }),
    configMap('web-3', { ownerReferences: [gone, ownedByGone('v1 Secret a')] }),
    web,
  ];
  const expected = [
    'bank Pod teller cross-namespace-owner web GC-22.13',
    'shop ConfigMap web-3 missing-owner a GC-22.13',
    'shop ConfigMap web-3 missing-owner gone GC-22.13',
    'shop Pod web-1 missing-owner gone GC-22.13',
    'shop Pod web-2 missing-owner gone GC-22.13',
    'shop Pod web-2 owner-name-mismatch x GC-22.13',
  ];
  expect(summary(graphOf(records))).toEqual(expected);
  expect(summary(graphOf([...records].reverse()))).toEqual(expected);
});

test('findings about one object are sorted by class', () => {
  const unserved = ownedByGone('a.example.com/v1 A', { name: 'a', uid: 'a' });
  const ofEvent = ownedBy(event('note'), { uid: 'b' });
  const record = pod('p', { ownerReferences: [unserved, ofEvent] });
  expect(summary(graphOf([record]))).toEqual([
    'shop Pod p event-owner note GC-30',
    'shop Pod p missing-owner note GC-30',
    'shop Pod p unserved-owner-kind a GC-30',
  ]);
});

test('wrong references are reported only for objects in scope, and judged with all objects', () => {
  const a = configMap('a');
  const b = secret('b', { namespace: 'shop', ownerReferences: [ownedBy(a)] });
  const ring = [{ ...a, ownerReferences: [ownedBy(b)] }, b, pod('p', { ownerReferences: [gone] })];
  expect(summary(graphOf(ring), ({ type }) => type.kind === 'ConfigMap')).toEqual([
    'shop ConfigMap a ownership-cycle GC-22.10',
  ]);
});

test('rules can be chosen', () => {
  const records = [pod('p', { ownerReferences: [gone, ownedBy(web, { name: 'x' })] }), web];
  expect(summary(graphOf(records), () => true, [missingOwner])).toEqual([
    'shop Pod p missing-owner gone GC-22.13',
  ]);
});

test('a healthy cluster has no findings', () => {
  const rack = gadget('rack');
  const records = [
    web,
    rack,
    pod('web-1', { ownerReferences: [ownedBy(web, { ...blocking, controller: true })] }),
    pod('web-2', { ownerReferences: [ownedBy(web), ownedBy(rack)], deleting: 'background' }),
    event('web-1.scheduled'),
  ];
  expect(summary(graphOf(records))).toEqual([]);
});

describe('what blocks a foreground deletion without end', () => {
  const frozen = ownedByGone('gone.example.com/v1 Gone it');
  const stuck = (...ownerReferences: (typeof gone)[]) =>
    findInvalidReferences(graphOf([pod('p', { ownerReferences }), web])).map(({ consequences }) =>
      consequences.includes('blocks-foreground-deletion'),
    );

  test('an object that is frozen, for every living owner that any of its references blocks', () => {
    expect(stuck(frozen, ownedBy(web, blocking))).toEqual([true]);
    expect(stuck(frozen, ownedBy(web, { ...blocking, name: 'x' }))).toEqual([true, true]);
    expect(stuck(ownedBy(web, { ...blocking, apiVersion: 'apps/v1beta1' }))).toEqual([true]);
  });

  test('no object that is deleted, is being deleted, or blocks no owner', () => {
    expect(stuck(frozen, ownedBy(web))).toEqual([false]);
    expect(stuck({ ...frozen, ...blocking })).toEqual([false]);
    expect(stuck(ownedBy(web, { ...blocking, name: 'x' }))).toEqual([false]);
    expect(stuck(gone, ownedBy(web, blocking))).toEqual([false]);
  });

  test('nothing that the collector does not see', () => {
    const note = event('note', { ownerReferences: [frozen, ownedBy(web, blocking)] });
    expect(summary(graphOf([note, web]))).toEqual(['shop Event note unserved-owner-kind it GC-8']);
    const ofEvent = pod('p', { ownerReferences: [frozen, ownedBy(event('note'), blocking)] });
    expect(summary(graphOf([ofEvent, event('note')]))).toEqual([
      'shop Pod p event-owner note GC-30',
      'shop Pod p unserved-owner-kind it GC-30',
    ]);
  });
});

test('every rule has a unique id and a title', () => {
  const ids = referenceRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(14);
  expect(referenceRules.filter(({ title }) => title === '')).toEqual([]);
});

test('an object of a custom kind is judged like any other', () => {
  const cart = widget('cart', { ownerReferences: [gone] });
  expect(summary(graphOf([cart]))).toEqual(['shop Widget cart missing-owner gone GC-22.13']);
});
