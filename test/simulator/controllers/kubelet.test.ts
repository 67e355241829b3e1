import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { hasKubelet, startKubelets } from '../../../src/simulator/controllers/kubelet.ts';
import type { RunContext } from '../../../src/simulator/engine/run-context.ts';
import { configMap, node, pod } from '../../support/builders.ts';
import { alone } from './alone.ts';

const on = (nodeName: string) => ({ facts: { nodeName } });
const going = (seconds: number, grace = 30) => ({
  deletionTimestamp: new Date(Date.parse('2026-02-01T00:00:00Z') + seconds * 1000).toISOString(),
  deletionGracePeriodSeconds: grace,
});

describe('a kubelet', () => {
  test('confirms what is being deleted when its grace period is over, also if that was before', () => {
    const { context, pass, told } = alone([
      pod('a', { ...on('worker'), ...going(10) }),
      pod('over', { ...on('worker'), ...going(-10) }),
      pod('forced', { ...on('worker'), ...going(5, 0) }),
      pod('unbound', { ...on(''), ...going(5) }),
      pod('alive', on('worker')),
    ]);
    startKubelets(context);
    pass(60_000);
    expect(told()).toEqual(['0ms kubelet delete over removed', '10000ms kubelet delete a removed']);
  });

  test('is told of a deletion that begins, and of a shorter grace period', () => {
    const { context, state, pass, told } = alone([
      pod('a', on('worker')),
      pod('b', on('worker')),
      configMap('c'),
    ]);
    startKubelets(context);
    pass(1000);
    const write = (name: string, changes: Partial<ObjectRecord>) => {
      const live = state.at(name === 'c' ? 'configmaps' : 'pods', 'shop', name) as ObjectRecord;
      state.update(live, { ...live, ...changes });
    };
    write('a', going(31));
    write('b', going(40));
    write('c', going(2));
    pass(5000);
    write('a', going(8, 2));
    write('b', { labels: { app: 'web' } });
    pass(60_000);
    expect(told()).toEqual(['8000ms kubelet delete a removed', '40000ms kubelet delete b removed']);
  });

  test('leaves a pod that came back under its name', () => {
    const { context, state, pass, told } = alone([pod('a', { ...on('worker'), ...going(10) })]);
    startKubelets(context);
    state.remove(state.at('pods', 'shop', 'a') as ObjectRecord);
    state.create(pod('a', { ...on('worker'), uid: 'another' }));
    pass(60_000);
    expect(told()).toEqual([]);
  });
});

const bound = pod('a', on('worker'));
const reporting = (status: string, message = '') =>
  node('worker', { facts: { conditions: [{ type: 'Ready', status, message }] } });

test.each<[string, ObjectRecord, readonly ObjectRecord[], Partial<RunContext>, boolean]>([
  ['a pod on no Node has none', pod('a', on('')), [], {}, false],
  ['a Node that was not read is taken to have one', bound, [], {}, true],
  ['a Node that is gone has none', bound, [node('other')], { coversNode: () => true }, false],
  ['a Node that is ready has one', bound, [reporting('True')], {}, true],
  [
    'a Node whose container runtime fails is silent',
    bound,
    [reporting('False', 'container runtime is down')],
    {},
    false,
  ],
  ['a Node that is not ready for another reason has one', bound, [reporting('False')], {}, true],
  ['a Node that stopped reporting is silent', bound, [reporting('Unknown')], {}, false],
  ['a Node without the condition Ready is taken to have one', bound, [node('worker')], {}, true],
  [
    'what is confirmed all the same is confirmed',
    bound,
    [reporting('Unknown')],
    { confirmed: new Set([bound.uid]) },
    true,
  ],
])('%s', (_, record, nodes, changes, has) => {
  const { context } = alone([record, ...nodes], changes);
  expect(hasKubelet(context, record)).toBe(has);
});
