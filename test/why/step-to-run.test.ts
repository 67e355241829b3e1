import { expect, test } from 'vitest';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, readAt } from './diagnosed.ts';

const finalizer = 'external-attacher/disk-example-com';
const volume = kube(
  'v1 PersistentVolume disk',
  { deletionTimestamp: '2026-05-31T00:00:00Z', finalizers: [finalizer] },
  { spec: { csi: { driver: 'disk.example.com' } }, status: { phase: 'Released' } },
);
const attacher = (replicas: number, selector?: object) =>
  kube(
    'apps/v1 Deployment csi-attacher',
    { namespace: 'storage' },
    { spec: { replicas, selector }, status: { observedGeneration: 1 } },
  );
const commandFor = async (...programs: Parameters<typeof diagnosed>[1]) => {
  const { chain } = diagnosedOf(await diagnosed('pv/disk', [volume, ...programs]));
  return chain.links.find((one) => one.finalizer === finalizer)?.run;
};

test('a program that is scaled to 0 is scaled up before its finalizer is removed', async () => {
  expect(await commandFor(attacher(0))).toBe(
    'kubectl scale deployment.apps/csi-attacher -n storage --replicas=1',
  );
});

test('a program that is scaled to 0 is scaled up first, also where others that look like it may exist', async () => {
  const unread = ({ ask, ...query }: Query): Answer | undefined =>
    ask === 'list' && 'type' in query && query.type?.kind === 'StatefulSet'
      ? { reason: 'forbidden', message: '', readAt }
      : undefined;
  const stepFor = async (replicas: number) => {
    const { links } = await diagnosed('pv/disk', [volume, attacher(replicas)], unread);
    const step = links.find((one) => one.finalizer === finalizer);
    return [step?.state, step?.next.includes('Deployment storage/csi-attacher')];
  };
  expect(await stepFor(0)).toEqual(['unknown', true]);
  expect(await stepFor(2)).toEqual(['unknown', false]);
});

test('the Pods of a program without a ready one are looked at', async () => {
  expect(await commandFor(attacher(2, { matchLabels: { app: 'csi' } }))).toBe(
    'kubectl get pods -n storage -l app=csi',
  );
});
