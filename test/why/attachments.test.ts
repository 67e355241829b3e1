import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { linksOf } from '../../src/why/chain.ts';
import { kube } from '../support/kube.ts';
import { diagnosed } from './diagnosed.ts';

const own = `csi-${'a'.repeat(64)}`;
const finalizers = ['external-attacher/disk-example-com'];
const deleted = { deletionTimestamp: '2026-05-31T00:00:00Z', finalizers };

const volume = kube('v1 PersistentVolume pv', deleted, {
  spec: { csi: { driver: 'disk.example.com' } },
  status: { phase: 'Released' },
});
const attachment = (name: string, nodeName: string, metadata = {}): KubeObject =>
  kube(`storage.k8s.io/v1 VolumeAttachment ${name}`, metadata, {
    spec: { attacher: 'disk.example.com', nodeName, source: { persistentVolumeName: 'pv' } },
  });
const alive = kube('v1 Node alive');

/** Object, state and reason of each link that is about an attachment. */
async function why(line: string, objects: readonly KubeObject[]) {
  const links = linksOf(await diagnosed(line, objects)).filter(
    ({ object, cause }) => cause === 'volume-attached' || object.kind === 'VolumeAttachment',
  );
  return links
    .map(({ object, state, because }) => `${object.name} ${state}: ${because}`)
    .join('\n');
}

test('a volume with the finalizer of the attacher leads to its attachments, and to a missing Node', async () => {
  const reasons = [
    await why('pv/pv', [volume, attachment(own, 'gone')]),
    await why('pv/pv', [volume, alive, attachment(own, 'alive')]),
    await why('pv/pv', [volume, attachment('by-hand', 'gone')]),
  ];
  expect(reasons.join('\n')).toMatchInlineSnapshot(`
    "csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa waiting: it attaches the volume to Node gone, which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there
    csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa waiting: it attaches the volume to Node alive; the attach-detach controller deletes it when no pod there uses the volume and the kubelet has unmounted it
    by-hand blocked: it attaches the volume to Node gone, which does not exist; it has not the name that the attach-detach controller gives, so who made it has to delete it"
  `);
});

test('an attachment that is being deleted leads to the finalizer that blocks it', async () => {
  expect(
    await why('pv/pv', [volume, alive, attachment(own, 'alive', deleted)]),
  ).toMatchInlineSnapshot(`
    "csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa waiting: its deletion began at 2026-05-31T00:00:00Z
    csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa unknown: external-attacher/disk-example-com is set by external-attacher of disk-example-com; it protects a volume or VolumeAttachment that is attached to a node; whether external-attacher of disk-example-com runs is not known: no Deployment, StatefulSet, DaemonSet or Pod looks like it; it may run outside of the cluster, where it cannot be seen"
  `);
});

const claim = kube('v1 PersistentVolumeClaim data', {}, { spec: { volumeName: 'pv' } });
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const userWith = (metadata: object) =>
  kube('v1 Pod user', metadata, { spec: { nodeName: 'gone', volumes } });
const [user, endingUser] = [userWith({}), userWith({ deletionTimestamp: '2026-05-31' })];
const other = `csi-${'b'.repeat(64)}`;

test('a claim leads to the attachments of its volume, and a terminating pod to those on its Node', async () => {
  const objects = [volume, alive, claim, endingUser, attachment(own, 'gone')];
  const all = [...objects, attachment(other, 'alive', deleted)];
  const ofClaim = await why('pvc/data -n shop', all);
  expect(ofClaim).toMatchInlineSnapshot(`
    "csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa fine: it attaches the volume to Node gone, which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there
    csi-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb fine: its deletion began at 2026-05-31T00:00:00Z, and the driver has not detached the volume from Node alive"
  `);
  expect(await why('pod/user -n shop', all)).toBe(ofClaim.split('\n')[0]);
  expect(await why('pod/user -n shop', [volume, claim, user, attachment(own, 'gone')])).toBe('');
});

test('an attachment that is not being deleted says when it goes', async () => {
  expect(await why(`volumeattachment/${own}`, [attachment(own, 'gone')])).toMatchInlineSnapshot(`
    "csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa holds: it has no owner, so it lives until it is deleted
    csi-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa waiting: it attaches the volume to Node gone, which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there"
  `);
});
