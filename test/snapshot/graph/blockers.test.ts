import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { deletionBlockers, dependentsThatBlock } from '../../../src/snapshot/graph/blockers.ts';
import { blocking, builderOf, configMap, ownedBy, pod, secret } from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

const going = (...finalizers: string[]) => configMap('a', { deleting: 'background', finalizers });
const child = referenceTo(secret('child'));
const dependent = { kind: 'dependent', name: 'Secret child', object: child };
const finalizer = (name: string) => ({ kind: 'finalizer', name });
const content = (name: string) => ({ kind: 'content', name });

function blockers(record: ObjectRecord, dependents = [child], ...inside: string[]) {
  return deletionBlockers(record, { dependents, content: inside });
}

test('foreground deletion waits for dependents, or the garbage collector; other finalizers block beside them', () => {
  const record = going('foregroundDeletion', 'x.com/y');
  expect(blockers(record)).toEqual([dependent, finalizer('x.com/y')]);
  expect(blockers(record, [])).toEqual([finalizer('foregroundDeletion'), finalizer('x.com/y')]);
  expect(blockers(going('x.com/y'))).toEqual([finalizer('x.com/y')]);
});

test('a namespace waits for its content or its own finalizer, and for entries of other programs besides', () => {
  const shop = (specFinalizers?: readonly string[], ...finalizers: string[]) =>
    namespace('shop', {
      deleting: 'background',
      finalizers,
      facts: specFinalizers && { specFinalizers },
    });
  const both = shop(['kubernetes', 'x.com/y']);
  expect(blockers(both, [], '2 pods')).toEqual([content('2 pods'), finalizer('x.com/y')]);
  expect(blockers(both, [])).toEqual([finalizer('kubernetes'), finalizer('x.com/y')]);
  expect(blockers(shop(undefined, 'a.com/b'), [])).toEqual([
    finalizer('a.com/b'),
    finalizer('kubernetes'),
  ]);
  // Its controller has finished.
  expect(blockers(shop([]), [], '1 pods')).toEqual([]);
});

test('a definition waits for its instances, or for the API server', () => {
  const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
  const crd = definition('widgets.example.com', { deleting: 'background', finalizers: [cleanup] });
  const instances = '2 widgets.example.com';
  expect(blockers(crd, [], instances)).toEqual([content(instances)]);
  expect(blockers(crd, [])).toEqual([finalizer(cleanup)]);
});

test('a pod waits for the kubelet of its Node until that has confirmed that it stopped', () => {
  const on = (details: Parameters<typeof pod>[1]) =>
    blockers(pod('p', { deleting: 'background', ...details }), []);
  const facts = { nodeName: 'worker' };
  const kubelet = { kind: 'kubelet', name: 'worker' };
  expect(on({ facts })).toEqual([kubelet]);
  expect(on({ facts, finalizers: ['x.com/y'] })).toEqual([finalizer('x.com/y'), kubelet]);
  expect(on({ facts, deletionGracePeriodSeconds: 0 })).toEqual([]);
  expect(on({ facts: { nodeName: '' } })).toEqual([]);
  // Of bare metadata it is not known where it runs.
  expect(on({})).toEqual([]);
});

test('an object blocks each owner once whose reference says true', () => {
  const [one, other] = [going(), configMap('b')];
  const twice = secret('s', {
    ownerReferences: [ownedBy(one, blocking), ownedBy(one, blocking), ownedBy(other)],
  });
  expect([...dependentsThatBlock([twice])]).toEqual([[one.uid, [twice]]]);
});
