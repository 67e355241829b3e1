import { describe, expect, test } from 'vitest';
import type { ClusterView } from '../../../src/controllers/cluster-view.ts';
import type { PassContext, ScheduledDecision } from '../../../src/controllers/controller.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { ControllerSettings } from '../../../src/settings/controller-settings.ts';
import {
  PassRun,
  type PassTimes,
  type SimulatedPass,
} from '../../../src/simulator/controllers/pass-run.ts';
import { configMap, secret } from '../../support/builders.ts';
import { alone, began, decisionOn } from './alone.ts';

interface Script extends Partial<SimulatedPass> {
  readonly finds?: (moment: PassContext) => readonly ScheduledDecision[];
  readonly times?: Partial<PassTimes>;
}

/** A controller that decides by ConfigMaps, as the script says, with a pass every ten seconds from 3 s on, told of every write. */
function runOf(records: readonly ObjectRecord[], { finds, times, ...script }: Script = {}) {
  const cluster = alone(records);
  const looks: string[] = [];
  const controller: SimulatedPass = {
    id: 'pod-garbage-collector',
    runsAs: 'pod-garbage-collector-controller',
    isElsewhere: false,
    controllers: [],
    pass: () => [],
    reads: ['configmaps'],
    passes: { period: 10_000, afterStart: () => 0 },
    needsPass: ({ type }) => type.kind === 'ConfigMap',
    begin: () => (_view, _settings, moment) => {
      looks.push(`${moment.now - began} since ${moment.since - began}`);
      return finds?.(moment) ?? [];
    },
    ...script,
  };
  const run = new PassRun(
    controller,
    cluster.context,
    {} as ClusterView,
    {} as ControllerSettings,
    {
      first: began + 3000,
      isGuess: false,
      ...times,
    },
  );
  cluster.state.watch((change) => run.see(change));
  return { ...cluster, run, looks };
}

/** ScheduledDecision at this second of the run, and possible so many seconds later. */
function dueAt(
  object: ObjectRecord,
  second: number,
  changes: Partial<ScheduledDecision> = {},
  decision = {},
): ScheduledDecision {
  const at = began + second * 1000;
  return {
    decision: decisionOn(object, decision),
    at,
    from: at,
    to: at,
    inGroup: false,
    ...changes,
  };
}

describe('it looks', () => {
  test('at the start only where an object is due, and distinguishes its first pass from those after a change', () => {
    const firsts: boolean[] = [];
    const script: Script = {
      isDueAtStart: ({ name }) => name === 'b',
      finds: ({ isFirst }) => {
        firsts.push(isFirst);
        return [];
      },
    };
    const quiet = runOf([configMap('a')], script);
    quiet.run.start();
    quiet.pass(20_000);
    expect(firsts).toEqual([]);
    quiet.touch(configMap('a'));
    quiet.pass(20_000);
    expect(firsts).toEqual([false]);
    const busy = runOf([configMap('a'), configMap('b')], script);
    busy.run.start();
    busy.pass(20_000);
    busy.touch(configMap('a'));
    busy.pass(20_000);
    expect(firsts).toEqual([false, true, false]);
  });

  test('in its first pass when something is there that it has to do with, never when nothing is, and not again', () => {
    const none = [secret('s'), configMap('u', { uid: '' })];
    const looksAt = (...records: ObjectRecord[]) => {
      const { run, looks, pass } = runOf([...none, ...records]);
      run.start();
      pass(60_000);
      return looks;
    };
    expect([looksAt(configMap('a'), configMap('b')), looksAt()]).toEqual([['3000 since 0'], []]);
  });

  test('in the next pass after a write, once for several', () => {
    const { looks, pass, touch, state } = runOf([configMap('a'), secret('s')]);
    pass(4000);
    touch(configMap('a'));
    pass(2000);
    state.create(configMap('new'));
    touch(secret('s'));
    pass(60_000);
    expect(looks).toEqual(['13000 since 4000']);
  });

  test('in a pass that comes at the very time, and in the first where that is later', () => {
    const { looks, pass, touch } = runOf([configMap('a')]);
    pass(1000);
    touch(configMap('a'));
    pass(11_999);
    touch(configMap('a'));
    pass(60_000);
    expect(looks).toEqual(['3000 since 1000', '13000 since 12999']);
  });

  test('immediately where it makes no passes, and not before it has begun', () => {
    const { looks, pass, touch } = runOf([configMap('a')], { passes: undefined });
    touch(configMap('a'));
    pass(5000);
    touch(configMap('a'));
    pass(5000);
    expect(looks).toEqual(['3000 since 0', '5001 since 5000']);
  });

  test('after a deletion only where that makes an object due', () => {
    const triggersOnDelete = ({ name }: ObjectRecord) => name === 'a';
    const { looks, pass, state } = runOf([configMap('a'), configMap('b')], { triggersOnDelete });
    state.remove(state.at('configmaps', 'shop', 'b') as ObjectRecord);
    pass(20_000);
    expect(looks).toEqual([]);
    state.remove(state.at('configmaps', 'shop', 'a') as ObjectRecord);
    pass(20_000);
    expect(looks).toEqual(['23000 since 20000']);
    const deaf = runOf([configMap('a')]);
    deaf.state.remove(deaf.state.at('configmaps', 'shop', 'a') as ObjectRecord);
    deaf.pass(20_000);
    expect(deaf.looks).toEqual([]);
  });
});

describe('it sends', () => {
  const deleted = 'pod-garbage-collector-controller delete a removed';

  test('what is due, and in a later pass what is due then, the earliest first', () => {
    const objects = [configMap('a'), configMap('b'), configMap('c')];
    const { run, looks, pass, told, state } = runOf(objects, {
      finds: () =>
        [dueAt(configMap('b'), 40), dueAt(configMap('c'), 14), dueAt(configMap('a'), 3)].filter(
          ({ decision: { object } }) => state.current(object),
        ),
    });
    run.start();
    pass(100_000);
    expect(looks.map((look) => look.split(' ')[0])).toEqual(['3000', '23000', '43000']);
    expect(told()).toEqual([
      '3001ms pod-garbage-collector-controller delete a removed',
      '23001ms pod-garbage-collector-controller delete c removed',
      '43001ms pod-garbage-collector-controller delete b removed',
    ]);
  });

  test('with the range in which it may, where that is more than a moment', () => {
    const { run, pass, told } = runOf([configMap('a')], {
      finds: () => [dueAt(configMap('a'), 3, { from: began, to: began + 9000 })],
    });
    run.start();
    pass(20_000);
    expect(told()).toEqual([`3001ms ${deleted} 0s..9s`]);
    expect([...run.timings.values()].map(({ done }) => done)).toEqual([true]);
    const exact = runOf([configMap('a')], { finds: () => [dueAt(configMap('a'), 3)] });
    exact.run.start();
    exact.pass(20_000);
    expect([exact.told(), exact.run.timings.size]).toEqual([[`3001ms ${deleted}`], 0]);
  });

  test('nothing again of which its last request left the object as it is', () => {
    const held = configMap('a', { finalizers: ['x/y'] });
    const { run, pass, told, touch, state } = runOf([held, configMap('b')], {
      finds: () => [dueAt(state.current(held) ?? held, 0)],
    });
    run.start();
    pass(10_000);
    touch(configMap('b'));
    pass(20_000);
    expect(told()).toEqual(['3001ms pod-garbage-collector-controller delete a terminating']);
    expect(run.dues).toHaveLength(1);
  });

  test('nothing that is uncertain: that is a doubt', () => {
    const { run, pass, told, looks } = runOf([configMap('a')], {
      finds: () => [
        dueAt(configMap('a'), 3, {}, { confidence: 'likely' }),
        dueAt(configMap('a'), 30, {}, { confidence: 'likely' }),
      ],
    });
    run.start();
    pass(100_000);
    expect([told(), looks.length]).toEqual([[], 1]);
    expect(
      run.doubts.map(({ object, because, from }) => [object.name, because, from - began]),
    ).toEqual([['a', 'it has ended', 30_000]]);
  });
});

test('the first decision of a pass about one object counts, unless it was uncertain', () => {
  const found = [
    dueAt(configMap('a'), 30, {}, { confidence: 'likely', rule: 'PG-1' }),
    dueAt(configMap('a'), 31, {}, { rule: 'PG-2' }),
    dueAt(configMap('a'), 32, {}, { rule: 'PG-3' }),
    dueAt(configMap('a'), 33, {}, { confidence: 'likely', rule: 'PG-4' }),
  ];
  const { run, pass } = runOf([configMap('a')], { finds: () => found });
  run.start();
  pass(5000);
  expect(run.dues.map(({ decision: { rule } }) => rule)).toEqual(['PG-2']);
});

test('groups join objects once some were judged together', () => {
  const groupOf = ({ name }: ObjectRecord) => (name === 'alone' ? undefined : 'pair');
  const judged = (inGroup: boolean, more: Script = {}) => {
    const { run, pass } = runOf([configMap('a')], {
      groupOf,
      finds: () => [dueAt(configMap('a'), 30, { inGroup })],
      ...more,
    });
    run.start();
    pass(5000);
    return run.links;
  };
  expect(judged(false)).toBeUndefined();
  expect(judged(true)?.(configMap('b'))).toEqual(['pair']);
  expect(judged(true)?.(configMap('alone'))).toEqual([]);
  expect(judged(true, { groupOf: () => undefined })?.(configMap('b'))).toEqual([]);
});
