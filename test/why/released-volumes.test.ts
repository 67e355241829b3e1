import { expect, test } from 'vitest';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

const released = (policy: string) =>
  kube(
    'v1 PersistentVolume disk',
    { annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.example.com' } },
    {
      spec: {
        persistentVolumeReclaimPolicy: policy,
        csi: { driver: 'disk.example.com', volumeHandle: 'a' },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'gone' },
      },
      status: { phase: 'Released' },
    },
  );
const provisioner = (ready: number) =>
  kube(
    'apps/v1 Deployment csi-provisioner',
    { namespace: 'storage' },
    { spec: { replicas: 1 }, status: { replicas: 1, readyReplicas: ready } },
  );

test.each([
  ['does not run', [provisioner(0)], 'controller-off blocked'],
  ['is not in the cluster', [], 'controller-off unknown'],
])(
  'a released volume whose provisioner %s is not deleted because of that',
  async (_, programs, expected) => {
    const chain = await diagnosed('pv/disk', [released('Delete'), leaseOf(readAt), ...programs]);
    const found = chain.links.filter(({ cause }) => cause.startsWith('controller-'));
    expect(found.map(({ cause, state }) => `${cause} ${state}`)).toEqual([expected]);
  },
);

test('a released volume that is kept says how another claim may use it', async () => {
  const { chain } = diagnosedOf(await diagnosed('pv/disk', [released('Retain'), leaseOf(readAt)]));
  const link = chain.links.find(({ cause }) => cause === 'released');
  expect(link?.run).toBe(
    `kubectl patch persistentvolume/disk --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'`,
  );
});
