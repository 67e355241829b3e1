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
  return linksOf(await diagnosed(line, objects)).flatMap(({ object, state, because, cause }) =>
    cause === 'volume-attached' || object.kind === 'VolumeAttachment'
      ? [`${object.name} ${state}: ${because}`]
      : [],
  );
}

test('a volume that the attacher holds leads to what attaches it, and to a Node that is gone', async () => {
  expect(await why('pv/pv', [volume, attachment(own, 'gone')])).toEqual([
    `${own} waiting: it attaches the volume to Node gone, which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there`,
  ]);
  expect(await why('pv/pv', [volume, alive, attachment(own, 'alive')])).toEqual([
    `${own} waiting: it attaches the volume to Node alive; the attach-detach controller deletes it when no pod there uses the volume and the kubelet has unmounted it`,
  ]);
  expect(await why('pv/pv', [volume, attachment('by-hand', 'gone')])).toEqual([
    'by-hand blocked: it attaches the volume to Node gone, which does not exist; it has not the name that the attach-detach controller gives, so who made it has to delete it',
  ]);
});

test('what is being detached is followed to the finalizer that holds it', async () => {
  const told = await why('pv/pv', [volume, alive, attachment(own, 'alive', deleted)]);
  expect(told[0]).toBe(`${own} waiting: its deletion began at 2026-05-31T00:00:00Z`);
  expect(told[1]).toContain('external-attacher/disk-example-com');
});

const claim = kube('v1 PersistentVolumeClaim data', {}, { spec: { volumeName: 'pv' } });
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const userWith = (metadata: object) =>
  kube('v1 Pod user', metadata, { spec: { nodeName: 'gone', volumes } });
const [user, endingUser] = [userWith({}), userWith({ deletionTimestamp: '2026-05-31' })];
const other = `csi-${'b'.repeat(64)}`;

test('a claim tells what attaches its volume, and a pod that is being deleted what does on its Node', async () => {
  const objects = [volume, alive, claim, endingUser, attachment(own, 'gone')];
  const onGone = `${own} fine: it attaches the volume to Node gone, which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there`;
  const onAlive = `${other} fine: its deletion began at 2026-05-31T00:00:00Z, and the driver has not detached the volume from Node alive`;
  const all = [...objects, attachment(other, 'alive', deleted)];
  expect(await why('pvc/data -n shop', all)).toEqual([onGone, onAlive]);
  expect(await why('pod/user -n shop', all)).toEqual([onGone]);
  expect(await why('pod/user -n shop', [volume, claim, user, attachment(own, 'gone')])).toEqual([]);
});

test('an attachment that is not being deleted says when it goes', async () => {
  const told = await why(`volumeattachment/${own}`, [attachment(own, 'gone')]);
  expect(told.at(-1)).toContain('deletes it within 6 minutes after the last pod there');
});
