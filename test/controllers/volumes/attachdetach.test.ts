import { expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { missingNode } from '../../../src/controllers/nodes/missing-node.ts';
import { attachDetach } from '../../../src/controllers/volumes/attachdetach.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, node, pod, snapshotOf } from '../../support/builders.ts';
import { decide, now } from '../decided.ts';

const attachment = builderOf('storage.k8s.io/v1', 'VolumeAttachment');
const volume = builderOf('v1', 'PersistentVolume');
const nameFor = (digit: string) => `csi-${digit.repeat(64)}`;
const names = new Map([...'0123456789'].map((digit) => [nameFor(digit), digit]));

function attached(digit: string, nodeName: string, persistentVolumeName?: string) {
  const facts = { attachment: { attacher: 'd', nodeName, persistentVolumeName } } as ObjectFacts;
  return attachment(nameFor(digit), { facts });
}

const pv = volume('pv', { facts: { claimRef: { namespace: 'shop', name: 'data', uid: 'c' } } });
const ready = (status: string): ObjectFacts => ({ conditions: [{ type: 'Ready', status }] });
const nodes = [
  node('alive', { facts: ready('True') }),
  node('silent', { facts: ready('Unknown') }),
  node('out', {
    facts: {
      ...ready('Unknown'),
      taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }],
    },
  }),
];
const user = (name: string, nodeName: string, more: ObjectFacts = {}, details: Details = {}) =>
  pod(name, {
    namespace: 'shop',
    facts: { nodeName, volumes: [{ name: 'v', claimName: 'data' }], ...more },
    ...details,
  });

const outcome = (...args: Parameters<typeof decide>) =>
  decide(...args).map(({ object, rule, confidence, notAfter }) =>
    [
      names.get(object.name) ?? object.name,
      rule,
      confidence,
      notAfter === undefined ? 'some time' : `${(notAfter - now) / 60_000} min`,
    ].join(' '),
  );

const onEach = [
  attached('1', 'alive', 'pv'),
  attached('2', 'silent', 'pv'),
  attached('3', 'out', 'pv'),
  attached('4', 'gone', 'pv'),
];

test('an unused volume is detached when the kubelet has unmounted it, by force after 6 minutes, immediately when its Node is out of service', () => {
  expect(outcome(attachDetach, [...nodes, pv, ...onEach])).toEqual([
    '1 ATT-1 likely some time',
    '2 ATT-2 certain 6 min',
    '3 ATT-3 certain 0 min',
    '4 ATT-2 certain 6 min',
  ]);
  const settings = { disableForceDetachOnTimeout: true };
  expect(outcome(attachDetach, [...nodes, pv, ...onEach], { settings })).toEqual([
    '1 ATT-1 likely some time',
    '2 ATT-2 likely some time',
    '3 ATT-3 certain 0 min',
    '4 ATT-2 likely some time',
  ]);
});

test('from v1.38 on the volumes of a deleted Node are detached immediately', () => {
  const serverVersion = 'v1.38.0';
  const there = [...nodes, pv, attached('2', 'silent', 'pv'), attached('4', 'gone', 'pv')];
  expect(outcome(attachDetach, there, { serverVersion })).toEqual([
    '2 ATT-2 certain 6 min',
    '4 ATT-2 certain 0 min',
  ]);
  const settings = { disableForceDetachOnTimeout: true };
  expect(outcome(attachDetach, there, { serverVersion, settings })).toEqual([
    '2 ATT-2 likely some time',
    '4 ATT-2 certain 0 min',
  ]);
});

test('a pod on the Node that names the claim keeps its volume attached, unless it has ended', () => {
  const pods = [
    user('a', 'alive'),
    user('b', 'silent', { phase: 'Succeeded' }),
    user('c', 'gone'),
    user('d', 'out', {}, { namespace: 'other' }),
  ];
  expect(outcome(attachDetach, [...nodes, pv, ...onEach, ...pods])).toEqual([
    '2 ATT-2 certain 6 min',
    '3 ATT-3 certain 0 min',
  ]);
});

test('unread pods, Node or volume leave it undecided', () => {
  const unread = pod('p', { namespace: 'shop' });
  const one = [attached('1', 'silent', 'pv')];
  expect(outcome(attachDetach, [...nodes, pv, ...one, unread])).toEqual(['1 ATT-2 unknown 6 min']);
  const goes = ['1 ATT-2 unknown 6 min'];
  expect(outcome(attachDetach, [...nodes, volume('pv'), ...one])).toEqual(goes);
  expect(outcome(attachDetach, [pv, ...one], { unread: ['nodes'] })).toEqual(goes);
});

test('attachments that the controller does not manage remain when their Node is deleted', () => {
  const records = [
    ...nodes,
    pv,
    attached('1', 'gone', 'pv'),
    attached('2', 'gone', 'gone'),
    attached('3', 'gone'),
    ...['by-hand', `${nameFor('4')}0`, `x${nameFor('5')}`].map((name) =>
      attachment(name, { facts: { attachment: { nodeName: 'gone', persistentVolumeName: 'pv' } } }),
    ),
    { ...attached('6', 'gone', 'pv'), deletionTimestamp: '2026-05-31T00:00:00Z' },
    attachment(nameFor('7')),
    attachment(nameFor('8'), { facts: {} }),
    attachment(nameFor('9'), { facts: { attachment: { persistentVolumeName: 'pv' } } }),
  ];
  expect(outcome(attachDetach, records)).toEqual(['1 ATT-2 certain 6 min']);
  const left = missingNode.leftovers?.(viewOf(snapshotOf(records)), now) ?? [];
  expect(left.map(({ object }) => names.get(object.name) ?? object.name)).toEqual([
    ...['2', '3', 'by-hand', `${nameFor('4')}0`, `x${nameFor('5')}`],
  ]);
});

test('a pod that is being deleted uses its volume until its containers have ended', () => {
  const deleted = { deletionTimestamp: '2026-05-31T00:00:00Z' };
  const ending = (more: ObjectFacts, deletionGracePeriodSeconds = 30) => {
    const pods = user('ending', 'silent', more, { ...deleted, deletionGracePeriodSeconds });
    return outcome(attachDetach, [...nodes, pv, attached('2', 'silent', 'pv'), pods]);
  };
  const goes = ['2 ATT-2 certain 6 min'];
  expect(ending({})).toEqual(goes);
  expect(ending({ containerStatuses: [{ name: 'main', exitCode: 0 }] })).toEqual(goes);
  expect(ending({ containerStatuses: [{ name: 'main', running: true }] })).toEqual([]);
  expect(ending({ containerStatuses: [{ name: 'main', running: true }] }, 0)).toEqual(goes);
  expect(ending({ initContainerStatuses: [{ name: 'side', running: true }] })).toEqual([]);
  expect(ending({ ephemeralContainerStatuses: [{ running: true }] })).toEqual([]);
});
