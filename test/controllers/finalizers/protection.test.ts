import { expect, test } from 'vitest';
import { protection } from '../../../src/controllers/finalizers/protection.ts';
import { builderOf, customType, objectOfType, pod } from '../../support/builders.ts';
import { ago, decide, now } from '../decided.ts';

const volumeClass = builderOf('storage.k8s.io/v1', 'VolumeAttributesClass');
const volume = builderOf('v1', 'PersistentVolume');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const serviceRange = builderOf('networking.k8s.io/v1', 'ServiceCIDR');
const ipAddress = builderOf('networking.k8s.io/v1', 'IPAddress');

const deleted = { deletionTimestamp: ago(4_000) };
const classFinalizer = 'kubernetes.io/vac-protection';
const rangeFinalizer = 'networking.k8s.io/service-cidr-finalizer';
const gold = volumeClass('gold', { ...deleted, finalizers: ['other', classFinalizer] });
const range = (name: string, cidrs: readonly string[], more = {}) =>
  serviceRange(name, { facts: { cidrs }, finalizers: [rangeFinalizer], ...more });
const address = (name: string, by = 'ipallocator.k8s.io') =>
  ipAddress(name, { labels: { 'ipaddress.kubernetes.io/managed-by': by } });

const released = (...args: Parameters<typeof decide>) =>
  decide(...args).map(({ object, patch, notBefore, rule }) => [
    object.name,
    patch?.body.metadata,
    (notBefore - now) / 1000,
    rule,
  ]);

test('a class that is being deleted loses its protection once no claim and no volume names it', () => {
  const expected = [['gold', { finalizers: ['other'] }, 0, 'PROT-1']];
  const silver = { facts: { volumeAttributesClassName: 'silver' } };
  expect(released(protection, [gold, volume('v', silver), claim('c', silver)])).toEqual(expected);
  const users = [
    volume('v', { facts: { volumeAttributesClassName: 'gold' } }),
    claim('c', { facts: { volumeAttributesClassName: 'gold' } }),
    claim('c', { facts: { currentVolumeAttributesClassName: 'gold' } }),
    claim('c', { facts: { targetVolumeAttributesClassName: 'gold' } }),
  ];
  const others = [volume('other'), claim('other')];
  expect(users.flatMap((user) => released(protection, [gold, ...others, user]))).toEqual([]);
  expect(released(protection, [volumeClass('gold', { finalizers: [classFinalizer] })])).toEqual([]);
});

test('a range loses its protection ten seconds after its deletion, unless a Service has an address of it alone', () => {
  const going = range('more', ['10.1.0.0/24', 'fd01::/112'], deleted);
  const free = [['more', { finalizers: [] }, 6, 'PROT-2']];
  expect(released(protection, [going])).toEqual(free);
  expect(released(protection, [going, address('10.1.0.7')])).toEqual([]);
  expect(released(protection, [going, address('fd01::7')])).toEqual([]);
  expect(
    released(protection, [
      going,
      address('10.1.0.7', 'someone'),
      address('10.2.0.1'),
      ipAddress('10.1.0.8'),
    ]),
  ).toEqual(free);
  const wide = range('wide', ['10.0.0.0/8', 'fd00::/8']);
  expect(released(protection, [going, wide, address('10.1.0.7')])).toEqual(free);
  const half = range('half', ['10.0.0.0/8']);
  expect(released(protection, [going, half, address('10.1.0.7')])).toEqual(free);
  expect(released(protection, [half, going, address('fd01::7')])).toEqual([]);
});

test('a PodGroup loses its protection once all its pods have ended or are gone', () => {
  const finalizers = ['scheduling.k8s.io/podgroup-protection'];
  const podGroups = customType('podgroups.scheduling.k8s.io/v1alpha2 PodGroup');
  const crew = objectOfType(podGroups, 'crew', { ...deleted, namespace: 'default', finalizers });
  const free = [['crew', { finalizers: [] }, 0, 'PROT-3']];
  const member = (more: object, namespace = 'default') =>
    pod('member', { namespace, facts: { nodeName: '', podGroupName: 'crew', ...more } });
  expect(released(protection, [crew, member({ phase: 'Succeeded' })])).toEqual(free);
  expect(released(protection, [crew, member({}, 'other')])).toEqual(free);
  expect(released(protection, [crew, member({ podGroupName: 'cast' })])).toEqual(free);
  expect(released(protection, [crew, member({ phase: 'Running' })])).toEqual([]);
  const ending = { ...member({}), ...deleted, deletionGracePeriodSeconds: 30 };
  expect(released(protection, [crew, ending])).toEqual([]);
  expect(released(protection, [crew, pod('unread', { namespace: 'default' })])).toEqual([]);
});

test('what was not read may use them', () => {
  const records = [gold, range('more', ['10.1.0.0/24'], deleted)];
  const unread = ['ipaddresses.networking.k8s.io', 'persistentvolumes'];
  expect(released(protection, records, { unread })).toEqual([]);
  expect(
    released(protection, [serviceRange('more', { ...deleted, finalizers: [rangeFinalizer] })]),
  ).toEqual([]);
});
