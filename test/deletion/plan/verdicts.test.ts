import { describe, expect, test } from 'vitest';
import { stateChange, targetStateOf } from '../../../src/deletion/plan/plan-difference.ts';
import { clusterAfter, recreationOf } from '../../../src/deletion/plan/recreation.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  blocking,
  builderOf,
  configMap,
  type Details,
  deployment,
  job,
  node,
  ownedBy,
  pod,
  replicaSet,
  servedTypes,
} from '../../support/builders.ts';
import { context, planned } from './planned.ts';
import { by, fatesOf, namespace, unbound } from './told.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const controller = builderOf('v1', 'ReplicationController');
const serviceAccount = builderOf('v1', 'ServiceAccount');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');

test('the pod of a Job goes once it is counted, which the Job controller does', () => {
  const worker = pod('worker', {
    finalizers: ['batch.kubernetes.io/job-tracking'],
    facts: { nodeName: '', phase: 'Succeeded' },
  });
  const fateWith = (...controllers: string[]) =>
    planned([worker], worker, {}, {}, { settings: { controllers } }).objects[0];
  expect(fateWith('*')).toMatchObject({ fate: 'deleted', rule: 'GC-61' });
  expect(fateWith('*', '-job-controller')).toMatchObject({ fate: 'terminating' });
});

test('the end of the second of two objects with one name is unknown', () => {
  const [first, second] = [configMap('a', { uid: 'uid-1' }), configMap('a', { uid: 'uid-2' })];
  const { objects } = planned([first, second], second);
  expect(objects).toMatchObject([
    {
      uid: 'uid-2',
      fate: 'unknown',
      rule: 'GC-5',
    },
  ]);
});

test('a target is requested once, in the order in which it was named, with the grace period asked for', () => {
  const [a, b] = [configMap('a'), configMap('b')];
  const { requests } = planned([a, b], [b, a, b], { gracePeriodSeconds: 5 });
  expect(requests.map(({ name, gracePeriodSeconds }) => [name, gracePeriodSeconds])).toEqual([
    ['b', 5],
    ['a', 5],
  ]);
});

test('a plan does not depend on which of two objects without a uid was read first', () => {
  const applied = (name: string) => configMap(name, { uid: '' });
  const [a, b] = [applied('a'), applied('b')];
  expect(planned([b, a], [a, b])).toEqual(planned([a, b], [a, b]));
});

describe('another one is made', () => {
  const of = (owner: ObjectRecord, name = 'own', facts: ObjectRecord['facts'] = unbound) =>
    pod(name, { ...by(owner), facts });
  const db = statefulSet('db', { facts: { replicas: 2, firstOrdinal: 3 } });
  const first = statefulSet('db', { facts: { replicas: 1 } });
  const rc = controller('rc', { facts: {} });
  const set = replicaSet('set', { facts: {} });
  const none = replicaSet('set', { facts: { replicas: 0 } });
  const runs = job('runs', { facts: {} });
  const paused = job('runs', { facts: { suspend: true } });
  const complete = job('runs', { facts: { conditions: [{ type: 'Complete', status: 'True' }] } });
  const at = (revision: string) => ({
    annotations: { 'deployment.kubernetes.io/revision': revision },
  });
  const web = deployment('web', { ...at('2'), facts: {} });
  const setAt = (revision: string) =>
    replicaSet('web-1', { ...by(web), ...at(revision), facts: { replicas: 1 } });
  const endpoints = builderOf('v1', 'Endpoints')('external');
  const declining = { ...endpoints, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } };
  const ended = (phase: string) => ({ nodeName: '', phase });

  test.each<[string, ObjectRecord, ObjectRecord, boolean]>([
    ['an ordinal too low', of(db, 'db-2'), db, false],
    ['its first ordinal', of(db, 'db-3'), db, true],
    ['its last ordinal', of(db, 'db-4'), db, true],
    ['an ordinal too high', of(db, 'db-5'), db, false],
    ['a pod without ordinal', of(db, 'db-x'), db, false],
    ['a pod of ordinal 0, the first by default', of(first, 'db-0'), first, true],
    ['ordinal 1 of one replica', of(first, 'db-1'), first, false],
    ["a ReplicationController's pod, by default one replica", of(rc), rc, true],
    ["a ReplicaSet's pod, by default one replica", of(set), set, true],
    ['a pod of a ReplicaSet that wants none', of(set), none, false],
    ['a pod of a ReplicaSet that has succeeded', of(set, 'own', ended('Succeeded')), set, false],
    ['a pod of a Job that runs', of(runs, 'own', ended('Running')), runs, true],
    ['one that has failed', of(runs, 'own', ended('Failed')), runs, false],
    ['one that has succeeded', of(runs, 'own', ended('Succeeded')), runs, false],
    ['a pod of a Job that is suspended', of(runs, 'own', ended('Running')), paused, false],
    ['a pod of a Job that is complete', of(runs), complete, false],
    ['a ReplicaSet of an old revision', setAt('1'), web, false],
    ['a ReplicaSet of the present one', setAt('2'), web, true],
    ['one of a Deployment that is paused', setAt('2'), { ...web, facts: { paused: true } }, false],
    ['a slice that mirrors Endpoints', slice('external-x', by(endpoints)), endpoints, true],
    ['a slice of Endpoints that decline', slice('external-x', by(endpoints)), declining, false],
    ['a root certificate ConfigMap', configMap('kube-root-ca.crt'), namespace('shop'), true],
    ['its ServiceAccount default', serviceAccount('default'), namespace('shop'), true],
  ])('of %s', (_, target, other, isMade) => {
    const fate = isMade ? 'recreated' : 'deleted';
    expect(fatesOf([other, target], target)).toEqual([`${target.name}: ${fate}`]);
  });

  test('not of what is deleted with its namespace', () => {
    const shop = namespace('shop');
    expect(fatesOf([shop, configMap('kube-root-ca.crt')], shop)).toEqual([
      'shop: deleted',
      'kube-root-ca.crt: deleted',
    ]);
  });

  test('not of a pod of a DaemonSet whose Node was deleted while others exist', () => {
    const logs = daemonSet('logs', { facts: {} });
    const isMade = (nodeName: string, ...nodes: ObjectRecord[]) => {
      const own = pod('logs-a', { ...by(logs), facts: { nodeName } });
      const made = recreationOf(own, clusterAfter([logs, ...nodes]), {
        isEnabled: () => true,
        now: context.now,
        types: servedTypes,
        coversNode: () => nodes.length > 0,
        tools: [],
        isToolRead: () => true,
      });
      return made !== undefined && made.doubt === undefined;
    };
    expect([isMade('a', node('a'), node('b')), isMade('a', node('b')), isMade('a')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('not by a controller that does not run, nor of what has no controller', () => {
    const set = replicaSet('set', { facts: { replicas: 1 } });
    const own = pod('own', { ...by(set), facts: unbound });
    const loose = pod('loose', { ownerReferences: [ownedBy(set)], facts: unbound });
    expect(fatesOf([loose, set], loose)).toEqual(['loose: deleted']);
    const fateWith = (...controllers: string[]) =>
      planned([set, own], own, {}, {}, { settings: { controllers } }).objects[0]?.fate;
    expect([fateWith('*'), fateWith('*', '-replicaset-controller')]).toEqual([
      'recreated',
      'deleted',
    ]);
  });
});

describe('what a plan depends on of a target', () => {
  const [a, b] = [deployment('a'), deployment('b')];
  const both: Details = {
    finalizers: ['a.com/x', 'b.com/y'],
    ownerReferences: [ownedBy(a), ownedBy(b)],
    labels: { app: 'web', tier: 'front' },
  };

  test.each<[string, Details, string | undefined]>([
    ['nothing', {}, undefined],
    ["its finalizers' order", { finalizers: ['b.com/y', 'a.com/x'] }, undefined],
    ["its owners' order", { ownerReferences: [ownedBy(b), ownedBy(a)] }, undefined],
    ["its labels' order", { labels: { tier: 'front', app: 'web' } }, undefined],
    ['its annotations', { annotations: { 'helm.sh/hook': 'x' } }, undefined],
    ['a finalizer', { finalizers: ['a.com/x'] }, 'finalizers'],
    ['an owner', { ownerReferences: [ownedBy(a)] }, 'owner references'],
    [
      'blockOwnerDeletion',
      { ownerReferences: [ownedBy(a, blocking), ownedBy(b)] },
      'owner references',
    ],
    ['its deletionTimestamp', { deletionTimestamp: '2026-01-02T00:00:00Z' }, 'deletion'],
    ['a selecting label', { labels: { app: 'web' } }, 'labels'],
  ])('compares %s', (_, changes, what) => {
    const stateOf = (details: Details) => {
      const state = targetStateOf(configMap('c', details), 'labels');
      if (!state) throw new Error('it has no state');
      return state;
    };
    expect(stateChange(stateOf(both), stateOf({ ...both, ...changes }))?.what).toBe(what);
  });

  test('is unknown from its metadata where fields selected it', () => {
    expect(targetStateOf(configMap('c', both), 'fields')).toBeUndefined();
  });

  test('has no labels where it was named', () => {
    expect(targetStateOf(configMap('c', both), undefined)).toEqual({
      finalizers: ['a.com/x', 'b.com/y'],
      owners: [a.uid, b.uid],
      terminating: false,
    });
  });
});
