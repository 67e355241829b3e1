import { describe, expect, test } from 'vitest';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { planAnswer } from '../../../src/output/answers/plan.ts';
import { blocking, builderOf, configMap, node, ownedBy, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { ends, planned } from './planned.ts';
import { namespace } from './told.ts';

const replicaSet = builderOf('apps/v1', 'ReplicaSet');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const reporting = (name: string, status: string, reason: string, message: string, taints = []) =>
  node(name, { facts: { conditions: [{ type: 'Ready', status, reason, message }], taints } });
const well = reporting('well', 'True', 'KubeletReady', 'kubelet is posting ready status');
const lost = reporting(
  'lost',
  'Unknown',
  'NodeStatusUnknown',
  'Kubelet stopped posting node status.',
);
const web = replicaSet('web', { facts: { replicas: 2 } });
const of = (owner: typeof web) => ({
  ownerReferences: [ownedBy(owner, { ...blocking, controller: true })],
});
/** Tolerates every taint, so that it is not evicted before. */
const tolerations = [{ operator: 'Exists' }];
const on = (nodeName: string) => ({ nodeName, phase: 'Running', tolerations });
const here = pod('here', { ...of(web), facts: on('well') });
const there = pod('there', { ...of(web), facts: on('lost') });
const cluster = [well, lost, web, here, there];

test('a pod on a silent Node stays terminating, and goes once its kubelet confirms it', () => {
  expect(ends(cluster, web)).toEqual([
    'ReplicaSet web: deleted',
    'Pod here: deleted',
    'Pod there: terminating, then deleted (kubelet of lost of Pod there)',
  ]);
  const { because, rule, blockedBy, waitsFor } = planned(cluster, web).objects[2] ?? {};
  expect({ because, rule, blockedBy, waitsFor }).toEqual({
    because:
      'ReplicaSet web is gone; its node lost is not ready, so no kubelet confirms that its containers have stopped',
    rule: 'GC-22.13',
    blockedBy: [{ kind: 'kubelet', name: 'lost' }],
    waitsFor: [
      {
        kubelet: 'lost',
        object: referenceTo(there),
        alive: 'no',
        aliveBecause: 'NodeStatusUnknown: Kubelet stopped posting node status.',
      },
    ],
  });
});

test('so do its owners that wait in the foreground, its claim, and its namespace with what is in it', () => {
  const waits = 'then deleted (kubelet of lost of Pod there)';
  expect(ends(cluster, web, { policy: 'Foreground' })).toEqual([
    `ReplicaSet web: terminating, ${waits}`,
    'Pod here: deleted',
    `Pod there: terminating, ${waits}`,
  ]);
  const data = claim('data', { finalizers: ['kubernetes.io/pvc-protection'] });
  const volumes = [{ name: 'data', claimName: 'data' }];
  const using = pod('there', { facts: { ...on('lost'), volumes } });
  expect(ends([lost, using, data], [using, data])).toEqual([
    `Pod there: terminating, ${waits}`,
    `PersistentVolumeClaim data: terminating, ${waits}`,
  ]);
  const shop = namespace('shop');
  expect(ends([shop, ...cluster, configMap('settings')], shop)).toEqual([
    `Namespace shop: terminating, ${waits}`,
    `ConfigMap settings: kept, ${waits}`,
    'Pod here: deleted',
    `Pod there: terminating, ${waits}`,
    `ReplicaSet web: kept, ${waits}`,
  ]);
});

test('what a controller makes again is made again', () => {
  expect(ends(cluster, there)).toEqual([
    'Pod there: terminating, then recreated (kubelet of lost of Pod there)',
  ]);
  const { objects, remarks } = planned(cluster, there);
  expect(objects[0]?.because.split('; ').at(-1)).toBe('ReplicaSet web makes another');
  expect(remarks.map(({ code }) => code)).toEqual(['silent-node', 'recreated']);
});

test('a finalizer of others and a silent kubelet hold a pod together', () => {
  const held = pod('held', { finalizers: ['ex.com/hold'], facts: on('lost') });
  expect(ends([lost, held], held)).toEqual([
    'Pod held: terminating, then deleted (ex.com/hold of Pod held, kubelet of lost of Pod held)',
  ]);
  expect(planned([lost, held], held).objects[0]?.blockedBy).toEqual([
    { kind: 'finalizer', name: 'ex.com/hold' },
    { kind: 'kubelet', name: 'lost' },
  ]);
});

test('other pods that wait for the same kubelet are no part of the plan', () => {
  const going = {
    deletionTimestamp: '2026-01-02T00:00:00Z',
    deletionGracePeriodSeconds: 30,
  };
  const other = pod('other', { ...going, facts: on('lost') });
  expect(ends([...cluster, other], web)).toEqual(ends(cluster, web));
});

describe('what does not wait for a kubelet goes', () => {
  const bare = (facts: object) => pod('bare', { facts });
  test.each([
    ['a pod that has ended', [lost], bare({ ...on('lost'), phase: 'Failed' }), {}],
    ['a pod on no Node', [lost], bare({ ...on('') }), {}],
    ['with a grace period of 0', [lost], bare(on('lost')), { gracePeriodSeconds: 0 }],
    ['a pod on a Node that is gone, by pod garbage collection', [lost], bare(on('gone')), {}],
    ['a pod of a Node that was not read', [], bare(on('lost')), {}],
    ['a pod of a Node without the condition Ready', [node('lost')], bare(on('lost')), {}],
  ])('%s', (_, nodes, one, intent) => {
    expect(ends([...nodes, one], one, intent)).toEqual(['Pod bare: deleted']);
  });

  test('on a Node that is out of service, by pod garbage collection', () => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    const off = node('lost', { facts: { ...lost.facts, taints } });
    expect(ends([off, well, web, there], web)).toEqual([
      'ReplicaSet web: deleted',
      'Pod there: deleted',
    ]);
  });

  test('with its Node', () => {
    expect(ends([lost, bare(on('lost'))], lost)).toEqual([
      'Node lost: deleted',
      'Pod bare: deleted',
    ]);
  });
});

describe('the remark', () => {
  const messages = (...given: Parameters<typeof planned>) =>
    planned(...given)
      .remarks.filter(({ code }) => code === 'silent-node')
      .map(({ severity, message }) => `${severity}: ${message}`);
  const ways =
    'If the machine is certainly off, delete the Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.';

  test('says which Node is silent and what frees its pods', () => {
    expect(messages(cluster, web)).toEqual([
      `warning: Node lost is not ready (NodeStatusUnknown: Kubelet stopped posting node status.), so its kubelet does not confirm that the containers of Pod there have stopped: it stays terminating. Bring node lost back. ${ways}`,
    ]);
    expect(messages(cluster, here)).toEqual([]);
  });

  test('names several together', () => {
    const dark = reporting('dark', 'False', 'KubeletNotReady', 'container runtime is down');
    const second = pod('second', { ...of(web), facts: on('dark') });
    expect(messages([...cluster, dark, second], web)).toEqual([
      `warning: Nodes dark, lost are not ready, so their kubelets do not confirm that the containers of Pod second, Pod there have stopped: they stay terminating. Bring the Nodes back. ${ways.replace('the machine', 'a machine').replace('the Node or', 'its Node or')}`,
    ]);
  });

  test('of a Node that could not be read on a cluster, says what that may mean', () => {
    const options = {
      coverage: {
        read: [
          { resource: 'pods', namespaces: ['shop'] },
          { resource: 'replicasets.apps', namespaces: ['shop'] },
        ],
        asked: [{ resource: 'nodes', namespace: '', name: 'well' }],
        problems: [],
      },
    };
    const records = [well, web, here, there];
    expect(ends(records, web, {}, options)).toEqual([
      'ReplicaSet web: deleted',
      'Pod here: deleted',
      'Pod there: deleted',
    ]);
    const plan = planned(records, web, {}, options);
    expect(plan.remarks.map(({ message }) => message)).toEqual([
      'Node lost was not read: where its kubelet does not answer, Pod there stays terminating.',
    ]);
  });
});

const conditions = rowsOf(`
  Unknown | NodeStatusUnknown | Kubelet stopped posting node status.                          | terminating
  False   | KubeletNotReady   | container runtime is down                                     | terminating
  False   | KubeletNotReady   | container runtime not ready: RuntimeReady=false               | terminating
  False   | KubeletNotReady   | PLEG is not healthy: pleg was last seen active 3m             | terminating
  False | KubeletNotReady | [container runtime network not ready: cni config uninitialized, container runtime is down]
      | terminating
  False   | KubeletNotReady   | container runtime network not ready: cni config               | deleted
  False   | KubeletNotReady   | node is shutting down                                         | deleted
  False   |                   |                                                               | deleted
  True    | KubeletReady      | kubelet is posting ready status                               | deleted
`);
test.each(conditions)(
  'with Ready %s, %s, %s its pods are %s: a kubelet that is there ends pods unless its runtime fails',
  (status = '', reason = '', message = '', fate) => {
    const node = reporting('some', status, reason, message);
    const second = pod('second', { ...of(web), facts: on('some') });
    const { objects } = planned([web, node, second], web);
    expect(objects.find(({ name }) => name === 'second')?.fate).toBe(fate);
  },
);

test('the last line says what it waits for, a Node once', () => {
  const more = pod('more', { ...of(web), facts: on('lost') });
  const look = { colour: false, width: undefined, now: 0 };
  expect(
    planAnswer
      .table(planned([...cluster, more], web), look)
      .split('\n')
      .at(-2),
  ).toBe(
    '4 objects go: 3 Pods, 1 ReplicaSet; 2 of them only once the kubelet of Node lost (not ready: NodeStatusUnknown: Kubelet stopped posting node status.) confirms that 2 Pods have stopped.',
  );
});
