import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { persistentVolumeReclaim } from '../../../src/controllers/volumes/persistentvolume-reclaim.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy, pod, snapshotOf } from '../../support/builders.ts';
import { decide, now, timed } from '../decided.ts';

const volume = builderOf('v1', 'PersistentVolume');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const provisionedBy = (name: string) => ({
  annotations: { 'pv.kubernetes.io/provisioned-by': name },
});

const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-persistentvolumeclaim-shop-data' };

function volumeOf(facts: ObjectFacts, details: Details = {}): ObjectRecord {
  return volume('pv', {
    facts: {
      claimRef,
      persistentVolumeReclaimPolicy: 'Delete',
      phase: 'Bound',
      ...facts,
    },
    ...details,
  });
}

/** What is done, with the phase that is written, and how sure that is. */
function actionsOn(records: readonly ObjectRecord[], options = {}) {
  return decide(persistentVolumeReclaim, records, options).map(
    ({ action, patch, confidence, rule }) => {
      const { phase } = (patch?.body.status ?? {}) as { phase?: string };
      return [phase ?? action, confidence, rule].join(' ');
    },
  );
}

const tmp = { source: { hostPath: '/tmp/data' } };

describe('a volume whose claim is gone', () => {
  test.each<[string, ObjectRecord, string[]]>([
    ['deleter ok', volumeOf(tmp), ['delete certain PV-7']],
    ['hostPath elsewhere', volumeOf({ source: { hostPath: '/data' } }), ['Failed certain PV-6']],
    ['no plugin', volumeOf({ source: { local: true } }), ['Failed certain PV-6']],
    ['no deleter', volumeOf({ source: { nfs: true } }), ['Failed certain PV-6']],
    ['Failed already', volumeOf({ source: { nfs: true }, phase: 'Failed' }), []],
    [
      'external, by annotation',
      volumeOf({ source: { nfs: true } }, provisionedBy('external.io/test')),
      ['delete likely PV-10'],
    ],
    [
      'in-tree and gone',
      volumeOf(tmp, provisionedBy('kubernetes.io/rbd')),
      ['Failed certain PV-6'],
    ],
    ['static CSI', volumeOf({ source: { csi: 'disk.example.com' } }), ['delete likely PV-10']],
    ['CSI, Failed', volumeOf({ source: { csi: 'x' }, phase: 'Failed' }), ['delete unknown PV-10']],
    [
      'migrated, and not noted yet',
      volumeOf(tmp, provisionedBy('kubernetes.io/aws-ebs')),
      ['delete likely PV-10'],
    ],
    [
      'noted as migrated, which its provisioner is not',
      volumeOf(tmp, {
        annotations: {
          'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path',
          'pv.kubernetes.io/migrated-to': 'disk.example.com',
        },
      }),
      ['delete certain PV-7'],
    ],
    [
      'Recycle, without a plugin that can, deleting already',
      volumeOf(
        { persistentVolumeReclaimPolicy: 'Recycle', source: { local: true } },
        { deleting: 'background' },
      ),
      ['Failed likely PV-4'],
    ],
    [
      'deleting already, without a deleter',
      volumeOf({ source: { nfs: true } }, { deleting: 'background' }),
      ['Failed likely PV-6'],
    ],
    [
      'deleting already, and the in-tree finalizer cannot be added',
      volumeOf(tmp, { ...provisionedBy('kubernetes.io/host-path'), deleting: 'background' }),
      [],
    ],
    [
      'migrated',
      volumeOf(tmp, {
        annotations: {
          'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs',
          'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com',
        },
      }),
      ['delete likely PV-10'],
    ],
    ['Retain', volumeOf({ persistentVolumeReclaimPolicy: 'Retain' }), ['Released certain PV-2']],
    [
      'Retain, Released',
      volumeOf({ persistentVolumeReclaimPolicy: 'Retain', phase: 'Released' }),
      [],
    ],
    ['Retain, Failed', volumeOf({ persistentVolumeReclaimPolicy: 'Retain', phase: 'Failed' }), []],
    ['its policy was not read', volume('pv', { facts: { ...tmp, claimRef, phase: 'Bound' } }), []],
    [
      'hostPath, anywhere below a folder tmp',
      volumeOf({ source: { hostPath: '/var/tmp/data' } }),
      ['delete certain PV-7'],
    ],
    [
      'hostPath of the folder tmp itself',
      volumeOf({ source: { hostPath: '/tmp/' } }),
      ['Failed certain PV-6'],
    ],
    [
      'created by hand, and noted as migrated',
      volumeOf(tmp, { annotations: { 'pv.kubernetes.io/migrated-to': 'disk.example.com' } }),
      ['delete likely PV-10'],
    ],
    // findDeletablePlugin goes by the plugin's name before it looks at this annotation.
    [
      'of a plugin that can delete, and noted as migrated to no driver',
      volumeOf(tmp, {
        annotations: {
          'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path',
          'pv.kubernetes.io/migrated-to': '',
        },
      }),
      ['delete certain PV-7'],
    ],
    [
      'created by hand, and noted as migrated to no driver',
      volumeOf(tmp, { annotations: { 'pv.kubernetes.io/migrated-to': '' } }),
      ['delete likely PV-10'],
    ],
    [
      'Recycle, migrated',
      volumeOf(
        { persistentVolumeReclaimPolicy: 'Recycle', source: { nfs: true } },
        provisionedBy('kubernetes.io/gce-pd'),
      ),
      ['Released certain PV-2'],
    ],
    [
      'Recycle, Failed, without a plugin that can',
      volumeOf({
        persistentVolumeReclaimPolicy: 'Recycle',
        source: { local: true },
        phase: 'Failed',
      }),
      [],
    ],
    [
      'Retain, deleting already, without the in-tree finalizer',
      volumeOf(
        { persistentVolumeReclaimPolicy: 'Retain' },
        { ...provisionedBy('kubernetes.io/host-path'), deleting: 'background' },
      ),
      ['Released certain PV-2'],
    ],
    [
      'Recycle',
      volumeOf({ persistentVolumeReclaimPolicy: 'Recycle', source: { nfs: true } }),
      ['Available likely PV-4'],
    ],
    ['never bound', volumeOf({ ...tmp, claimRef: { namespace: 'shop', name: 'data' } }), []],
    [
      'Recycle, without a plugin that can',
      volumeOf({ persistentVolumeReclaimPolicy: 'Recycle', source: { csi: 'disk.example.com' } }),
      ['Failed certain PV-4'],
    ],
    [
      'deleting already, so that its protection goes',
      volumeOf(tmp, { deleting: 'background' }),
      ['Released certain PV-2'],
    ],
    [
      'deleting already, and released',
      volumeOf({ ...tmp, phase: 'Released' }, { deleting: 'background' }),
      [],
    ],
  ])('%s', (_, record, actions) => {
    expect(actionsOn([record])).toEqual(actions);
  });
});

test('within the time between two looks at all volumes (PV-1)', () => {
  const settings = { pvClaimBinderSyncPeriod: 30_000 };
  expect([
    timed(persistentVolumeReclaim, [volumeOf(tmp)]),
    timed(persistentVolumeReclaim, [volumeOf(tmp)], { settings }),
    timed(persistentVolumeReclaim, [volumeOf({ source: { csi: 'disk.example.com' } })]),
  ]).toEqual([[['pv', 0, 15]], [['pv', 0, 30]], [['pv', 0, undefined]]]);
});

test('claims: recreated, bound elsewhere, still there, or not read (PV-2, PV-3)', () => {
  const record = volumeOf(tmp);
  const provisioned = volumeOf(tmp, provisionedBy('kubernetes.io/host-path'));
  const retained = volumeOf(
    { ...tmp, persistentVolumeReclaimPolicy: 'Retain' },
    provisionedBy('kubernetes.io/host-path'),
  );
  const elsewhere = claim('data', { facts: { volumeName: 'pv-2' } });
  expect([
    actionsOn([record, claim('data', { uid: 'another' })]),
    actionsOn([provisioned, elsewhere]),
    actionsOn([record, elsewhere]),
    actionsOn([record, claim('data', { facts: { volumeName: 'pv' } })]),
    actionsOn([record], { unread: ['persistentvolumeclaims'] }),
  ]).toEqual([['delete certain PV-7'], ['delete certain PV-7'], [], [], ['delete unknown PV-7']]);
  expect([
    actionsOn([retained, elsewhere]),
    actionsOn([provisioned, claim('data', { facts: { volumeName: 'pv' } })]),
    actionsOn([provisioned, claim('data', { facts: { phase: 'Pending' } })]),
    actionsOn([provisioned, claim('data')]),
  ]).toEqual([[], [], [], []]);
});

describe('volumes that are released for good', () => {
  const since = { phase: 'Released', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' };
  const retained = { persistentVolumeReclaimPolicy: 'Retain' };
  const recycled = { persistentVolumeReclaimPolicy: 'Recycle' };
  const gone = 'its claim shop/data is gone';
  const byDelete = `${gone}, its reclaim policy is Delete, but`;
  const noDeleter = 'error getting deleter volume plugin for volume "pv":';
  test.each<[string, ObjectRecord, string[]]>([
    [
      'kept',
      volumeOf({ ...retained, ...since }),
      [`PV-4 ${gone}, and its reclaim policy is Retain, Released since 2026-01-01T00:00:00Z`],
    ],
    [
      'kept, and still called Bound',
      volumeOf(retained),
      [`PV-4 ${gone}, and its reclaim policy is Retain`],
    ],
    ['kept, and being deleted', volumeOf(retained, { deleting: 'background' }), []],
    [
      'being deleted, and not blocked any more',
      volumeOf(
        { ...tmp, ...since },
        { ...provisionedBy('kubernetes.io/rbd'), deleting: 'background' },
      ),
      [],
    ],
    [
      'without a plugin',
      volumeOf({ source: { local: true }, ...since }),
      [
        `PV-6 ${byDelete} ${noDeleter} no volume plugin matched, Released since 2026-01-01T00:00:00Z`,
      ],
    ],
    ...['nfs', 'fc', 'iscsi'].map((kind): [string, ObjectRecord, string[]] => [
      `of ${kind}`,
      volumeOf({ source: { [kind]: true } }),
      [`PV-6 ${byDelete} ${noDeleter} no deletable volume plugin matched`],
    ]),
    // FindDeletablePluginByName, whose errors are told as they are.
    [
      'of a plugin that is no more',
      volumeOf(tmp, provisionedBy('kubernetes.io/rbd')),
      [`PV-6 ${byDelete} no volume plugin matched name: kubernetes.io/rbd`],
    ],
    [
      'of a plugin that cannot delete',
      volumeOf(tmp, provisionedBy('kubernetes.io/nfs')),
      [`PV-6 ${byDelete} no deletable volume plugin matched`],
    ],
    [
      'of a path that is not below tmp',
      volumeOf({ source: { hostPath: '/data' } }),
      [`PV-6 ${byDelete} host_path deleter only supports /tmp/.+ but received provided /data`],
    ],
    ['that are deleted', volumeOf(tmp), []],
    ['that others delete', volumeOf({ source: { csi: 'disk.example.com' } }), []],
    ['that are emptied', volumeOf({ ...recycled, source: { nfs: true } }), []],
  ])('%s', (_, record, left) => {
    expect(leftOf([record])).toEqual(left);
  });

  test('are none whose claim is there, or was not read', () => {
    const record = volumeOf(retained);
    expect([
      leftOf([record, claim('data', { facts: { volumeName: 'pv' } })]),
      leftOf([record], { unread: ['persistentvolumeclaims'] }),
    ]).toEqual([[], []]);
  });

  function leftOf(records: readonly ObjectRecord[], options = {}) {
    const left = persistentVolumeReclaim.leftovers?.(viewOf(snapshotOf(records, options)), now);
    return left?.map(({ rule, because }) => `${rule} ${because}`);
  }
});

describe('protections (PV-11, PV-12)', () => {
  const finalizers = ['kubernetes.io/pv-protection'];
  const deleting = { deleting: 'background', finalizers } as const;

  test('a volume’s stays where its phase was not read', () => {
    const facts = { persistentVolumeReclaimPolicy: 'Retain' };
    expect([
      actionsOn([volume('pv', { facts, ...deleting })]),
      actionsOn([volume('pv', deleting)]),
    ]).toEqual([[], []]);
  });

  test('a volume’s goes when it is not bound', () => {
    const of = (phase: string) =>
      actionsOn([
        volume('pv', { facts: { phase, persistentVolumeReclaimPolicy: 'Retain' }, ...deleting }),
      ]);
    expect([of('Bound'), of('Available')]).toEqual([[], ['patch certain PV-11']]);
  });

  const used = claim('data', {
    facts: {},
    deleting: 'background',
    finalizers: ['kubernetes.io/pvc-protection'],
  });
  const volumes = [{ name: 'v', claimName: 'data' }];

  test.each<[string, ObjectRecord[], string[]]>([
    ['no pod', [], ['patch certain PV-12']],
    [
      'a Completed pod still blocks',
      [pod('a', { facts: { nodeName: 'n', phase: 'Succeeded', volumes } })],
      [],
    ],
    [
      'an unscheduled pod never does',
      [pod('a', { facts: { nodeName: '', volumes } })],
      ['patch certain PV-12'],
    ],
    ['a pod of which only metadata was read', [pod('a')], []],
    ['a pod of which only the status was read', [pod('a', { facts: { phase: 'Running' } })], []],
    ['a pod of which the Node was not read', [pod('a', { facts: { volumes } })], []],
    [
      'a pod that uses others',
      [pod('a', { facts: { nodeName: 'n', volumes: [{ name: 'v', claimName: 'other' }] } })],
      ['patch certain PV-12'],
    ],
    [
      'a pod that uses others as well',
      [
        pod('a', {
          facts: { nodeName: 'n', volumes: [{ name: 'w', claimName: 'other' }, ...volumes] },
        }),
      ],
      [],
    ],
    [
      'a pod in another namespace',
      [pod('a', { namespace: 'other', facts: { nodeName: 'n', volumes } })],
      ['patch certain PV-12'],
    ],
  ])('a claim’s: %s', (_, pods, actions) => {
    expect(actionsOn([used, ...pods])).toEqual(actions);
  });

  test('a claim’s: pods that were not read may use it', () => {
    expect(actionsOn([used], { unread: ['pods'] })).toEqual(['patch unknown PV-12']);
  });

  test('an ephemeral volume’s claim, until its pod is ended', () => {
    const facts = { nodeName: 'n', volumes: [{ name: 'v', ephemeral: true }] };
    const own = pod('a', { facts });
    const ending = (deletionGracePeriodSeconds: number) =>
      pod('a', { facts, deleting: 'background', deletionGracePeriodSeconds });
    const ofPod = { ...used, name: 'a-v', ownerReferences: [ownedBy(own, { controller: true })] };
    const released = ['patch certain PV-12'];
    expect([
      actionsOn([ofPod, own]),
      actionsOn([ofPod, ending(30)]),
      actionsOn([ofPod, ending(0)]),
      actionsOn([{ ...ofPod, name: 'a-w' }, own]),
      actionsOn([ofPod, { ...own, uid: 'another' }]),
      actionsOn([{ ...ofPod, ownerReferences: [] }, own]),
    ]).toEqual([[], [], released, released, released, released]);
  });

  test('the other finalizers stay', () => {
    const held = (...more: string[]) => ({ deleting: 'background', finalizers: more }) as const;
    const facts = { phase: 'Available', persistentVolumeReclaimPolicy: 'Retain' };
    const records = [
      volume('pv', { facts, ...held(...finalizers, 'example.com/hold') }),
      claim('data', { facts: {}, ...held('example.com/hold', 'kubernetes.io/pvc-protection') }),
    ];
    const patch = { body: { metadata: { finalizers: ['example.com/hold'] } } };
    expect(decide(persistentVolumeReclaim, records).map((one) => one.patch)).toEqual([
      patch,
      patch,
    ]);
  });

  test('of one that is deleted by kube-controller-manager, only its own goes (PV-7)', () => {
    const held = ['example.com/hold', 'kubernetes.io/pv-controller'];
    const record = volumeOf(
      { ...tmp, phase: 'Released' },
      { deleting: 'background', finalizers: held },
    );
    expect(decide(persistentVolumeReclaim, [record]).map((one) => one.patch)).toEqual([
      { body: { metadata: { finalizers: ['example.com/hold'] } } },
    ]);
  });

  test('a claim keeps its own until it is deleted', () => {
    expect(actionsOn([{ ...used, deletionTimestamp: undefined }])).toEqual([]);
  });
});

test('a bound volume that is being deleted without the in-tree finalizer is left alone (PV-9)', () => {
  const stuck = volumeOf(tmp, { ...provisionedBy('kubernetes.io/rbd'), deleting: 'background' });
  const leftovers = persistentVolumeReclaim.leftovers?.(viewOf(snapshotOf([stuck])), now);
  expect(leftovers?.map(({ rule }) => rule)).toEqual(['PV-9']);
});

describe('TestDeleteSync and TestDeleteMultiSync', () => {
  const uid = 'uid-persistentvolumeclaim-shop-data';
  const inTree = provisionedBy('kubernetes.io/host-path');
  const bound = claim('data', { uid, facts: { volumeName: 'pv', phase: 'Bound' } });
  const elsewhere = claim('data', { uid, facts: { volumeName: 'winner', phase: 'Bound' } });

  test.each<[string, ObjectRecord[], string[]]>([
    ['8-1 - successful delete', [volumeOf(tmp)], ['delete certain PV-7']],
    [
      '8-2 - successful delete with prebound volume',
      [volumeOf(tmp, { annotations: {} })],
      ['delete certain PV-7'],
    ],
    ['8-3 - plugin not found', [volumeOf({ source: { local: true } })], ['Failed certain PV-6']],
    [
      '8-4 - newDeleter returns error',
      [volumeOf({ source: { hostPath: '/srv/data' } })],
      ['Failed certain PV-6'],
    ],
    // What a deleter will answer nobody knows; it is asked again.
    [
      '8-5 - delete returns error',
      [volumeOf({ ...tmp, phase: 'Failed' })],
      ['delete certain PV-7'],
    ],
    ['8-6 - volume is deleted before deleting', [], []],
    ['8-7 - volume is bound before deleting', [volumeOf(tmp), bound], []],
    [
      '8-9 - prebound volume is deleted while the claim exists',
      [volumeOf(tmp), claim('data', { uid: 'another' })],
      ['delete certain PV-7'],
    ],
    [
      '8-10-1 - external deleter when volume is dynamic provisioning',
      [volumeOf({ source: { nfs: true } }, provisionedBy('external.io/test'))],
      ['delete likely PV-10'],
    ],
    [
      '8-10-2 - external deleter when volume is static provisioning',
      [volumeOf({ source: { csi: 'disk.example.com' } })],
      ['delete likely PV-10'],
    ],
    [
      '8-10-3 - external deleter when volume is migrated',
      [volumeOf(tmp, provisionedBy('kubernetes.io/gce-pd'))],
      ['delete likely PV-10'],
    ],
    [
      '8-11 - two PVs provisioned for a single claim',
      [volumeOf(tmp, inTree), elsewhere],
      ['delete certain PV-7'],
    ],
    [
      '8-12 - two PVs externally provisioned for a single claim',
      [volumeOf({ source: { nfs: true } }, provisionedBy('external.io/test')), elsewhere],
      ['delete likely PV-10'],
    ],
    [
      '8-13 - volume has deletion timestamp and processed',
      [
        volumeOf(tmp, {
          ...inTree,
          deleting: 'background',
          finalizers: ['kubernetes.io/pv-controller'],
        }),
      ],
      ['Released certain PV-2', 'patch certain PV-7'],
    ],
    [
      '9-1 - delete returns error',
      [volumeOf({ ...tmp, phase: 'Failed' }), volumeOf(tmp, { uid: 'second' })],
      ['delete certain PV-7', 'delete certain PV-7'],
    ],
  ])('%s', (_, records, actions) => {
    expect(actionsOn(records)).toEqual(actions);
  });
});
