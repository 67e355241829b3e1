import { describe, expect, test } from 'vitest';
import { outcomesOf, plansFrom, remarksOf } from './told.ts';

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
  test('is deleted or kept as the reclaim policy of its volume says', () => {
    expect(
      outcomesOf(
        remarksOf,
        objects,
        `
    goes by its reclaim policy | data; gone
    stays by its reclaim policy | data; kept
    may go where the volume was not read | data
    is none yet where none is bound | data {facts: {phase: Pending}}
    is none yet where none is made for it | data {facts: {phase: Pending}}; other
    is in the volume that names it by uid | data; by-uid; another
    in any order | data; another; by-uid
    or by its name | data; by-name
    is else in the one that it names | data; no-ref
    although nothing was read of it | data; bare
    although that names another | data; renamed
    is not in one that names the claim of another namespace | data; foreign
    is told in a line for all of a policy | a; b; c; va; vb; vc | a, b, c
    of three claims, which are named | a; b; c; a-recycled; b-recycled; c-recycled | a, b, c
    of more, which are counted | a; b; c; d; e; a-recycled; b-recycled; c-recycled; d-recycled; e-recycled | a, b, c, d, e
    of several whose volumes were not read | a; b | a, b
    `,
      ),
    ).toMatchInlineSnapshot(`
      "goes by its reclaim policy
        warning data: The data of PersistentVolume pv-data might be deleted with PersistentVolumeClaim data: reclaim policy Delete. To keep the data, set the reclaim policy to Retain first.
      stays by its reclaim policy
        note volume: PersistentVolume pv-data: reclaim policy Retain, it stays Released with its data when PersistentVolumeClaim data is deleted.
      may go where the volume was not read
        warning data: Unknown whether the data of PersistentVolumeClaim data is deleted: the reclaim policy of its volume was not read.
      is none yet where none is bound
      is none yet where none is made for it
      is in the volume that names it by uid
        warning data: The data of PersistentVolume pv-one is deleted with PersistentVolumeClaim data: reclaim policy Delete. To keep the data, set the reclaim policy to Retain first.
      in any order
        warning data: The data of PersistentVolume pv-one is deleted with PersistentVolumeClaim data: reclaim policy Delete. To keep the data, set the reclaim policy to Retain first.
      or by its name
        note volume: PersistentVolume pv-three: reclaim policy Retain, it stays Released with its data when PersistentVolumeClaim data is deleted.
      is else in the one that it names
        note volume: PersistentVolume pv-data: reclaim policy Retain, it stays Released with its data when PersistentVolumeClaim data is deleted.
      although nothing was read of it
        warning data: Unknown whether the data of PersistentVolumeClaim data is deleted: the reclaim policy of its volume was not read.
      although that names another
        warning data: The data of PersistentVolume pv-data is deleted with PersistentVolumeClaim data: reclaim policy Delete. To keep the data, set the reclaim policy to Retain first.
      is not in one that names the claim of another namespace
        warning data: Unknown whether the data of PersistentVolumeClaim data is deleted: the reclaim policy of its volume was not read.
      is told in a line for all of a policy
        warning data: The data of PersistentVolume pv-b might be deleted with PersistentVolumeClaim b: reclaim policy Delete. To keep the data, set the reclaim policy to Retain first.
        note volume: 2 PersistentVolumes: reclaim policy Retain, they stay Released with their data when PersistentVolumeClaim a, PersistentVolumeClaim c are deleted.
      of three claims, which are named
        warning data: The data of 3 PersistentVolumes is deleted with their claims (a, b, c): reclaim policy Recycle. To keep the data, set the reclaim policy to Retain first.
      of more, which are counted
        warning data: The data of 5 PersistentVolumes is deleted with their claims (a, b, c and 2 more): reclaim policy Recycle. To keep the data, set the reclaim policy to Retain first.
      of several whose volumes were not read
        warning data: Unknown whether the data of 2 PersistentVolumeClaims (a, b) is deleted: the reclaim policy of their volumes was not read."
    `);
  });

  test('names the volumes and the claims', () => {
    const { remarks } = plansFrom(objects)('a; b; c; va; vb; vc', 'a, b, c');
    expect(remarks[1]?.objects.map(({ name }) => name)).toEqual(['pv-a', 'pv-c', 'a', 'c']);
  });
});

describe('a claim of a StatefulSet', () => {
  const others = [
    'data-db-x',
    'data-db-',
    '-db-0',
    'data-dbs-0',
    'data-db-0x',
    'data-db-x0',
    'db-0',
  ];
  const owning =
    'db {facts: {replicas: 1, volumeClaimTemplates: [{name: data}], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}';
  test('stays, or may be deleted, as the retention policy says', () => {
    expect(
      outcomesOf(
        remarksOf,
        `
    db    | StatefulSet db | {facts: {replicas: 1, volumeClaimTemplates: [{name: data}]}}
    first | PersistentVolumeClaim data-db-0
    tenth | PersistentVolumeClaim data-db-10
    logs  | PersistentVolumeClaim logs-db-0
    away  | PersistentVolumeClaim b/data-db-0
    ${others.map((name) => `${name} | PersistentVolumeClaim ${name}`).join('\n')}
    `,
        `
    stays behind | db; first; logs
    stays behind with its data where it is bound | db; first {facts: {volumeName: pv-1}}
    may go where it is the set's still | db; first {by: db, deleting: true, finalizers: [x.com/y]}
    also of a high ordinal | db; tenth
    as may all where the set was not read | db {facts: null}; first; logs
    may go where the policy says so, and no reference does yet | ${owning}; first
    stays behind beyond the replicas, as the set's controller owns none there | ${owning}; tenth
    stays behind where the deletion orphans it, whatever the policy says | ${owning}; first {under: db} | db {policy: Orphan}
    is none in another namespace | db; away
    is none that is going | db; first {deleting: true, finalizers: [x.com/y]}
    ${others.map((name) => `is not ${name} | db; ${name}`).join('\n')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "stays behind
        note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim data-db-0 (retention policy Retain).
      stays behind with its data where it is bound
        note volume: 1 claim of StatefulSet db stays behind, with its data: PersistentVolumeClaim data-db-0 (retention policy Retain).
      may go where it is the set's still
        warning data: Unknown whether the data of PersistentVolumeClaim data-db-0 is deleted: the reclaim policy of its volume was not read.
        warning volume: 1 claim of StatefulSet db might be deleted with it or remain: PersistentVolumeClaim data-db-0 (retention policy Retain, but a reference to the set may be in place still).
      also of a high ordinal
        note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim data-db-10 (retention policy Retain).
      as may all where the set was not read
        note volume: 2 claims of StatefulSet db stay behind: PersistentVolumeClaim data-db-0, PersistentVolumeClaim logs-db-0 (its retention policy was not read).
      may go where the policy says so, and no reference does yet
        warning volume: 1 claim of StatefulSet db might be deleted with it or remain: PersistentVolumeClaim data-db-0 (retention policy Delete, but no reference to the set is in place yet).
      stays behind beyond the replicas, as the set's controller owns none there
        warning volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim data-db-10 (retention policy Delete, but no reference to the set is in place). Delete it afterwards if nothing needs its data.
      stays behind where the deletion orphans it, whatever the policy says
        note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim data-db-0 (the deletion orphans it).
      is none in another namespace
      is none that is going
      is not data-db-x
      is not data-db-
      is not -db-0
      is not data-dbs-0
      is not data-db-0x
      is not data-db-x0
      is not db-0"
    `);
  });
});

describe('a volume that is deleted itself', () => {
  const provisioned = ', source: {csi: disk.example.com}';
  test('leaves what backs it where no finalizer of its provisioner is set', () => {
    expect(
      outcomesOf(
        remarksOf,
        `
    disk | ${disk('a', 'Delete', undefined, provisioned)}
    kept | ${disk('a', 'Retain', undefined, provisioned)}
    path | ${disk('a', 'Delete', undefined, ', source: {hostPath: /tmp/a}')}
    `,
        `
    leaves what backs it, where its provisioner has set no finalizer | disk | {serverVersion: v1.30.4}
    although it does so by default | disk | {serverVersion: v1.36.3}
    not where it has | disk {finalizers: [external-provisioner.volume.kubernetes.io/finalizer]} | {serverVersion: v1.36.3}
    not where it is to stay | kept | {serverVersion: v1.30.4}
    not where there is no provisioner | path | {serverVersion: v1.30.4}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "leaves what backs it, where its provisioner has set no finalizer
        warning volume: PersistentVolume pv-a: what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without external-provisioner.volume.kubernetes.io/finalizer (set by default since v1.31, and this is v1.30). Delete its claim instead, and the volume follows.
      although it does so by default
        warning volume: PersistentVolume pv-a: what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without external-provisioner.volume.kubernetes.io/finalizer (set by default since v1.31). Delete its claim instead, and the volume follows.
      not where it has
      not where it is to stay
      not where there is no provisioner"
    `);
  });
});
