import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { FreedObjects } from '../../../src/simulator/controllers/freed-objects.ts';
import { Indexes } from '../../../src/simulator/controllers/indexes.ts';
import type {
  Cluster,
  KeyedController,
} from '../../../src/simulator/controllers/keyed-controller.ts';
import { tokenControllers } from '../../../src/simulator/controllers/tokens.ts';
import { volumeControllers } from '../../../src/simulator/controllers/volumes.ts';
import { workloadControllers } from '../../../src/simulator/controllers/workloads.ts';
import type { Actor } from '../../../src/simulator/engine/timeline.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';
import { alone } from './alone.ts';

const account = builderOf('v1', 'ServiceAccount');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const revision = builderOf('apps/v1', 'ControllerRevision');

function controllerOf(
  all: readonly KeyedController[],
  actor: Actor,
  kind?: string,
): KeyedController {
  const found = all.find(
    ({ controller, kinds }) => controller === actor && (kind === undefined || kinds.includes(kind)),
  );
  if (!found) throw new Error(`no ${actor} of ${kind}`);
  return found;
}

function clusterOf(...records: ObjectRecord[]): Cluster {
  const { state } = alone(records);
  const indexes = new Indexes(state);
  return { state, indexes, freed: new FreedObjects(state, indexes) } as unknown as Cluster;
}

/** Names of what a controller looks at because an object came or went. */
function affected(
  controller: KeyedController,
  change: { readonly came?: ObjectRecord; readonly went?: ObjectRecord },
  cluster: Cluster,
): string[] {
  const found = controller.affected?.({ before: change.went, after: change.came }, cluster) ?? [];
  return found.flatMap((record) => record?.name ?? []);
}

describe('the controller of ServiceAccount tokens', () => {
  const tokens = controllerOf(tokenControllers, 'serviceaccount-token-controller');
  const token = (name: string, of = 'robot', changes = {}) =>
    secret(name, {
      annotations: { 'kubernetes.io/service-account.name': of },
      facts: { secretType: 'kubernetes.io/service-account-token' },
      ...changes,
    });

  test('works on tokens that are not being deleted', () => {
    const cluster = clusterOf();
    expect(tokens.concerns(token('a'), cluster)).toBe(true);
    expect(tokens.concerns(token('a', 'robot', { deleting: 'background' }), cluster)).toBe(false);
    expect(tokens.concerns(secret('a', { facts: { secretType: 'Opaque' } }), cluster)).toBe(false);
    expect(tokens.concerns(secret('a'), cluster)).toBe(false);
  });

  test('looks at the tokens of an account that comes or goes, and not of one that changes', () => {
    const elsewhere = token('c', 'robot', { namespace: 'depot' });
    const cluster = clusterOf(token('a'), token('b', 'other'), elsewhere);
    const robot = account('robot');
    expect([
      affected(tokens, { went: robot }, cluster),
      affected(tokens, { came: robot }, cluster),
      affected(tokens, { went: robot, came: robot }, cluster),
      affected(tokens, { went: configMap('robot') }, cluster),
    ]).toEqual([['a'], ['a'], [], []]);
  });

  test('links an account with its tokens', () => {
    const links = (record: ObjectRecord) => tokens.linksOf?.(record, clusterOf());
    expect([links(account('robot')), links(token('a')), links(token('b', 'other'))]).toEqual([
      ['shop/robot'],
      ['shop/robot'],
      ['shop/other'],
    ]);
    expect([
      links(secret('plain', { annotations: { 'kubernetes.io/service-account.name': 'robot' } })),
      links(configMap('robot')),
    ]).toEqual([[], []]);
    expect(
      links(secret('nameless', { facts: { secretType: 'kubernetes.io/service-account-token' } })),
    ).toEqual([]);
  });

  test('leaves bootstrap tokens to their cleaner, which works in kube-system', () => {
    const cleaner = controllerOf(tokenControllers, 'token-cleaner-controller');
    const bootstrap = (namespace: string) =>
      secret('t', { namespace, facts: { secretType: 'bootstrap.kubernetes.io/token' } });
    expect(
      [bootstrap('kube-system'), bootstrap('shop'), secret('t', { namespace: 'kube-system' })].map(
        (one) => cleaner.concerns(one, clusterOf()),
      ),
    ).toEqual([true, false, false]);
  });
});

describe('the binder of volumes', () => {
  const binder = controllerOf(volumeControllers, 'persistentvolume-binder-controller');
  const reserved = { namespace: 'shop', name: 'data' };
  const bound = volume('pv', {
    facts: { claimRef: { ...reserved, uid: 'uid-persistentvolumeclaim-shop-data' } },
  });
  const claimOf = (volumeName: string) => claim('data', { facts: { volumeName } });
  const kept = (persistentVolumeReclaimPolicy: string) =>
    volume('pv', { facts: { claimRef: reserved, persistentVolumeReclaimPolicy } });

  test.each<[string, ObjectRecord, readonly ObjectRecord[], boolean]>([
    ['a volume of which nothing was read', volume('pv'), [], false],
    ['one whose claim is bound to it', bound, [claimOf('pv')], false],
    ['one whose claim is bound to another volume', bound, [claimOf('other')], true],
    ['one that is reserved and deleted with the claim', kept('Delete'), [], true],
    ['one that is reserved and kept', kept('Retain'), [], false],
  ])('%s', (_, record, claims, concerns) => {
    expect(binder.concerns(record, clusterOf(record, ...claims))).toBe(concerns);
  });

  test('looks at the volumes of a claim that is written', () => {
    const claimRef = { namespace: 'depot', name: 'data', uid: 'x' };
    const cluster = clusterOf(bound, volume('other', { facts: { claimRef } }));
    expect([
      affected(binder, { went: claim('data') }, cluster),
      affected(binder, { came: claim('data', { namespace: 'depot' }) }, cluster),
      affected(binder, { went: configMap('data') }, cluster),
    ]).toEqual([['pv'], ['other'], []]);
  });
});

describe('the protection of claims and volumes', () => {
  const ofClaims = controllerOf(volumeControllers, 'persistentvolumeclaim-protection-controller');
  const user = (name: string, ...used: string[]) =>
    pod(name, {
      facts: { nodeName: '', volumes: used.map((claimName) => ({ name: claimName, claimName })) },
    });

  test('links a claim, its volume and its pods, and all claims with a pod whose volumes were not read', () => {
    const bound = volume('pv', {
      facts: { claimRef: { namespace: 'shop', name: 'data', uid: 'x' } },
    });
    const known = clusterOf(user('a', 'data'), claim('data'));
    const links = (record: ObjectRecord, cluster = known) => ofClaims.linksOf?.(record, cluster);
    expect([
      links(bound),
      links(claim('data')),
      links(user('a', 'data', 'logs')),
      links(configMap('data')),
      links(volume('free')),
    ]).toEqual([['shop/data'], ['shop/data'], ['shop/data', 'shop/logs'], [], []]);
    const unread = clusterOf(pod('unread'), claim('data'));
    expect([
      links(pod('unread'), unread),
      links(claim('data'), unread),
      links(claim('data', { namespace: 'depot' }), unread),
    ]).toEqual([['shop/?'], ['shop/data', 'shop/?'], ['depot/data']]);
  });
});

describe('controllers of workloads', () => {
  const controller = { controller: true };

  test('a Deployment concerns them once it has more ReplicaSets than it may keep', () => {
    const histories = controllerOf(workloadControllers, 'deployment-controller');
    const web = (limit?: number) =>
      deployment('web', { facts: limit === undefined ? {} : { revisionHistoryLimit: limit } });
    const sets = Array.from({ length: 11 }, (_, at) =>
      replicaSet(`web-${at}`, { ownerReferences: [ownedBy(web(), controller)] }),
    );
    const cluster = clusterOf(web(), ...sets);
    expect(
      [web(), web(10), web(11), deployment('web')].map((one) => histories.concerns(one, cluster)),
    ).toEqual([true, true, false, false]);
    expect(histories.concerns(web(), clusterOf(web(), ...sets.slice(1)))).toBe(false);
    const strange = ownedBy(web(), { ...controller, uid: 'another' });
    const going = clusterOf(deployment('web', { deleting: 'foreground' }));
    expect([
      affected(histories, { came: sets[0] as ObjectRecord }, cluster),
      affected(histories, { went: sets[0] as ObjectRecord }, cluster),
      affected(histories, { came: replicaSet('x', { ownerReferences: [strange] }) }, cluster),
      affected(
        histories,
        { came: replicaSet('x', { ownerReferences: [ownedBy(web())] }) },
        cluster,
      ),
      affected(histories, { came: sets[0] as ObjectRecord }, going),
    ]).toEqual([['web'], [], [], [], []]);
  });

  test('a set has its own revisions, and those without a controller in its namespace', () => {
    const ofDaemonSets = controllerOf(workloadControllers, 'daemonset-controller');
    const db = daemonSet('db', { facts: { revisionHistoryLimit: 1 } });
    const own = revision('own', { ownerReferences: [ownedBy(db, controller)] });
    const other = revision('other', { ownerReferences: [ownedBy(daemonSet('x'), controller)] });
    const concerns = (...revisions: ObjectRecord[]) =>
      ofDaemonSets.concerns(db, clusterOf(db, ...revisions));
    expect([
      concerns(own),
      concerns(own, revision('free')),
      concerns(own, other),
      concerns(own, revision('far', { namespace: 'depot' })),
    ]).toEqual([false, true, false, false]);
    expect(affected(ofDaemonSets, { went: own }, clusterOf(db))).toEqual(['db']);
  });

  test('a StatefulSet concerns them by its policy, its owned claims, and pods beyond its replicas', () => {
    const retention = workloadControllers.at(-1) as KeyedController;
    const set = (facts: object) =>
      statefulSet('db', { facts: { volumeClaimTemplates: ['data'], ...facts } });
    const concerns = (facts: object, ...more: ObjectRecord[]) =>
      retention.concerns(set(facts), clusterOf(...more));
    const owned = { ownerReferences: [ownedBy(statefulSet('db'))] };
    const policy = (changes: object) => ({ persistentVolumeClaimRetentionPolicy: changes });
    const [first, second] = [claim('data-db-0'), claim('data-db-1', owned)];
    const deleted = policy({ whenDeleted: 'Delete' });
    expect([
      concerns(deleted),
      concerns(policy({ whenScaled: 'Delete' })),
      concerns({}, first, second),
      concerns({ firstOrdinal: 1 }, second),
      concerns({ replicas: 2 }, pod('db-2')),
      concerns({ replicas: 2, firstOrdinal: 3 }, pod('db-2')),
      concerns({ replicas: 2, firstOrdinal: 3 }, pod('db-5')),
    ]).toEqual(Array(7).fill(true));
    expect([
      concerns({}),
      concerns(policy({ whenScaled: 'Retain' })),
      concerns({ ...deleted, volumeClaimTemplates: [] }),
      concerns({}, first),
      concerns({}, second),
      concerns({ replicas: 2 }, pod('db-1')),
      retention.concerns(statefulSet('db'), clusterOf(pod('db-1'))),
    ]).toEqual(Array(7).fill(false));
  });

  test('a StatefulSet is linked with its pods and claims by their names', () => {
    const retention = workloadControllers.at(-1) as KeyedController;
    const links = (record: ObjectRecord) => retention.linksOf?.(record, clusterOf());
    expect(links(statefulSet('db', { facts: { volumeClaimTemplates: ['data', 'logs'] } }))).toEqual(
      ['shop/db', 'shop/data-db', 'shop/logs-db'],
    );
    expect([
      links(pod('db-12')),
      links(claim('data-db-0')),
      links(pod('db')),
      links(claim('db-0x')),
      links(configMap('db-0')),
    ]).toEqual([['shop/db'], ['shop/data-db'], [], [], []]);
  });
});
