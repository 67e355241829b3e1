import { expect, test } from 'vitest';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

const released = (policy: string, status = {}) =>
  kube(
    'v1 PersistentVolume disk',
    { annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.example.com' } },
    {
      spec: {
        persistentVolumeReclaimPolicy: policy,
        csi: { driver: 'disk.example.com', volumeHandle: 'a' },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'gone' },
      },
      status: { phase: 'Released', ...status },
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

test.each([
  ['for a day has not been deleted by it', '2026-05-31T00:00:00Z', 'controller-off unknown'],
  ['for a minute will be deleted by it', '2026-05-31T23:59:00Z', 'controller-deletes waiting'],
])(
  'a volume whose provisioner runs and that is released %s',
  async (_, lastPhaseTransitionTime, expected) => {
    const volume = released('Delete', { lastPhaseTransitionTime });
    const chain = await diagnosed('pv/disk', [volume, leaseOf(readAt), provisioner(1)]);
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

const attachment = kube(
  'storage.k8s.io/v1 VolumeAttachment csi-1',
  {},
  {
    spec: {
      attacher: 'disk.example.com',
      nodeName: 'gone',
      source: { persistentVolumeName: 'disk' },
    },
  },
);

test('a released volume that is still attached leads to its VolumeAttachment', async () => {
  const objects = [released('Delete'), leaseOf(readAt), provisioner(1)];
  const attached = async (...more: (typeof attachment)[]) =>
    linksOf(await diagnosed('pv/disk', [...objects, ...more]))
      .filter(({ cause }) => cause === 'volume-attached')
      .map(({ object, state }) => `${object.kind}/${object.name} ${state}`);
  expect(await attached(attachment)).toEqual([
    'PersistentVolume/disk waiting',
    'VolumeAttachment/csi-1 blocked',
  ]);
  expect(await attached()).toEqual([]);
});

test.each(['Delete', 'Retain'])(
  'a claim that is being deleted and used says how its data is kept, where its volume has policy %s',
  async (policy) => {
    const claim = kube(
      'v1 PersistentVolumeClaim data',
      {
        deletionTimestamp: '2026-05-31T00:00:00Z',
        finalizers: ['kubernetes.io/pvc-protection'],
      },
      { spec: { volumeName: 'disk' } },
    );
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const pod = kube('v1 Pod user', {}, { spec: { nodeName: 'n', volumes } });
    const found = await diagnosed('pvc/data -n shop', [claim, pod, released(policy)]);
    const { chain } = diagnosedOf(found);
    const [protection] = chain.links;
    const runs = protection?.links.flatMap(({ run }) => run ?? []);
    const keep = `kubectl patch persistentvolume/disk -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;
    expect(runs).toEqual(policy === 'Delete' ? [keep] : []);
  },
);
