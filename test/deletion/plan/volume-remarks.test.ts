import { describe, expect, test } from 'vitest';
import { casesOfPlans, plansFrom, remarksOf } from './told.ts';

const goes = (volume: string, claim = 'data', policy = 'Delete') =>
  `warning data: The data of PersistentVolume ${volume} goes with PersistentVolumeClaim ${claim}: reclaim policy ${policy}. Set the policy to Retain before, to keep it.`;
const stays = (volume: string) =>
  `note volume: PersistentVolume ${volume}: reclaim policy Retain, it stays Released with its data when PersistentVolumeClaim data is gone.`;
const unknown = (what: string, of = 'its volume was') =>
  `warning data: Whether the data of ${what} goes is not known: the reclaim policy of ${of} not read.`;
const disk = (name: string, policy: string, ref = `{namespace: shop, name: ${name}}`, more = '') =>
  `PersistentVolume pv-${name} | {facts: {phase: Bound, persistentVolumeReclaimPolicy: ${policy}, claimRef: ${ref}${more}}}`;

describe('the data of a claim', () => {
  const bound = (name: string) =>
    `PersistentVolumeClaim ${name} | {facts: {volumeName: pv-${name}, phase: Bound}}`;
  const byUid = '{namespace: shop, name: data, uid: uid-persistentvolumeclaim-shop-data}';
  const claims = ['data', 'a', 'b', 'c', 'd', 'e'];
  const objects = `
    ${claims.map((name) => `${name} | ${bound(name)}\n${name}-recycled | ${disk(name, 'Recycle')}`).join('\n')}
    va       | ${disk('a', 'Retain')}
    vb       | ${disk('b', 'Delete')}
    vc       | ${disk('c', 'Retain')}
    gone     | ${disk('data', 'Delete')}
    kept     | ${disk('data', 'Retain')}
    bare     | PersistentVolume pv-data
    no-ref   | ${disk('data', 'Retain', 'null')}
    renamed  | ${disk('data', 'Delete', '{namespace: b, name: data}')}
    foreign  | ${disk('else', 'Delete', '{namespace: b, name: data}')}
    by-uid   | ${disk('one', 'Delete', byUid)}
    another  | ${disk('two', 'Retain', '{namespace: shop, name: data, uid: another}')}
    by-name  | ${disk('three', 'Retain', '{namespace: shop, name: data}')}
    other    | ${disk('other', 'Delete')}
    `;
  const retained =
    'note volume: 2 PersistentVolumes: reclaim policy Retain, they stay Released with their data when PersistentVolumeClaim a, PersistentVolumeClaim c are gone.';
  const all = (count: number, names: string) =>
    `warning data: The data of ${count} PersistentVolumes goes with ${count} PersistentVolumeClaims (${names}): reclaim policy Recycle. Set the policy to Retain before, to keep it.`;
  casesOfPlans(
    remarksOf,
    objects,
    `
    goes by its reclaim policy     | data; gone | | ${goes('pv-data')}
    stays by its reclaim policy    | data; kept | | ${stays('pv-data')}
    may go where the volume was not read | data | | ${unknown('PersistentVolumeClaim data')}
    is none yet where none is bound | data {facts: {phase: Pending}}
    is none yet where none is made for it | data {facts: {phase: Pending}}; other
    is in the volume that names it by uid | data; by-uid; another | | ${goes('pv-one')}
    in any order                   | data; another; by-uid | | ${goes('pv-one')}
    or by its name                 | data; by-name | | ${stays('pv-three')}
    is else in the one that it names | data; no-ref | | ${stays('pv-data')}
    although nothing was read of it | data; bare | | ${unknown('PersistentVolumeClaim data')}
    although that names another    | data; renamed | | ${goes('pv-data')}
    is not in one that names the claim of another namespace | data; foreign | | ${unknown('PersistentVolumeClaim data')}
    is told in a line for all of a policy | a; b; c; va; vb; vc | a, b, c | ${goes('pv-b', 'b')} | ${retained}
    of three claims, which are named | a; b; c; a-recycled; b-recycled; c-recycled | a, b, c | ${all(3, 'a, b, c')}
    of more, which are counted
        | a; b; c; d; e; a-recycled; b-recycled; c-recycled; d-recycled; e-recycled | a, b, c, d, e
        | ${all(5, 'a, b, c and 2 more')}
    of several whose volumes were not read | a; b | a, b
        | ${unknown('2 PersistentVolumeClaims (a, b)', 'their volumes was')}
    `,
  );

  test('is told with the volumes and the claims', () => {
    const { remarks } = plansFrom(objects)('a; b; c; va; vb; vc', 'a, b, c');
    expect(remarks[1]?.objects.map(({ name }) => name)).toEqual(['pv-a', 'pv-c', 'a', 'c']);
  });
});

describe('a claim of a StatefulSet', () => {
  const staying = (name: string) =>
    `note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim ${name} (retention policy Retain).`;
  const others = [
    'data-db-x',
    'data-db-',
    '-db-0',
    'data-dbs-0',
    'data-db-0x',
    'data-db-x0',
    'db-0',
  ];
  const blank =
    'note volume: 2 claims of StatefulSet db stay behind: PersistentVolumeClaim data-db-0, PersistentVolumeClaim logs-db-0 (its retention policy was not read).';
  const owning =
    'db {facts: {replicas: 1, volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}; first';
  const perhaps = (policy: string) =>
    `warning volume: 1 claim of StatefulSet db may go with it, or stay behind: PersistentVolumeClaim data-db-0 (retention policy ${policy}).`;
  const notYet = perhaps('Delete, but no reference to the set is in place yet');
  const still = perhaps('Retain, but a reference to the set may be in place still');
  casesOfPlans(
    remarksOf,
    `
    db    | StatefulSet db | {facts: {replicas: 1, volumeClaimTemplates: [data]}}
    first | PersistentVolumeClaim data-db-0
    tenth | PersistentVolumeClaim data-db-10
    logs  | PersistentVolumeClaim logs-db-0
    away  | PersistentVolumeClaim b/data-db-0
    ${others.map((name) => `${name} | PersistentVolumeClaim ${name}`).join('\n')}
    `,
    `
    stays behind              | db; first; logs | | ${staying('data-db-0')}
    may go where it is the set's still | db; first {by: db, deleting: true, finalizers: [x.com/y]} | | ${still}
    also of a high ordinal    | db; tenth       | | ${staying('data-db-10')}
    as may all where the set was not read | db {facts: null}; first; logs |
        | ${blank}
    may go where the policy says so, and no reference does yet
        | ${owning} |
        | ${notYet}
    is none in another namespace | db; away
    is none that is going     | db; first {deleting: true, finalizers: [x.com/y]}
    ${others.map((name) => `is not ${name} | db; ${name}`).join('\n')}
    `,
  );
});

describe('a volume that is deleted itself', () => {
  const passes =
    'warning volume: PersistentVolume pv-a: what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without external-provisioner.volume.kubernetes.io/finalizer (set by default since v1.31';
  const provisioned = ', source: {csi: disk.example.com}';
  casesOfPlans(
    remarksOf,
    `
    disk | ${disk('a', 'Delete', undefined, provisioned)}
    kept | ${disk('a', 'Retain', undefined, provisioned)}
    path | ${disk('a', 'Delete', undefined, ', source: {hostPath: /tmp/a}')}
    `,
    `
    leaves what backs it, where its provisioner has set no finalizer | disk | {serverVersion: v1.30.4}
        | ${passes}, and this is v1.30). Delete its claim instead, and the volume follows.
    although it does so by default | disk | {serverVersion: v1.36.3}
        | ${passes}). Delete its claim instead, and the volume follows.
    not where it has              | disk {finalizers: [external-provisioner.volume.kubernetes.io/finalizer]}
        | {serverVersion: v1.36.3}
    not where it is to stay       | kept | {serverVersion: v1.30.4}
    not where there is no provisioner | path | {serverVersion: v1.30.4}
    `,
  );
});
