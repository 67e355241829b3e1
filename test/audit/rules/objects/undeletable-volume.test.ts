import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { undeletableVolume } from '../../../../src/audit/rules/volumes.ts';
import { builderOf } from '../../../support/builders.ts';
import { rowsOf } from '../../../support/rows.ts';
import { violationsOf } from '../../../support/violations.ts';

const volume = builderOf('v1', 'PersistentVolume');
const driver = builderOf('storage.k8s.io/v1', 'CSIDriver');
const csiNode = builderOf('storage.k8s.io/v1', 'CSINode');
const ofSource = (source: object, changes: object = {}) =>
  volume('pv-1', { facts: { persistentVolumeReclaimPolicy: 'Delete', source, ...changes } });
const retain = `kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;
const claimRef = { namespace: 'shop', name: 'data', uid: 'gone' };

describe('a volume that no controller deletes', () => {
  const sources = rowsOf(`
    nfs: true        | error getting deleter volume plugin for volume "pv-1": no deletable volume plugin matched
    local: true      | error getting deleter volume plugin for volume "pv-1": no volume plugin matched
    hostPath: /srv/x | host_path deleter only supports /tmp/.+ but received provided /srv/x
  `);
  test.each(sources)('%s', (source = '', message) => {
    expect(violationsOf(undeletableVolume, [ofSource(parse(source))])).toEqual([
      { at: 'PersistentVolume pv-1', message, command: retain },
    ]);
  });

  test('whose policy is unknown, whatever its source', () => {
    const odd = ofSource({ csi: 'ebs.csi' }, { persistentVolumeReclaimPolicy: 'Scrub', claimRef });
    expect(violationsOf(undeletableVolume, [odd, driver('ebs.csi')])).toMatchObject([
      {
        message:
          'its reclaim policy is Scrub, which kube-controller-manager does not know; its claim shop/data is gone',
        command: 'kubectl delete persistentvolume/pv-1',
      },
    ]);
  });

  test('whose claim is gone', () => {
    expect(
      violationsOf(undeletableVolume, [ofSource({ local: true }, { claimRef })]),
    ).toMatchObject([
      {
        message:
          'error getting deleter volume plugin for volume "pv-1": no volume plugin matched; its claim shop/data is gone',
        command: 'kubectl delete persistentvolume/pv-1',
      },
    ]);
  });

  test('whose driver is not installed', () => {
    const other = csiNode('worker-1', { facts: { csiDrivers: ['other.csi'] } });
    expect(violationsOf(undeletableVolume, [ofSource({ csi: 'ebs.csi' }), other])).toEqual([
      {
        at: 'PersistentVolume pv-1',
        message: 'CSI driver ebs.csi is to delete it, and neither a CSIDriver nor a Node has it',
        command: retain,
        confidence: 'likely',
        consequence: 'never collected: when its claim is gone the volume stays Released',
      },
    ]);
  });
});

const provisioned = { 'pv.kubernetes.io/provisioned-by': 'example.com/nfs' };
test.each([
  ['has a driver', [ofSource({ csi: 'ebs.csi' }), driver('ebs.csi')]],
  [
    'has a driver on a Node',
    [ofSource({ csi: 'ebs.csi' }), csiNode('a', { facts: { csiDrivers: ['ebs.csi'] } })],
  ],
  ['kube-controller-manager deletes', [ofSource({ hostPath: '/tmp/x' })]],
  ['was not read whole', [volume('pv-1', { facts: { source: { nfs: true } } })]],
  ['is kept', [ofSource({ nfs: true }, { persistentVolumeReclaimPolicy: 'Retain' })]],
  ['a provisioner has made', [{ ...ofSource({ nfs: true }), annotations: provisioned }]],
])('a volume is left alone that %s', (_, records) => {
  expect(violationsOf(undeletableVolume, records)).toEqual([]);
});
