import { expect, test } from 'vitest';
import { persistentVolumeReclaim } from '../../../src/controllers/volumes/persistentvolume-reclaim.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf } from '../../support/builders.ts';
import { decide } from '../decided.ts';

const volume = builderOf('v1', 'PersistentVolume');
const facts: ObjectFacts = {
  persistentVolumeReclaimPolicy: 'Delete',
  phase: 'Released',
  source: { csi: 'disk.example.com' },
  claimRef: { namespace: 'shop', name: 'data', uid: 'gone' },
};
const ofProvisioner = 'external-provisioner.volume.kubernetes.io/finalizer';

/** Rule, and the end of the reason. */
const decided = (finalizers: readonly string[]) =>
  decide(persistentVolumeReclaim, [
    volume('pv', { deleting: 'background', finalizers, facts }),
  ]).map(({ action, rule, because }) => [action, rule, because]);

test('a provisioner passes over a volume that is being deleted without its finalizer, and what backs it stays', () => {
  expect(decided(['kubernetes.io/pv-protection'])).toEqual([
    [
      'patch',
      'PV-11',
      `it is being deleted and it is not bound, so kubernetes.io/pv-protection is removed; what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without ${ofProvisioner} (set by default since v1.31)`,
    ],
  ]);
  expect(decided(['other'])).toEqual([]);
  expect(decided([ofProvisioner])).toEqual([
    [
      'delete',
      'PV-10',
      'its claim shop/data is gone, and its reclaim policy is Delete: provisioner disk.example.com deletes it, if it runs',
    ],
  ]);
});
