import { describe, expect, test } from 'vitest';
import type { DeletionIntent } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { inContentOrder } from '../../../src/snapshot/snapshot.ts';
import { builderOf, configMap, deployment, ownedBy, pod, secret } from '../../support/builders.ts';
import { planned } from './planned.ts';
import { namespace } from './told.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');

describe('a plan made from files names the kinds that they do not hold', () => {
  const web = deployment('web');
  const kept = configMap('kept');
  const missing = (
    records: readonly ObjectRecord[],
    targets: readonly ObjectRecord[],
    intent: Partial<DeletionIntent> = {},
  ) =>
    planned(records, targets, intent, {
      origin: { kind: 'files', paths: ['cluster.yaml'] } as never,
      unread: ['replicasets.apps', 'pods'],
    }).coverage.problems.map(({ resource }) => resource);

  test('and that may contain dependents', () => {
    expect(missing([web, kept], [web])).toEqual(['replicasets.apps', 'pods']);
    // An operator may name a ConfigMap as an owner of anything.
    expect(missing([web, kept], [kept])).toEqual(['pods', 'replicasets.apps']);
    // What stays takes nothing along.
    expect(missing([web, namespace('kube-system')], [namespace('kube-system')])).toEqual([]);
  });

  test('not with Orphan, but for a namespace', () => {
    const shop = namespace('shop');
    const policy = 'Orphan';
    expect(missing([web], [web], { policy })).toEqual([]);
    expect(missing([shop, web], [web, shop], { policy })).toContain('replicasets.apps');
  });
});

test('contradictions in the input are reported', () => {
  const twins = [configMap('a', { uid: 'u1' }), configMap('a', { uid: 'u2' })];
  const other = configMap('other');
  expect(planned([...twins, other], other).coverage.problems).toHaveLength(1);
});

test('a plan names the undetermined objects that it affects, by name', () => {
  const held = ['b', 'a'].map((name) => {
    const owner = configMap(name, { deleting: 'foreground' });
    return [owner, secret(`of-${name}`, { ownerReferences: [ownedBy(owner)], deleting: 'orphan' })];
  });
  const { undetermined, objects } = planned(held.flat(), configMap('elsewhere'));
  const names = new Set(objects.map(({ name }) => name));
  expect(undetermined.filter(({ object }) => !names.has(object.name))).toEqual([]);
});

test('a pod that serves one Node says which', () => {
  const logs = builderOf('apps/v1', 'DaemonSet')('logs');
  const own = pod('logs-x', {
    ownerReferences: [ownedBy(logs, { controller: true })],
    facts: { nodeName: 'a' },
  });
  const [first, second] = planned([own, configMap('c')], [own, configMap('c')]).objects;
  expect([first?.servesNode, second]).toEqual([
    'a',
    expect.not.objectContaining({ servesNode: 'a' }),
  ]);
  expect(second && 'servesNode' in second).toBe(false);
});

describe('another is made', () => {
  const set = statefulSet('db', { facts: { replicas: 1 } });
  const member = (details = {}) =>
    pod('db-0', {
      ownerReferences: [ownedBy(set, { controller: true })],
      facts: { nodeName: '' },
      ...details,
    });
  const fateOf = (records: readonly ObjectRecord[], targets: readonly ObjectRecord[]) => {
    const { objects } = planned(records, targets);
    const { fate, then } = objects.find(({ name }) => name === 'db-0') ?? {};
    return [fate, then];
  };

  test('also of what is deleted only once a finalizer is removed', () => {
    // Another namespace that is being deleted does not matter.
    const elsewhere = namespace('elsewhere', { deleting: 'background' });
    expect(fateOf([elsewhere, set, member()], [member()])).toEqual(['recreated', undefined]);
    expect(
      fateOf([set, member({ finalizers: ['x.com/y'] })], [member({ finalizers: ['x.com/y'] })]),
    ).toEqual(['terminating', 'recreated']);
  });
});

test('objects come by uid, and by their content where they have none', () => {
  const [one, two] = [configMap('b', { uid: '1' }), configMap('a', { uid: '2' })];
  expect(inContentOrder([two, one])).toEqual([one, two]);
  const applied = ['a', 'b'].map((name) => configMap(name, { uid: '' }));
  expect(inContentOrder(applied.toReversed())).toEqual(applied);
  const versions = ['1', '2'].map((resourceVersion) =>
    configMap('a', { uid: '', resourceVersion }),
  );
  expect(inContentOrder(versions.toReversed())).toEqual(versions);
});
