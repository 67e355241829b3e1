import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { referenceTo } from '../../src/kube/object-reference.ts';
import { beginSimulation } from '../../src/simulator/simulate.ts';
import {
  blocking,
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  secret,
  snapshotOf,
  widget,
} from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

interface Running {
  readonly controllers?: readonly string[];
  readonly kubelets?: boolean;
  /** Do the controllers other than the garbage collector run at all? */
  readonly others?: boolean;
}

/** Of each object that is left terminating: what it waits for, and the names of what holds it. */
function stuck(records: readonly ObjectRecord[], running: Running = {}) {
  const { controllers = ['*'], kubelets = false, others } = running;
  const clock = {
    now: Date.parse('2026-02-01T00:00:00Z'),
    duration: 60_000,
    ...(others !== undefined && { controllers: others }),
  };
  const simulation = beginSimulation(snapshotOf(records), [], { controllers, kubelets }, clock);
  return simulation.inOneOrder().stuck;
}

/** Of the first of these: `blocked by … [Secret one]`. */
function why(record: ObjectRecord, others: readonly ObjectRecord[] = [], running: Running = {}) {
  const [one] = stuck([record, ...others], running).filter(
    ({ object }) => object.uid === record.uid,
  );
  const on = one?.on.map(({ kind, name }) => `${kind} ${name}`) ?? [];
  return one && [one.because, ...(on.length > 0 ? [`[${on.join(', ')}]`] : [])].join(' ');
}

const going = (...finalizers: string[]) =>
  configMap('root', { deleting: 'background', finalizers });
const held = { finalizers: ['a.com/x'] };
const root = going('foregroundDeletion');
const dependent = (name: string, ...references: object[]) =>
  secret(name, { ...held, ownerReferences: references.map((one) => ownedBy(root, one)) });
const shop = (...specFinalizers: string[]) =>
  namespace('shop', { deleting: 'background', facts: { phase: 'Terminating', specFinalizers } });
const lost = (details: object) =>
  pod('p', {
    deletionTimestamp: '2026-01-31T00:00:00Z',
    deletionGracePeriodSeconds: 30,
    ...details,
  });
const ofClaims = 'kubernetes.io/pvc-protection';
const ofVolumes = 'kubernetes.io/pv-protection';
const volumes = [{ name: 'v', claimName: 'data' }];
const user = (name: string, changes: object = {}) =>
  pod(name, { facts: { nodeName: 'a', phase: 'Running', volumes, ...changes } });
const disk = (facts?: ObjectRecord['facts']) =>
  volume('pv', { deleting: 'background', finalizers: [ofVolumes], facts });
const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };

const objects: Readonly<Record<string, ObjectRecord>> = {
  held: going('a.com/x', 'b.com/y'),
  orphaning: going('orphan'),
  root,
  ...Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, dependent(name, blocking, blocking)]),
  ),
  loose: dependent('loose', {}),
  definition: definition('widgets.example.com', {
    deleting: 'background',
    finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
  }),
  widget: widget('w', held),
  shop: shop('kubernetes'),
  'shop of others': shop('kubernetes', 'a.com/x'),
  one: configMap('one', held),
  two: configMap('two', held),
  three: secret('three', held),
  far: secret('far', { ...held, namespace: 'b' }),
  'node a': node('a'),
  'node b': node('b'),
  pod: lost({ facts: { nodeName: 'a' } }),
  'unread pod': lost({}),
  'held pod': lost({ facts: { nodeName: 'a' }, ...held }),
  'slow pod': lost({
    deletionTimestamp: '2026-02-01T01:00:00Z',
    deletionGracePeriodSeconds: 3600,
    facts: { nodeName: 'a' },
  }),
  data: claim('data', { deleting: 'background', finalizers: [ofClaims] }),
  'bound data': claim('data', { facts: { volumeName: 'pv', phase: 'Bound' } }),
  'user 1': user('one'),
  'user 2': user('two'),
  'idle user': user('idle', { nodeName: '' }),
  'pod of no volume': user('away', { volumes: [] }),
  'pod elsewhere': pod('far', { namespace: 'b', facts: { nodeName: 'a', volumes } }),
  disk: disk({ claimRef, phase: 'Bound' }),
  'unread disk': disk(),
};
const collector = 'garbage-collector-controller';
const runnings: Readonly<Record<string, Running>> = {
  kubelets: { kubelets: true },
  'no collector': { controllers: ['namespace-controller'] },
  'collector alone': { controllers: [collector] },
  'collector, kubelets': { controllers: [collector], kubelets: true },
  'not of claims': { controllers: ['*', '-pvc-protection'] },
  'not of volumes': { controllers: ['*', '-pv-protection'] },
  'no others': { others: false },
};

/** Of each row: an object, those beside it and what runs instead of all controllers: what the object waits for. */
function waits(table: string): string {
  const told = rowsOf(table).map(([name = '', others = '', running = '']) => {
    const beside = others.split(', ').flatMap((other) => objects[other] ?? []);
    const record = objects[name];
    if (!record) throw new Error(`there is no ${name}`);
    const given = [name, others, running].filter(Boolean).join(', ');
    return `${given}: ${why(record, beside, runnings[running]) ?? '-'}`;
  });
  return told.join('\n');
}

test('an object that remains terminating names its blocker', () => {
  const told = waits(`
    held
    orphaning |  | no collector
    root |  | no collector
    root | a, loose
    root | a, b, c, d, e, f, g
    definition | widget
    shop | one, two, three, far
    shop of others
    shop of others | one
    shop |  | collector alone
    pod | node a | collector alone
    pod | node b | collector, kubelets
    pod | node a | collector, kubelets
    unread pod |  | collector alone
    slow pod | node a | kubelets
    held pod | node a | collector alone
  `);
  expect(told).toMatchInlineSnapshot(`
    "held: no simulated controller removes finalizer a.com/x; no simulated controller removes finalizer b.com/y
    orphaning, no collector: the garbage collector, which would remove orphan, does not run
    root, no collector: the garbage collector, which would remove foregroundDeletion, does not run
    root, a, loose: blocked by its dependent Secret a [Secret a]
    root, a, b, c, d, e, f, g: blocked by its dependents Secret a, Secret b, Secret c, Secret d, Secret e and 2 more [Secret a, Secret b, Secret c, Secret d, Secret e, Secret f, Secret g]
    definition, widget: instances of it remain
    shop, one, two, three, far: namespace still contains 2 configmaps, 1 secrets
    shop of others: no simulated controller removes a.com/x from its spec.finalizers
    shop of others, one: namespace still contains 1 configmaps; no simulated controller removes a.com/x from its spec.finalizers
    shop, collector alone: the namespace controller does not run
    pod, node a, collector alone: no kubelet on a confirms that its containers stopped
    pod, node b, collector, kubelets: its node a does not exist, so no kubelet confirms that its containers stopped
    pod, node a, collector, kubelets: -
    unread pod, collector alone: its Node was not read, whose kubelet must confirm that its containers stopped
    slow pod, node a, kubelets: its grace period is not over
    held pod, node a, collector alone: no simulated controller removes finalizer a.com/x; no kubelet on a confirms that its containers stopped"
  `);
});

test('a claim and a volume that are left terminating wait for what uses them', () => {
  const told = waits(`
    data | node a, user 1, user 2, idle user, pod of no volume, pod elsewhere
    data | unread pod
    disk | bound data
    unread disk
    data |  | not of claims
    disk |  | not of volumes
    data |  | no others
  `);
  expect(told).toMatchInlineSnapshot(`
    "data, node a, user 1, user 2, idle user, pod of no volume, pod elsewhere: used by Pod one, Pod two [Pod one, Pod two]
    data, unread pod: it was not read whether pods use it
    disk, bound data: it is bound to claim data [PersistentVolumeClaim data]
    unread disk: it was not read whether it is bound to a claim
    data, not of claims: persistentvolumeclaim-protection-controller, which would remove kubernetes.io/pvc-protection, does not run
    disk, not of volumes: persistentvolume-protection-controller, which would remove kubernetes.io/pv-protection, does not run
    data, no others: no simulated controller removes finalizer kubernetes.io/pvc-protection"
  `);
});

test('the blocker itself is named, and no other object', () => {
  const one = going('a.com/x');
  expect(stuck([one, configMap('alive', held)]).map(({ object }) => object)).toEqual([
    referenceTo(one),
  ]);
});
