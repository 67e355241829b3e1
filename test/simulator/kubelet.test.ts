import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import type { RunContext } from '../../src/simulator/engine/run-context.ts';
import { hasKubelet, startKubelets } from '../../src/simulator/kubelet.ts';
import { configMap, node, pod } from '../support/builders.ts';
import { alone } from './controllers/alone.ts';

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

  test('sees a deletion that begins, and a shorter grace period', () => {
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

const reporting = (status: string, message = '') =>
  node('worker', { facts: { conditions: [{ type: 'Ready', status, message }] } });

test('a pod has a kubelet on a Node that is not silent, was not read, or where it is confirmed all the same', () => {
  const bound = pod('a', on('worker'));
  const has = (record: ObjectRecord, nodes: ObjectRecord[], changes: Partial<RunContext> = {}) =>
    hasKubelet(alone([record, ...nodes], changes).context, record);
  expect({
    onNoNode: has(pod('a', on('')), []),
    onOneThatWasNotRead: has(bound, []),
    onOneThatIsGone: has(bound, [node('other')], { coversNode: () => true }),
    onOneThatIsReady: has(bound, [reporting('True')]),
    withoutItsRuntime: has(bound, [reporting('False', 'container runtime is down')]),
    notReadyOtherwise: has(bound, [reporting('False')]),
    notReporting: has(bound, [reporting('Unknown')]),
    withoutTheCondition: has(bound, [node('worker')]),
    confirmed: has(bound, [reporting('Unknown')], { confirmed: new Set([bound.uid]) }),
  }).toEqual({
    onNoNode: false,
    onOneThatWasNotRead: true,
    onOneThatIsGone: false,
    onOneThatIsReady: true,
    withoutItsRuntime: false,
    notReadyOtherwise: true,
    notReporting: false,
    withoutTheCondition: true,
    confirmed: true,
  });
});
