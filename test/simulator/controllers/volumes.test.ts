import { describe, expect, test } from 'vitest';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { builderOf, type Details, node, ownedBy, pod, snapshotOf } from '../../support/builders.ts';
import { play, told } from './play-controllers.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const protects = 'kubernetes.io/pvc-protection';
const data = claim('data', {
  finalizers: [protects],
  facts: { volumeName: 'disk', phase: 'Bound' },
});
const disk = (policy: string, source: object, more: Details = {}) =>
  volume('disk', {
    finalizers: ['kubernetes.io/pv-protection'],
    ...more,
    facts: {
      phase: 'Bound',
      persistentVolumeReclaimPolicy: policy,
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: data.uid },
      source,
      ...more.facts,
    },
  });
const user = pod('web', {
  facts: { nodeName: 'worker', phase: 'Running', volumes: [{ name: 'd', claimName: 'data' }] },
});
const worker = node('worker');
const remove = (kind: string, name: string, more: object = {}) =>
  parseRequests(
    [{ verb: 'delete', apiVersion: 'v1', kind, name, namespace: 'shop', ...more }],
    'requests',
  );
const removeClaim = remove('PersistentVolumeClaim', 'data');
const binder = 'persistentvolume-binder-controller';
const ofClaims = 'persistentvolumeclaim-protection-controller';
const ofVolumes = 'persistentvolume-protection-controller';
const freed = `0s ${ofClaims} patch data removed PV-12`;
const released = `0s ${binder} patch disk changed PV-2`;

describe('a claim that is deleted', () => {
  const deleted = [
    `0s ${binder} delete disk terminating PV-7`,
    `0s ${ofVolumes} patch disk removed PV-11`,
    'quiet',
  ];
  const fails = (rule: string) => [`0s ${binder} patch disk changed ${rule}`, 'quiet: disk'];
  const ofBinder = { finalizers: ['kubernetes.io/pv-controller'] };
  test.each<[string, string, object, string[], Details?]>([
    ['is kept', 'Retain', { nfs: true }, ['quiet: disk']],
    ['is deleted', 'Delete', { hostPath: '/tmp/disk' }, deleted],
    [
      "first loses the binder's finalizer",
      'Delete',
      { hostPath: '/tmp/disk' },
      [`0s ${binder} patch disk changed PV-7`, `0s ${binder} delete disk removed PV-7`, 'quiet'],
      ofBinder,
    ],
    [
      'awaits its provisioner',
      'Delete',
      { csi: 'disk.example.com' },
      ['open: disk', 'quiet: disk'],
    ],
    ['fails', 'Delete', { nfs: true }, fails('PV-6')],
    ['fails by its policy', 'Scrub', { csi: 'disk.example.com' }, fails('PV-4')],
  ])('goes, and its volume %s', (_, policy, source, lines, more) => {
    expect(told([data, disk(policy, source, more)], { requests: removeClaim })).toEqual([
      freed,
      released,
      ...lines,
    ]);
  });

  test('waits for the pod that uses it', () => {
    const requests = [
      ...removeClaim,
      ...remove('Pod', 'web', { gracePeriodSeconds: 0, after: '5s' }),
    ];
    expect(told([worker, data, user, disk('Retain', {})], { requests })).toEqual([
      `5s ${ofClaims} patch data removed PV-12`,
      `5s ${binder} patch disk changed PV-2`,
      'quiet: worker, disk',
    ]);
  });

  test('stays where files hold no pods, as who may use it was not read', () => {
    const bare = snapshotOf([{ ...data, deletionTimestamp: '2026-01-02T00:00:00Z' }], {
      origin: { kind: 'files', paths: [] },
      unread: ['pods'],
    });
    const { objects, stuck } = simulate(bare, [], {}, { now: Date.parse(bare.observedAt) });
    expect(objects.map(({ name }) => name)).toEqual(['data']);
    expect(stuck.map(({ object: { name } }) => name)).toEqual(['data']);
  });

  test('goes by its pods, whether or not its own facts were read', () => {
    const bare = claim('data', { finalizers: [protects] });
    expect(told([bare], { requests: removeClaim })).toEqual([freed, 'quiet']);
    expect(play([worker, bare, user], { requests: removeClaim }).left).toEqual([
      'worker',
      'data',
      'web',
    ]);
  });
});

describe('a volume', () => {
  test('that is deleted while bound is removed with its claim', () => {
    const requests = [...remove('PersistentVolume', 'disk'), ...removeClaim];
    expect(told([data, disk('Retain', {})], { requests })).toEqual([
      freed,
      released,
      `0s ${ofVolumes} patch disk removed PV-11`,
      'quiet',
    ]);
  });

  test('without its claim is reclaimed within the time of a sync', () => {
    const lost = disk('Delete', { hostPath: '/tmp/disk' }, { finalizers: [] });
    const clock = { duration: 10_000 };
    expect(told([lost], { clock })).toEqual([
      released,
      `0s ${binder} delete disk removed PV-7`,
      'open: disk',
      'quiet',
    ]);
    expect(play([lost]).open).toEqual([]);
  });
});

test('a claim is deleted with the pod that it was made for, and with its volume', () => {
  const own = claim('web-scratch', {
    finalizers: [protects],
    ownerReferences: [ownedBy(user, { controller: true, blockOwnerDeletion: true })],
    facts: { volumeName: 'disk' },
  });
  const web = pod('web', {
    facts: { ...user.facts, volumes: [{ name: 'scratch', ephemeral: true }] },
  });
  const requests = remove('Node', 'worker');
  const records = [worker, node('other'), web, own];
  expect(told(records, { requests })).toEqual([
    '60s pod-garbage-collector-controller patch web changed PG-16',
    '60s pod-garbage-collector-controller delete web removed PG-16',
    `60s ${ofClaims} patch web-scratch removed PV-12`,
    'quiet: other',
  ]);
});
