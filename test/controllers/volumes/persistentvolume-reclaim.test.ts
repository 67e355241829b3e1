import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import {
  persistentVolumeReclaim,
  releaseInWords,
} from '../../../src/controllers/volumes/persistentvolume-reclaim.ts';
import { storageLeft } from '../../../src/controllers/volumes/volume-deleter.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy, pod, snapshotOf } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { decide, now, timed } from '../decided.ts';

const volume = builderOf('v1', 'PersistentVolume');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-persistentvolumeclaim-shop-data' };
const phases = ['Bound', 'Released', 'Failed'];

/**
 * A volume whose claim was deleted: its source, and what differs from a policy of Delete, a phase of Bound and no annotations.
 * `hostPath:/tmp/a Retain Failed by:PROVISIONER migrated:DRIVER deleting`.
 */
function pv(text: string, more: ObjectFacts = {}, details: Details = {}): ObjectRecord {
  const [source = '', ...words] = text.split(' ');
  const [kind = '', where] = source.split(/:(.*)/);
  const wordAfter = (prefix: string) =>
    words.find((word) => word.startsWith(prefix))?.slice(prefix.length);
  const [by, migrated] = [wordAfter('by:'), wordAfter('migrated:')];
  const policies = words.filter((word) => /^[A-Z]/.test(word) && !phases.includes(word));
  return volume('pv', {
    facts: {
      claimRef,
      persistentVolumeReclaimPolicy: policies[0] ?? 'Delete',
      phase: words.find((word) => phases.includes(word)) ?? 'Bound',
      source: { [kind]: where ?? true },
      ...more,
    },
    annotations: {
      ...(by !== undefined && { 'pv.kubernetes.io/provisioned-by': by }),
      ...(migrated !== undefined && { 'pv.kubernetes.io/migrated-to': migrated }),
    },
    ...(words.includes('deleting') && { deleting: 'background' }),
    ...details,
  });
}

/** What is done, with the phase that is written, and how sure that is. */
function actionsOn(records: readonly ObjectRecord[], options = {}): string {
  return decide(persistentVolumeReclaim, records, options)
    .map(({ action, patch, confidence, rule }) => {
      const { phase } = (patch?.body.status ?? {}) as { phase?: string };
      return [phase ?? action, confidence, rule].join(' ');
    })
    .join(', ');
}

/** What no controller deletes, and why. */
function leftOf(records: readonly ObjectRecord[], options = {}): string {
  const left = persistentVolumeReclaim.leftovers?.(viewOf(snapshotOf(records, options)), now) ?? [];
  return left.map(({ rule, because }) => `${rule} ${because}`).join(', ');
}

const deletes = 'delete certain PV-7';

describe('a volume whose claim was deleted', () => {
  const rows = rowsOf(`
    hostPath:/var/tmp/data                                   | delete certain PV-7
    hostPath:/tmp/                                           | Failed certain PV-6
    hostPath:/data                                           | Failed certain PV-6
    nfs                                                      | Failed certain PV-6
    nfs Failed                                               |
    hostPath:/tmp/data by:kubernetes.io/rbd                  | Failed certain PV-6
    csi:x Failed                                             | delete unknown PV-10
    hostPath:/tmp/data by:kubernetes.io/aws-ebs              | delete likely PV-10
    hostPath:/tmp/data by:kubernetes.io/aws-ebs migrated:ebs.csi.aws.com | delete likely PV-10
    hostPath:/tmp/data migrated:disk.example.com             | delete likely PV-10
    hostPath:/tmp/data migrated:                             | delete likely PV-10
    hostPath:/tmp/data by:kubernetes.io/host-path migrated:disk.example.com | delete certain PV-7
    hostPath:/tmp/data by:kubernetes.io/host-path migrated:  | delete certain PV-7
    x Retain                                                 | Released certain PV-2
    x Retain Released                                        |
    x Retain Failed                                          |
    x Retain by:kubernetes.io/host-path deleting             | Released certain PV-2
    nfs Recycle                                              | Available likely PV-4
    nfs Recycle by:kubernetes.io/gce-pd                      | Released certain PV-2
    csi:disk.example.com Recycle                             | Failed certain PV-4
    local Recycle Failed                                     |
    hostPath:/tmp/data deleting                              | Released certain PV-2
    hostPath:/tmp/data Released deleting                     |
    nfs deleting                                             | Failed likely PV-6
    local Recycle deleting                                   | Failed likely PV-4
    hostPath:/tmp/data by:kubernetes.io/host-path deleting   |
    csi:disk.example.com Scrub                               | Failed certain PV-4
    csi:disk.example.com Scrub Failed                        |
    csi:disk.example.com Scrub deleting                      | Failed likely PV-4
    csi:disk.example.com Scrub by:kubernetes.io/aws-ebs      | Released certain PV-2
  `);
  // findDeletablePlugin goes by the plugin's name before it looks at what is noted as migrated.
  test.each(rows)('%s: %s', (text = '', actions) => {
    expect(actionsOn([pv(text)])).toBe(actions);
  });

  test('of which the policy was not read, or that was never bound', () => {
    const unread = volume('pv', { facts: { source: { nfs: true }, claimRef, phase: 'Bound' } });
    const reserved = pv('hostPath:/tmp/data', { claimRef: { namespace: 'shop', name: 'data' } });
    expect([actionsOn([unread]), actionsOn([reserved])]).toEqual(['', '']);
  });
});

const tmp = pv('hostPath:/tmp/data');

test('the time since which a volume has no claim, where known', () => {
  const since = { lastPhaseTransitionTime: '2026-01-29T12:00:00Z' };
  const claimsUnread = { unread: ['persistentvolumeclaims'] };
  const cases: readonly [string, ObjectRecord, object][] = [
    ['without its claim', pv('hostPath:/a'), {}],
    ['that was released', pv('x Retain Released', since), {}],
    ['by its phase, without claims', pv('x Retain Released', since), claimsUnread],
    ['that failed, without claims', pv('x Failed', since), claimsUnread],
    ['that may be bound', pv('x'), claimsUnread],
  ];
  const told = cases.map(([title, record, options]) => {
    const words = releaseInWords(viewOf(snapshotOf([record], options)), record, now);
    return `${title}: ${words ?? '-'}`;
  });
  expect(told.join('\n')).toMatchInlineSnapshot(`
    "without its claim: its claim shop/data was deleted; its reclaim policy is Delete, and it has been Bound for an unknown time
    that was released: its claim shop/data was deleted; its reclaim policy is Retain, and it has been Released for 2d
    by its phase, without claims: its claim shop/data was deleted, according to its phase; its reclaim policy is Retain, and it has been Released for 2d
    that failed, without claims: its claim shop/data was deleted, according to its phase; its reclaim policy is Delete, and it has been Failed for 2d
    that may be bound: -"
  `);
});

test('within the time between two looks at all volumes (PV-1)', () => {
  const settings = { pvClaimBinderSyncPeriod: 30_000 };
  expect([
    timed(persistentVolumeReclaim, [tmp]),
    timed(persistentVolumeReclaim, [tmp], { settings }),
    timed(persistentVolumeReclaim, [pv('csi:disk.example.com')]),
  ]).toEqual([[['pv', 0, 15]], [['pv', 0, 30]], [['pv', 0, undefined]]]);
});

test('claims: recreated, bound elsewhere, still there, or not read (PV-2, PV-3)', () => {
  const provisioned = pv('hostPath:/tmp/data by:kubernetes.io/host-path');
  const elsewhere = claim('data', { facts: { volumeName: 'pv-2' } });
  const bound = claim('data', { facts: { volumeName: 'pv' } });
  expect([
    actionsOn([tmp, claim('data', { uid: 'another' })]),
    actionsOn([provisioned, elsewhere]),
    actionsOn([tmp], { unread: ['persistentvolumeclaims'] }),
  ]).toEqual([deletes, deletes, 'delete unknown PV-7']);
  expect([
    actionsOn([tmp, elsewhere]),
    actionsOn([tmp, bound]),
    actionsOn([pv('nfs Retain by:kubernetes.io/host-path'), elsewhere]),
    actionsOn([provisioned, bound]),
    actionsOn([provisioned, claim('data', { facts: { phase: 'Pending' } })]),
    actionsOn([provisioned, claim('data')]),
  ]).toEqual(['', '', '', '', '', '']);
});

describe('volumes that are released for good', () => {
  const since = { phase: 'Released', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' };
  // Of FindDeletablePluginByName the errors are told as they are.
  const rows = rowsOf(`
    kept | x Retain SINCE
    kept, and still called Bound | x Retain
    kept, and being deleted | x Retain deleting
    not blocked any more | hostPath:/tmp/a by:kubernetes.io/rbd deleting SINCE
    of an unknown policy | x Scrub SINCE
    without a plugin | local SINCE
    of nfs | nfs
    of fc | fc
    of iscsi | iscsi
    of a plugin that is no more | hostPath:/tmp/a by:kubernetes.io/rbd
    of a plugin that cannot delete | hostPath:/tmp/a by:kubernetes.io/nfs
    of a path that is not below tmp | hostPath:/data
    that are deleted | hostPath:/tmp/data
    that others delete | csi:disk.example.com
    that are emptied | nfs Recycle
  `);
  test('are left where nothing deletes or empties them', () => {
    const told = rows.map(([title, text = '']) => {
      const record = pv(text.replace(' SINCE', ''), text.endsWith(' SINCE') ? since : {});
      return `${title}: ${leftOf([record]) || '-'}`;
    });
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "kept: PV-4 its claim shop/data was deleted, and its reclaim policy is Retain, Released since 2026-01-01T00:00:00Z
      kept, and still called Bound: PV-4 its claim shop/data was deleted, and its reclaim policy is Retain
      kept, and being deleted: -
      not blocked any more: -
      of an unknown policy: PV-4 its claim shop/data was deleted, and its reclaim policy is Scrub, which kube-controller-manager does not know, Released since 2026-01-01T00:00:00Z
      without a plugin: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but error getting deleter volume plugin for volume "pv": no volume plugin matched, Released since 2026-01-01T00:00:00Z
      of nfs: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but error getting deleter volume plugin for volume "pv": no deletable volume plugin matched
      of fc: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but error getting deleter volume plugin for volume "pv": no deletable volume plugin matched
      of iscsi: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but error getting deleter volume plugin for volume "pv": no deletable volume plugin matched
      of a plugin that is no more: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but no volume plugin matched name: kubernetes.io/rbd
      of a plugin that cannot delete: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but no deletable volume plugin matched
      of a path that is not below tmp: PV-6 its claim shop/data was deleted, its reclaim policy is Delete, but host_path deleter only supports /tmp/.+ but received provided /data
      that are deleted: -
      that others delete: -
      that are emptied: -"
    `);
  });

  test('are none whose claim is there, or was not read', () => {
    const record = pv('nfs Retain');
    expect([
      leftOf([record, claim('data', { facts: { volumeName: 'pv' } })]),
      leftOf([record], { unread: ['persistentvolumeclaims'] }),
    ]).toEqual(['', '']);
  });

  test('are those that are bound and being deleted without the in-tree finalizer (PV-9)', () => {
    expect(leftOf([pv('hostPath:/tmp/a by:kubernetes.io/rbd deleting')])).toMatch(/^PV-9 /);
  });
});

describe('protections (PV-11, PV-12)', () => {
  const finalizers = ['kubernetes.io/pv-protection'];
  const deleting = { deleting: 'background', finalizers } as const;

  test('a volume’s goes when it is not bound, and stays where its phase was not read', () => {
    const of = (facts: ObjectFacts | undefined) =>
      actionsOn([volume('pv', { facts, ...deleting })]);
    const [decision] = decide(persistentVolumeReclaim, [pv('nfs Retain Failed', {}, deleting)]);
    expect(decision?.rule).toBe('PV-11');
    const retained = { persistentVolumeReclaimPolicy: 'Retain' };
    expect([
      of({ phase: 'Available', ...retained }),
      of({ phase: 'Bound', ...retained }),
      of(retained),
      of(undefined),
    ]).toEqual(['patch certain PV-11', '', '', '']);
  });

  const used = claim('data', {
    facts: {},
    deleting: 'background',
    finalizers: ['kubernetes.io/pvc-protection'],
  });
  const released = 'patch certain PV-12';
  const pods = objectsFrom('pod | Pod a');
  const mounts = 'nodeName: n, volumes: [{name: v, claimName: data}]';
  const rows = rowsOf(`
    no pod                                     |                                                            | ${released}
    a Completed pod still blocks               | pod {facts: {${mounts}, phase: Succeeded}}                 |
    an unscheduled pod never does              | pod {facts: {${mounts.replace('n,', '"",')}}}              | ${released}
    a pod of which only metadata was read      | pod                                                        |
    a pod of which only the status was read    | pod {facts: {phase: Running}}                              |
    a pod of which the Node was not read       | pod {facts: {${mounts.replace('nodeName: n, ', '')}}}      |
    a pod that uses others                     | pod {facts: {${mounts.replace('data', 'other')}}}          | ${released}
    a pod that uses others as well             | pod {facts: {${mounts.replace('[', '[{name: w, claimName: other}, ')}}} |
    a pod in another namespace                 | pod {namespace: other, facts: {${mounts}}}                 | ${released}
  `);
  test.each(rows)('a claim’s: %s', (_, there = '', actions) => {
    expect(actionsOn([used, ...pods(there)])).toBe(actions);
  });

  test('a claim’s: pods that were not read, and a claim that is not being deleted', () => {
    const unread = actionsOn([used], { unread: ['pods'] });
    const kept = actionsOn([{ ...used, deletionTimestamp: undefined }]);
    expect([unread, kept]).toEqual(['patch unknown PV-12', '']);
  });

  test('an ephemeral volume’s claim, until its pod is ended', () => {
    const facts = { nodeName: 'n', volumes: [{ name: 'v', ephemeral: true }] };
    const own = pod('a', { facts });
    const ending = (deletionGracePeriodSeconds: number) =>
      pod('a', { facts, deleting: 'background', deletionGracePeriodSeconds });
    const ofPod = { ...used, name: 'a-v', ownerReferences: [ownedBy(own, { controller: true })] };
    expect([
      actionsOn([ofPod, own]),
      actionsOn([ofPod, ending(30)]),
      actionsOn([ofPod, ending(0)]),
      actionsOn([{ ...ofPod, name: 'a-w' }, own]),
      actionsOn([ofPod, { ...own, uid: 'another' }]),
      actionsOn([{ ...ofPod, ownerReferences: [] }, own]),
    ]).toEqual(['', '', released, released, released, released]);
  });

  test('the other finalizers stay', () => {
    const hold = 'example.com/hold';
    const held = (...more: string[]) => ({ deleting: 'background', finalizers: more }) as const;
    const facts = { phase: 'Available', persistentVolumeReclaimPolicy: 'Retain' };
    const records = [
      volume('pv', { facts, ...held(...finalizers, hold) }),
      claim('data', { facts: {}, ...held(hold, 'kubernetes.io/pvc-protection') }),
      // One that is deleted by kube-controller-manager (PV-7).
      pv('hostPath:/tmp/data Released', {}, held(hold, 'kubernetes.io/pv-controller')),
    ];
    const patch = { body: { metadata: { finalizers: [hold] } } };
    expect(records.flatMap((one) => decide(persistentVolumeReclaim, [one])[0]?.patch)).toEqual([
      patch,
      patch,
      patch,
    ]);
  });

  test('a provisioner passes over a volume that is being deleted without its finalizer, and what backs it stays', () => {
    const ofProvisioner = 'external-provisioner.volume.kubernetes.io/finalizer';
    const decided = (...held: string[]) =>
      decide(persistentVolumeReclaim, [
        pv('csi:disk.example.com Released', {}, { deleting: 'background', finalizers: held }),
      ]);
    expect(storageLeft(volume('pv'), 36)).toBeUndefined();
    const decisions = [decided(...finalizers), decided('other'), decided(ofProvisioner)].flat();
    expect(decisions.map(({ action, rule }) => [action, rule])).toEqual([['patch', 'PV-11']]);
    expect(decisions.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
      "it is being deleted and it is not bound, so kubernetes.io/pv-protection is removed; what backs it stays: provisioner disk.example.com passes over a volume that is being deleted without external-provisioner.volume.kubernetes.io/finalizer (set by default since v1.31)"
    `);
    const left = (text: string, minor: number) => storageLeft(pv(text), minor);
    expect(left('csi:x', 31)).toContain('(set by default since v1.31)');
    expect(left('csi:x', 30)).toContain('(set by default since v1.31, and this is v1.30)');
    expect([left('csi:x Retain', 31), left('hostPath:/tmp/data', 31)]).toEqual([
      undefined,
      undefined,
    ]);
    const rbd = [pv('hostPath:/tmp/data by:kubernetes.io/rbd deleting')];
    const versions = ['v1.30.0', 'v1.31.0'].map((serverVersion) =>
      actionsOn(rbd, { serverVersion }),
    );
    expect(versions).toEqual(['Failed likely PV-6', '']);
  });
});

describe('TestDeleteSync and TestDeleteMultiSync', () => {
  const claims: Readonly<Record<string, ObjectRecord>> = {
    bound: claim('data', { facts: { volumeName: 'pv', phase: 'Bound' } }),
    elsewhere: claim('data', { facts: { volumeName: 'winner', phase: 'Bound' } }),
    recreated: claim('data', { uid: 'another' }),
  };
  // What a deleter will answer is not known; it is asked again.
  const rows = rowsOf(`
    8-1 - successful delete | hostPath:/tmp/data | | delete certain PV-7
    8-2 - successful delete with prebound volume | hostPath:/tmp/data | | delete certain PV-7
    8-3 - plugin not found | local | | Failed certain PV-6
    8-4 - newDeleter returns error | hostPath:/srv/data | | Failed certain PV-6
    8-5 - delete returns error | hostPath:/tmp/data Failed | | delete certain PV-7
    8-6 - volume is deleted before deleting                    |                                               |           |
    8-7 - volume is bound before deleting                      | hostPath:/tmp/data                            | bound     |
    8-9 - prebound volume is deleted while the claim exists | hostPath:/tmp/data | recreated | delete certain PV-7
    8-10-1 - external deleter when volume is dynamic provisioning | nfs by:external.io/test | | delete likely PV-10
    8-10-2 - external deleter when volume is static provisioning | csi:disk.example.com | | delete likely PV-10
    8-10-3 - external deleter when volume is migrated | hostPath:/tmp/data by:kubernetes.io/gce-pd | | delete likely PV-10
    8-11 - two PVs provisioned for a single claim | hostPath:/tmp/data by:kubernetes.io/host-path | elsewhere
        | delete certain PV-7
    8-12 - two PVs externally provisioned for a single claim | nfs by:external.io/test | elsewhere | delete likely PV-10
    8-13 - volume has deletion timestamp and processed | hostPath:/tmp/data by:kubernetes.io/host-path deleting held |
        | Released certain PV-2, patch certain PV-7
    9-1 - delete returns error | hostPath:/tmp/data Failed | second | delete certain PV-7, delete certain PV-7
  `);
  test.each(rows)('%s', (_, text = '', other = '', actions) => {
    const details = text.endsWith(' held') ? { finalizers: ['kubernetes.io/pv-controller'] } : {};
    const beside = other === 'second' ? { ...tmp, uid: 'second' } : claims[other];
    const records = [...(text === '' ? [] : [pv(text, {}, details)]), ...(beside ? [beside] : [])];
    expect(actionsOn(records)).toBe(actions);
  });
});
