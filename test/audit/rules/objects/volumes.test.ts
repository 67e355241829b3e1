import { describe, expect, test } from 'vitest';
import { releasedVolume, undeletableVolume } from '../../../../src/audit/rules/volumes.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('released-volume', () => {
  const uid = 'uid-persistentvolumeclaim-shop-data';
  const facts = (
    policy: string,
    since = '',
    more = `claimRef: {namespace: shop, name: data, uid: ${uid}}`,
  ) =>
    `pv {facts: {source: {csi: ebs.csi.aws.com}, phase: Released, persistentVolumeReclaimPolicy: ${policy}, ${more}${since && `, lastPhaseTransitionTime: "${since}"`}}}`;
  const unclaimed = 'claimRef: null';
  const nfs = `claimRef: {namespace: shop, name: data, uid: ${uid}}, source: {nfs: true}`;
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        releasedVolume,
        `
    pv    | PersistentVolume pv-1
    claim | PersistentVolumeClaim data
    `,
        `
    one that is kept | ${facts('Retain', '2026-01-01T00:00:00Z')}
    one that is kept since ever | ${facts('Retain')}
    one that its provisioner does not delete | ${facts('Delete', '2026-01-02T00:00:00Z')}
    not one that is bound | ${facts('Delete', '2026-01-01T00:00:00Z')}; claim
    not one that is kept since today | ${facts('Retain', '2026-01-02T12:00:00Z')}
    not one that is about to go | ${facts('Delete', '2026-01-02T23:50:00Z')}
    not one that was never claimed | ${facts('Retain', '', unclaimed)}
    not one that no program can delete | ${facts('Delete', '', nfs).replace('source: {csi: ebs.csi.aws.com}, ', '')}
    the phase tells where claims were not read | ${facts('Retain')} | unread: [persistentvolumeclaims]
    and where it says no | ${facts('Delete').replace('Released', 'Bound')} | unread: [persistentvolumeclaims]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "one that is kept
        PersistentVolume pv-1: its claim shop/data was deleted; its reclaim policy is Retain, and it has been Released for 2d
        $ kubectl patch persistentvolume/pv-1 --type=json -p '[{"op":"test","path":"/spec/claimRef/uid","value":"uid-persistentvolumeclaim-shop-data"},{"op":"remove","path":"/spec/claimRef"}]'
      one that is kept since ever
        PersistentVolume pv-1: its claim shop/data was deleted; its reclaim policy is Retain, and it has been Released for an unknown time
        $ kubectl patch persistentvolume/pv-1 --type=json -p '[{"op":"test","path":"/spec/claimRef/uid","value":"uid-persistentvolumeclaim-shop-data"},{"op":"remove","path":"/spec/claimRef"}]'
      one that its provisioner does not delete
        PersistentVolume pv-1: its claim shop/data was deleted; its reclaim policy is Delete, and it has been Released for 24h: ebs.csi.aws.com has not deleted it
        so: never collected, unless ebs.csi.aws.com runs and its backend lets it delete the volume
        warning, likely, $ kubectl describe persistentvolume/pv-1
      not one that is bound
      not one that is kept since today
      not one that is about to go
      not one that was never claimed
      not one that no program can delete
      the phase tells where claims were not read
        PersistentVolume pv-1: its claim shop/data was deleted, according to its phase; its reclaim policy is Retain, and it has been Released for an unknown time
        $ kubectl patch persistentvolume/pv-1 --type=json -p '[{"op":"test","path":"/spec/claimRef/uid","value":"uid-persistentvolumeclaim-shop-data"},{"op":"remove","path":"/spec/claimRef"}]'
      and where it says no"
    `);
  });
});

describe('undeletable-volume', () => {
  const pv = (source: string, more = '') =>
    `pv {facts: {persistentVolumeReclaimPolicy: Delete, source: {${source}}${more}}}`;
  const gone = ', claimRef: {namespace: shop, name: data, uid: gone}';
  const provisioned = 'annotations: {pv.kubernetes.io/provisioned-by: example.com/nfs}';
  const odd = pv('csi: ebs.csi', gone).replace('Delete', 'Scrub');
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        undeletableVolume,
        `
    pv     | PersistentVolume pv-1
    driver | CSIDriver ebs.csi
    node   | CSINode worker-1     | {facts: {csiDrivers: [other.csi]}}
    `,
        `
    nfs | ${pv('nfs: true')}
    local | ${pv('local: true')}
    host path | ${pv('hostPath: /srv/x')}
    one whose policy is unknown, whatever its source | ${odd}; driver
    one whose claim is gone | ${pv('local: true', gone)}
    one whose driver is not installed | ${pv('csi: ebs.csi')}; node
    not one that has a driver | ${pv('csi: ebs.csi')}; driver
    not one that has a driver on a Node | ${pv('csi: ebs.csi')}; node {facts: {csiDrivers: [ebs.csi]}}
    not one that kube-controller-manager deletes | ${pv('hostPath: /tmp/x')}
    not one that was not read whole | pv {facts: {source: {nfs: true}}}
    not one that is kept | ${pv('nfs: true').replace('Delete', 'Retain')}
    not one that a provisioner has made | ${pv('nfs: true').replace('{', `{${provisioned}, `)}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "nfs
        PersistentVolume pv-1: error getting deleter volume plugin for volume "pv-1": no deletable volume plugin matched
        $ kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'
      local
        PersistentVolume pv-1: error getting deleter volume plugin for volume "pv-1": no volume plugin matched
        $ kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'
      host path
        PersistentVolume pv-1: host_path deleter only supports /tmp/.+ but received provided /srv/x
        $ kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'
      one whose policy is unknown, whatever its source
        PersistentVolume pv-1: its reclaim policy is Scrub, which kube-controller-manager does not know; its claim shop/data was deleted
        $ kubectl delete persistentvolume/pv-1
      one whose claim is gone
        PersistentVolume pv-1: error getting deleter volume plugin for volume "pv-1": no volume plugin matched; its claim shop/data was deleted
        $ kubectl delete persistentvolume/pv-1
      one whose driver is not installed
        PersistentVolume pv-1: CSI driver ebs.csi is to delete it, and neither a CSIDriver nor a Node has it
        so: never collected, unless its driver is installed: once its claim is deleted, the volume remains Released
        likely, $ kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'
      not one that has a driver
      not one that has a driver on a Node
      not one that kube-controller-manager deletes
      not one that was not read whole
      not one that is kept
      not one that a provisioner has made"
    `);
  });
});
