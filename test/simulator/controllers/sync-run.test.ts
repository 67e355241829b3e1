import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import type {
  Decision,
  PlayMemory,
  SyncController,
  SyncInput,
} from '../../../src/controllers/controller.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { liveObjects } from '../../../src/simulator/controllers/indexes.ts';
import { type SimulatedSync, SyncRun } from '../../../src/simulator/controllers/sync-run.ts';
import { configMap, secret, snapshotOf } from '../../support/builders.ts';
import { alone, began, decisionOn } from './alone.ts';

interface Script extends Partial<Omit<SyncController, 'runsAs'>> {
  readonly decides?: (record: ObjectRecord, by: SyncInput) => readonly Decision[];
  readonly ranBefore?: boolean;
}

/** A controller of ConfigMaps that decides as the script says, told of every write. */
function runOf(
  records: readonly ObjectRecord[],
  { decides, ranBefore = false, ...script }: Script = {},
) {
  const cluster = alone(records);
  const looks: string[] = [];
  const controller: SimulatedSync = {
    id: 'pod-garbage-collector',
    runsAs: 'pod-garbage-collector-controller',
    syncs: 'configmaps',
    watches: ['configmaps', 'secrets'],
    isElsewhere: false,
    index: { resource: 'configmaps', keysOf: () => [] },
    sync: (record, by) => {
      const isFirst = by.trigger !== 'change';
      looks.push(`${by.now - began} ${record.name}${isFirst ? ' first' : ''}`);
      return decides?.(record, by) ?? [];
    },
    ...script,
  };
  const view = { ...viewOf(snapshotOf(records)), ...liveObjects(cluster.state) };
  const by = { view, settings: defaultControllerSettings, memory: {} as PlayMemory };
  const run = new SyncRun(controller, cluster.context, by, ranBefore);
  cluster.state.watch((change) => run.see(change));
  return { ...cluster, run, looks };
}

describe('it looks', () => {
  test('at all that is there when it starts, and that it has to do with', () => {
    const { run, looks, pass } = runOf(
      [configMap('a'), configMap('b'), configMap('c', { uid: '' }), secret('s')],
      {
        needsSync: ({ name }) => name !== 'b',
      },
    );
    run.start(3);
    pass(100);
    expect(looks).toEqual(['3 a first']);
  });

  test('at an object of its kinds that is written, a moment later, once for several writes', () => {
    const { looks, pass, touch, state } = runOf([configMap('a')]);
    pass(50);
    touch(configMap('a'));
    touch(configMap('a'));
    state.create(configMap('new'));
    pass(50);
    touch(configMap('a'));
    pass(50);
    expect(looks).toEqual(['51 a', '51 new', '101 a']);
  });

  test('at no object that is deleted by then', () => {
    const { run, looks, pass, state } = runOf([configMap('a')]);
    run.start(5);
    state.remove(state.at('configmaps', 'shop', 'a') as ObjectRecord);
    pass(100);
    expect(looks).toEqual([]);
  });

  test('again at the time of what it found, as if it were the first look still', () => {
    const later = { notBefore: began + 500, notAfter: began + 500 };
    const { run, looks, pass, told } = runOf([configMap('a')], {
      decides: (record) => [decisionOn(record, later)],
    });
    run.start(0);
    pass(1000);
    expect(looks).toEqual(['0 a first', '500 a first']);
    expect(told()).toEqual(['501ms pod-garbage-collector-controller delete a removed']);
  });
});

describe('it sends', () => {
  test('what is certain and due, and nothing that would change nothing', () => {
    const { run, pass, told, touch } = runOf([configMap('a', { finalizers: ['x/z'] })], {
      decides: (record) => [
        decisionOn(record, { confidence: 'likely', rule: 'PG-4' }),
        decisionOn(record),
      ],
    });
    run.start(0);
    pass(100);
    const deletion = 'pod-garbage-collector-controller delete a';
    expect(told()).toEqual([`1ms ${deletion} terminating`]);
    touch(configMap('a'));
    pass(100);
    expect(told()).toEqual([`1ms ${deletion} terminating`]);
    expect(run.dues.map(({ decision: { confidence } }) => confidence)).toEqual([
      'likely',
      'certain',
    ]);
  });

  test('with the range in which it may do so, where it is not known exactly', () => {
    const { run, pass, told } = runOf([configMap('a')], {
      ranBefore: true,
      decides: (record) => [decisionOn(record, { notAfter: began + 5000 })],
    });
    run.start(0);
    pass(100);
    expect(told()).toEqual(['1ms pod-garbage-collector-controller delete a removed 0s..5s']);
    expect(
      [...run.timings.values()].map(({ done, from, to }) => [
        done,
        from - began,
        to === undefined ? to : to - began,
      ]),
    ).toEqual([[true, 0, 5000]]);
  });
});

test('a doubt stays until the object is looked at again', () => {
  let isDoubtful = true;
  const { run, pass, touch, told } = runOf([configMap('a')], {
    decides: (record) =>
      isDoubtful ? [decisionOn(record, { confidence: 'likely', notBefore: began + 70 })] : [],
  });
  run.start(0);
  pass(100);
  expect(
    run.doubts.map(({ object, because, from }) => [object.name, because, from - began]),
  ).toEqual([['a', 'it has ended', 70]]);
  isDoubtful = false;
  touch(configMap('a'));
  pass(100);
  expect([run.doubts, told()]).toEqual([[], []]);
});

test('its links count once it has found something, or looked at what changed', () => {
  const links = { configmaps: ({ name }: ObjectRecord) => [name] };
  const { run, pass, touch } = runOf([configMap('a')], { links });
  run.start(0);
  pass(100);
  expect(run.links).toBeUndefined();
  touch(configMap('a'));
  pass(100);
  expect(run.links?.(configMap('b'))).toEqual(['b']);
  const found = runOf([configMap('a')], {
    links,
    decides: (record) => [decisionOn(record, { confidence: 'likely' })],
  });
  found.run.start(0);
  found.pass(100);
  expect(found.run.links?.(configMap('b'))).toEqual(['b']);
  const without = runOf([configMap('a')]);
  without.touch(configMap('a'));
  without.pass(100);
  expect(without.run.links).toBeUndefined();
});

test('an index follows what is written of its kind', () => {
  const { state } = alone([
    configMap('a', { labels: { app: 'x' } }),
    configMap('b', { labels: { app: 'x' } }),
    configMap('u', { uid: '', labels: { app: 'x' } }),
  ]);
  const byApp = {
    resource: 'configmaps',
    keysOf: ({ labels }: ObjectRecord) => Object.values(labels ?? {}),
  };
  const live = liveObjects(state);
  const index = live.index(byApp);
  expect(live.index(byApp)).toBe(index);
  const names = (key: string) => index.get(key).map(({ name }) => name);
  expect([names('x'), index.count('x'), names('y'), index.count('y')]).toEqual([
    ['a', 'b'],
    2,
    [],
    0,
  ]);
  const a = state.at('configmaps', 'shop', 'a') as ObjectRecord;
  const moved = state.update(a, { ...a, labels: { app: 'y' } });
  state.create(secret('s', { labels: { app: 'y' } }));
  state.create(configMap('c', { labels: { app: 'x' } }));
  expect([names('x'), names('y')]).toEqual([['b', 'c'], ['a']]);
  state.remove(moved);
  expect([names('y'), index.count('y')]).toEqual([[], 0]);
});
