import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ClusterState } from '../../../src/simulator/engine/cluster-state.ts';
import { configMap, deployment, node, pod, secret, servedTypes } from '../../support/builders.ts';

const names = (records: Iterable<ObjectRecord>) => [...records].map(({ name }) => name);

function stateOf(...records: ObjectRecord[]): ClusterState {
  return new ClusterState(servedTypes, records);
}

describe('what is stored', () => {
  const away = configMap('c', { namespace: 'depot' });
  const state = stateOf(configMap('a'), configMap('b'), away, node('worker'), deployment('web'));

  test('is found by its name, and by every version of its kind', () => {
    expect(state.get(configMap('a').type, 'shop', 'a')?.name).toBe('a');
    expect(state.get(configMap('a').type, 'depot', 'a')).toBeUndefined();
    expect(state.at('deployments.apps', 'shop', 'web')?.name).toBe('web');
    expect(state.at('deployments', 'shop', 'web')).toBeUndefined();
    const older = { ...deployment('web').type, version: 'v1beta1' };
    expect(state.get(older, 'shop', 'web')?.name).toBe('web');
  });

  test('is listed by kind and namespace', () => {
    const { type } = configMap('a');
    expect(names(state.list(type, 'shop'))).toEqual(['a', 'b']);
    expect(names(state.listAll(type))).toEqual(['a', 'b', 'c']);
    expect([state.isEmpty(type, 'depot'), state.isEmpty(type, 'empty')]).toEqual([false, true]);
    expect(names(state.ofResource('configmaps'))).toEqual(['a', 'b', 'c']);
    expect(names(state.ofResource('configmaps', 'depot'))).toEqual(['c']);
    expect(names(state.ofResource('configmaps', 'empty'))).toEqual([]);
    expect(names(state.ofResource('secrets'))).toEqual([]);
    expect(names(state.all())).toEqual(['a', 'b', 'c', 'worker', 'web']);
    expect([state.holds('nodes'), state.holds('secrets')]).toEqual([true, false]);
    const absent = secret('a').type;
    const found = [state.list(absent, 'shop'), state.listAll(absent), state.list(type, 'x')];
    expect(found.flat()).toEqual([]);
    expect([state.count, state.at('configmaps', 'x', 'a')]).toEqual([5, undefined]);
  });

  test('is one list for all versions of a kind', () => {
    const web = deployment('web');
    const old = { ...deployment('old'), type: { ...web.type, version: 'v1beta1' } };
    expect(names(stateOf(web, old).list(web.type, 'shop'))).toEqual(['web', 'old']);
  });
});

describe('objects that contradict each other', () => {
  test.each([
    ['name', configMap('a', { uid: 'another' })],
    ['uid', configMap('b', { uid: configMap('a').uid })],
  ])('keep the first alone: by their %s', (_, second) => {
    const state = stateOf(configMap('a'), second);
    expect([state.contradicting, names(state.all()), state.count]).toEqual([[second], ['a'], 1]);
  });

  test('are none where they have no uid', () => {
    const state = stateOf(configMap('a', { uid: '' }), configMap('b', { uid: '' }));
    expect([state.contradicting, names(state.all())]).toEqual([[], ['a', 'b']]);
  });
});

describe('a write', () => {
  test('replaces the record under a version that is newer than all, and notifies', () => {
    const old = configMap('a', { resourceVersion: '41' });
    const state = stateOf(old, configMap('b', { resourceVersion: '7' }));
    const told: unknown[] = [];
    state.watch(({ before, after }) => told.push([before?.name, after?.resourceVersion]));
    const stored = state.update(old, { ...old, labels: { app: 'web' } });
    expect([stored.resourceVersion, stored.labels]).toEqual(['42', { app: 'web' }]);
    expect(state.current(old)).toBe(stored);
    expect([...state.touched]).toEqual([old]);
    const created = state.create(pod('new'));
    expect([created.resourceVersion, names(state.created)]).toEqual(['43', ['new']]);
    state.remove(stored);
    expect(state.current(old)).toBeUndefined();
    expect(told).toEqual([
      ['a', '42'],
      [undefined, '43'],
      ['a', undefined],
    ]);
    expect([state.changes, state.holds('configmaps')]).toEqual([3, true]);
    expect([...state.touched]).toEqual([old, stored]);
  });

  test('leaves no kind behind without objects', () => {
    const only = configMap('a');
    const state = stateOf(only);
    state.remove(only);
    expect([state.holds('configmaps'), state.isEmpty(only.type, 'shop')]).toEqual([false, true]);
  });

  test('that makes an object of the same name again is about another object', () => {
    const old = configMap('a');
    const state = stateOf(old);
    state.remove(old);
    state.create(configMap('a', { uid: 'another' }));
    expect(state.current(old)).toBeUndefined();
    expect(state.get(old.type, 'shop', 'a')?.uid).toBe('another');
  });
});
