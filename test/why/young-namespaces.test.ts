import { expect, test } from 'vitest';
import { linksOf } from '../../src/why/chain.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

const namespace = (deletionTimestamp: string) =>
  kube(
    'v1 Namespace shop',
    { deletionTimestamp },
    { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } },
  );
const at = { namespace: 'shop' };
const pod = kube('v1 Pod web', at, { spec: { nodeName: 'a' }, status: { phase: 'Running' } });
const plain = kube('v1 ConfigMap plain', at);
const claim = kube('v1 PersistentVolumeClaim data', {
  ...at,
  finalizers: ['kubernetes.io/pvc-protection'],
});
const held = kube('v1 ConfigMap held', { ...at, finalizers: ['example.com/backup'] });

/** What keeps the namespace, and whether a step is offered. */
async function namedIn(began: string) {
  const objects = [leaseOf(readAt), namespace(began), pod, plain, claim, held];
  const links = linksOf(await diagnosed('ns/shop -n ', objects));
  const content = links.filter(({ cause }) => cause === 'object-left');
  return {
    left: content.map(({ object }) => `${object.kind} ${object.name}`),
    finalizers: links.flatMap(({ finalizer = '' }) => (finalizer.includes('/') ? finalizer : [])),
    isStepOffered: links.some(({ fix, command }) => fix !== undefined || command !== undefined),
  };
}

test('of a deletion that has just begun, what a program has to release is named before what is deleted by itself', async () => {
  expect(await namedIn('2026-05-31T23:59:58Z')).toEqual({
    left: ['ConfigMap held', 'Pod web'],
    finalizers: ['example.com/backup'],
    isStepOffered: false,
  });
});

test('later, what the namespace controller has not deleted is', async () => {
  expect(await namedIn('2026-05-31T23:50:00Z')).toMatchObject({
    left: ['Pod web'],
    finalizers: [],
  });
});
