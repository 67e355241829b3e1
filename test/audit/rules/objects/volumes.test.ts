import { describe } from 'vitest';
import { releasedVolume, undeletableVolume } from '../../../../src/audit/rules/volumes.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

describe('released-volume', () => {
  const uid = 'uid-persistentvolumeclaim-shop-data';
  const facts = (
    policy: string,
    since = '',
    more = `claimRef: {namespace: shop, name: data, uid: ${uid}}`,
  ) =>
    `pv {facts: {source: {csi: ebs.csi.aws.com}, phase: Released, persistentVolumeReclaimPolicy: ${policy}, ${more}${since && `, lastPhaseTransitionTime: "${since}"`}}}`;
  const gone = 'PersistentVolume pv-1: its claim shop/data is gone';
  const is = (policy: string, since: string) =>
    `its reclaim policy is ${policy}, and it is Released for ${since}`;
  const free = `$ kubectl patch persistentvolume/pv-1 --type=json -p '[{"op":"test","path":"/spec/claimRef/uid","value":"${uid}"},{"op":"remove","path":"/spec/claimRef"}]'`;
  const unclaimed = 'claimRef: null';
  const nfs = `claimRef: {namespace: shop, name: data, uid: ${uid}}, source: {nfs: true}`;
  casesOfRule(
    releasedVolume,
    `
    pv    | PersistentVolume pv-1
    claim | PersistentVolumeClaim data
    `,
    `
    one that is kept                | ${facts('Retain', '2026-01-01T00:00:00Z')} | | ${gone}; ${is('Retain', '2d')} | ${free}
    one that is kept since ever     | ${facts('Retain')} | | ${gone}; ${is('Retain', 'an unknown time')} | ${free}
    one that its provisioner does not delete | ${facts('Delete', '2026-01-02T00:00:00Z')} |
        | ${gone}; ${is('Delete', '24h')}: ebs.csi.aws.com has not deleted it
        | so: never collected, unless ebs.csi.aws.com runs and its backend lets it delete the volume
        | warning, likely, $ kubectl describe persistentvolume/pv-1
    not one that is bound           | ${facts('Delete', '2026-01-01T00:00:00Z')}; claim
    not one that is kept since today | ${facts('Retain', '2026-01-02T12:00:00Z')}
    not one that is about to go     | ${facts('Delete', '2026-01-02T23:50:00Z')}
    not one that was never claimed  | ${facts('Retain', '', unclaimed)}
    not one that no program can delete | ${facts('Delete', '', nfs).replace('source: {csi: ebs.csi.aws.com}, ', '')}
    the phase tells where claims were not read | ${facts('Retain')} | unread: [persistentvolumeclaims]
        | ${gone}, as its phase says; ${is('Retain', 'an unknown time')} | ${free}
    and where it says no | ${facts('Delete').replace('Released', 'Bound')} | unread: [persistentvolumeclaims]
    `,
  );
});

describe('undeletable-volume', () => {
  const pv = (source: string, more = '') =>
    `pv {facts: {persistentVolumeReclaimPolicy: Delete, source: {${source}}${more}}}`;
  const at = 'PersistentVolume pv-1';
  const noPlugin = `${at}: error getting deleter volume plugin for volume "pv-1": no`;
  const gone = ', claimRef: {namespace: shop, name: data, uid: gone}';
  const retain = `$ kubectl patch persistentvolume/pv-1 --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;
  const remove = '$ kubectl delete persistentvolume/pv-1';
  const provisioned = 'annotations: {pv.kubernetes.io/provisioned-by: example.com/nfs}';
  const odd = pv('csi: ebs.csi', gone).replace('Delete', 'Scrub');
  casesOfRule(
    undeletableVolume,
    `
    pv     | PersistentVolume pv-1
    driver | CSIDriver ebs.csi
    node   | CSINode worker-1     | {facts: {csiDrivers: [other.csi]}}
    `,
    `
    nfs       | ${pv('nfs: true')}   | | ${noPlugin} deletable volume plugin matched | ${retain}
    local     | ${pv('local: true')} | | ${noPlugin} volume plugin matched | ${retain}
    host path | ${pv('hostPath: /srv/x')} |
        | ${at}: host_path deleter only supports /tmp/.+ but received provided /srv/x | ${retain}
    one whose policy is unknown, whatever its source | ${odd}; driver |
        | ${at}: its reclaim policy is Scrub, which kube-controller-manager does not know; its claim shop/data is gone
        | ${remove}
    one whose claim is gone | ${pv('local: true', gone)} |
        | ${noPlugin} volume plugin matched; its claim shop/data is gone | ${remove}
    one whose driver is not installed | ${pv('csi: ebs.csi')}; node |
        | ${at}: CSI driver ebs.csi is to delete it, and neither a CSIDriver nor a Node has it
        | so: never collected: when its claim is gone the volume stays Released | likely, ${retain}
    not one that has a driver              | ${pv('csi: ebs.csi')}; driver
    not one that has a driver on a Node    | ${pv('csi: ebs.csi')}; node {facts: {csiDrivers: [ebs.csi]}}
    not one that kube-controller-manager deletes | ${pv('hostPath: /tmp/x')}
    not one that was not read whole        | pv {facts: {source: {nfs: true}}}
    not one that is kept                   | ${pv('nfs: true').replace('Delete', 'Retain')}
    not one that a provisioner has made    | ${pv('nfs: true').replace('{', `{${provisioned}, `)}
    `,
  );
});
