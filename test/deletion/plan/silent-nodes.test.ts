import { describe, expect, test } from 'vitest';
import { planAnswer } from '../../../src/questions/delete/text.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { endsOf, fatesOfPlan } from './planned.ts';
import { casesOfPlans, outcomesOf, plansFrom, remarksOf } from './told.ts';

/** Tolerates every taint, so that it is not evicted before. */
const on = (node: string, more = '') =>
  `{facts: {nodeName: "${node}", phase: Running, tolerations: [{operator: Exists}]${more}}}`;
const ready = (status: string, reason: string, message: string, more = '') =>
  `{facts: {conditions: [{type: Ready, status: "${status}", reason: "${reason}", message: "${message}"}]${more}}}`;
const stopped = ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'] as const;
const objects = `
  well   | Node well | ${ready('True', 'KubeletReady', 'kubelet is posting ready status')}
  lost   | Node lost | ${ready(...stopped)}
  dark   | Node dark | ${ready('False', 'KubeletNotReady', 'container runtime is down')}
  off    | Node lost | ${ready(...stopped, ', taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]')}
  blank  | Node lost
  never  | Node lost | {creationTimestamp: "2026-01-01T00:00:00Z", facts: {}}
  some   | Node some
  shop   | Namespace shop
  map    | ConfigMap settings
  web    | ReplicaSet web | {facts: {replicas: 3}}
  here   | Pod here   | ${on('well')}
  there  | Pod there  | ${on('lost')}
  more   | Pod more   | ${on('lost')}
  second | Pod second | ${on('dark')}
  on     | Pod second | ${on('some')}
  data   | PersistentVolumeClaim data | {finalizers: [kubernetes.io/pvc-protection]}
  using  | Pod there  | ${on('lost', ', volumes: [{name: data, claimName: data}]')}
  held   | Pod held   | ${on('lost').replace('{', '{finalizers: [ex.com/hold], ')}
  other  | Pod other
      | ${on('lost').replace('{', '{deletionTimestamp: "2026-01-02T00:00:00Z", deletionGracePeriodSeconds: 30, ')}
  bare   | Pod bare   | ${on('lost')}
  ended  | Pod bare   | ${on('lost').replace('Running', 'Failed')}
  loose  | Pod bare   | ${on('')}
  astray | Pod bare   | ${on('gone')}
`;
const references = 'web | web | {controller: true}';
const cluster = 'web; well; lost; here <- web!; there <- web!';
const planOf = plansFrom(objects, references);

describe('a pod on a silent Node', () => {
  const waits = 'then deleted (kubelet of lost of Pod there)';
  const gone = 'ReplicaSet web: deleted | Pod here: deleted';
  casesOfPlans(
    endsOf,
    objects,
    `
    stays terminating, and goes once its kubelet confirms it | ${cluster} | | ${gone} | Pod there: terminating, ${waits}
    holds its owners that wait in the foreground | ${cluster} | {policy: Foreground}
        | ReplicaSet web: terminating, ${waits} | Pod here: deleted | Pod there: terminating, ${waits}
    holds its claim | lost; using; data | using, data
        | Pod there: terminating, ${waits} | PersistentVolumeClaim data: terminating, ${waits}
    holds its namespace with what is in it | shop; ${cluster}; map | | Namespace shop: terminating, ${waits}
        | ConfigMap settings: kept, ${waits} | Pod here: deleted | Pod there: terminating, ${waits}
        | ReplicaSet web: kept, ${waits}
    is made again then | ${cluster} | there | Pod there: terminating, then recreated (kubelet of lost of Pod there)
    waits for a finalizer of others as well | held; lost |
        | Pod held: terminating, then deleted (ex.com/hold of Pod held, kubelet of lost of Pod held)
    is no part of the plan for another one  | ${cluster}; other | | ${gone} | Pod there: terminating, ${waits}
    goes where it has ended                 | ended; lost  | | Pod bare: deleted
    goes where it is bound to no Node       | loose; lost  | | Pod bare: deleted
    goes with a grace period of 0           | bare; lost   | {gracePeriodSeconds: 0} | Pod bare: deleted
    goes by pod garbage collection where the Node is gone | astray; lost | | Pod bare: deleted
    goes where the Node was not read        | bare         | | Pod bare: deleted
    goes where that is a manifest without a status | bare; blank | | Pod bare: deleted
    stays where no kubelet has registered that | bare; never | | Pod bare: terminating, then deleted (kubelet of lost of Pod bare)
    goes where that is out of service       | web; off; well; there <- web! | | ReplicaSet web: deleted | Pod there: deleted
    goes with its Node                      | lost; bare   | | Node lost: deleted | Pod bare: deleted
    `,
    references,
  );

  test('says what it waits for', () => {
    const { because, rule, blockedBy, waitsFor } = planOf(cluster).objects[2] ?? {};
    expect({ because, rule, blockedBy, waitsFor }).toEqual({
      because: expect.stringMatching(/node lost is not ready/),
      rule: 'GC-22.13',
      blockedBy: [{ kind: 'kubelet', name: 'lost' }],
      waitsFor: [
        {
          kubelet: 'lost',
          object: {
            apiVersion: 'v1',
            kind: 'Pod',
            namespace: 'shop',
            name: 'there',
            uid: 'uid-pod-shop-there',
          },
          alive: 'no',
          aliveBecause: 'NodeStatusUnknown: Kubelet stopped posting node status.',
        },
      ],
    });
    expect(planOf('held; lost').objects[0]?.blockedBy).toEqual([
      { kind: 'finalizer', name: 'ex.com/hold' },
      { kind: 'kubelet', name: 'lost' },
    ]);
    const again = planOf(cluster, 'there').objects[0]?.because;
    expect(again?.split('; ').at(-1)).toBe('ReplicaSet web makes another');
  });

  test('stands in the last line, a Node once', () => {
    const look = { colour: false, width: undefined, now: 0 };
    const table = planAnswer.tableOf(planOf(`${cluster}; more <- web!`), look);
    expect(table.split('\n').at(-2)).toMatch(/^2 of them .* of Node lost .* 2 Pods /);
  });
});

describe('the remark', () => {
  const read =
    'read: [{resource: pods, namespaces: [shop]}, {resource: replicasets.apps, namespaces: [shop]}]';
  const asked = 'asked: [{resource: nodes, namespace: "", name: well}]';
  test('says which Nodes are silent and what frees their pods', () => {
    expect(
      outcomesOf(
        remarksOf,
        objects,
        `
    says which Node is silent and what frees its pods | ${cluster}
    is not made of another pod | ${cluster} | here
    is made beside others | ${cluster} | there
    names several together | ${cluster}; dark; second <- web!
    of a Node that could not be read says what that may mean | web; well; here <- web!; there <- web! | {coverage: {${read}, ${asked}}}
    `,
        references,
      ),
    ).toMatchInlineSnapshot(`
      "says which Node is silent and what frees its pods
        warning silent-node: Node lost is not ready (NodeStatusUnknown: Kubelet stopped posting node status.), so its kubelet does not confirm that the containers of Pod there stopped: it stays terminating. Bring node lost back. If the machine is certainly off, delete the Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.
      is not made of another pod
        warning recreated: ReplicaSet web recreates 1 Pod. To delete it for good, delete replicaset.apps/web instead, or scale down.
      is made beside others
        warning silent-node: Node lost is not ready (NodeStatusUnknown: Kubelet stopped posting node status.), so its kubelet does not confirm that the containers of Pod there stopped: it stays terminating. Bring node lost back. If the machine is certainly off, delete the Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.
        warning recreated: ReplicaSet web recreates 1 Pod. To delete it for good, delete replicaset.apps/web instead, or scale down.
      names several together
        warning silent-node: Nodes dark, lost are not ready, so their kubelets do not confirm that the containers of Pod second, Pod there stopped: they stay terminating. Bring the Nodes back. If a machine is certainly off, delete its Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.
      of a Node that could not be read says what that may mean
        note silent-node: Node lost was not read: where its kubelet does not answer, Pod there stays terminating."
    `);
  });

  test('leaves the fates as they are where the Node could not be read', () => {
    const plan = planOf(
      'web; well; here <- web!; there <- web!',
      `{coverage: {${read}, ${asked}}}`,
    );
    expect(endsOf(plan)).toEqual([
      'ReplicaSet web: deleted',
      'Pod here: deleted',
      'Pod there: deleted',
    ]);
  });
});

describe('a kubelet that is there ends pods unless its runtime fails', () => {
  const row = (fate: string, ...condition: [status: string, reason: string, message: string]) =>
    `${condition.join(', ')} | web; on <- web!; some ${ready(...condition)} | | web: deleted | second: ${fate}`;
  const unready = (fate: string, message: string) => row(fate, 'False', 'KubeletNotReady', message);
  casesOfPlans(
    fatesOfPlan,
    objects,
    `
    ${row('terminating', ...stopped)}
    ${unready('terminating', 'container runtime is down')}
    ${unready('terminating', 'container runtime not ready: RuntimeReady=false')}
    ${unready('terminating', 'PLEG is not healthy: pleg was last seen active 3m')}
    ${unready('terminating', '[container runtime network not ready: cni config uninitialized, container runtime is down]')}
    ${unready('deleted', 'container runtime network not ready: cni config')}
    ${unready('deleted', 'node is shutting down')}
    ${row('deleted', 'False', '', '')}
    ${row('deleted', 'True', 'KubeletReady', 'kubelet is posting ready status')}
    `,
    references,
  );
});

describe('where three of five Nodes are not ready, so that none of them gets a taint', () => {
  const stays = (node: string) =>
    `{facts: {nodeName: ${node}, phase: Running, tolerations: [{operator: Exists, tolerationSeconds: 300}]}}`;
  const zone = ['one', 'two', 'three', 'four', 'five'].map(
    (name, at) => `${name} | Node ${name} | ${at < 3 ? ready(...stopped) : ready('True', '', '')}`,
  );
  const there = 'two; three; four; five; on-two; on-three; on-four';
  const waits = (node: string) =>
    `Pod on-${node}: terminating, then deleted (kubelet of ${node} of Pod on-${node})`;
  const objects = `
    ${zone.join('\n')}
    on-one   | Pod on-one   | ${stays('one')}
    on-two   | Pod on-two   | ${stays('two')}
    on-three | Pod on-three | ${stays('three')}
    on-four  | Pod on-four  | ${stays('four')}
  `;
  casesOfPlans(
    endsOf,
    objects,
    `
    the deletion of one of the three leads to the eviction of the pods on the other two | one; on-one; ${there} |
        | Node one: deleted | Pod on-one: deleted | ${waits('three')} | ${waits('two')}
    the deletion of a Node that is ready leads to no eviction | four; one; two; three; five; on-one; on-two; on-three; on-four |
        | Node four: deleted | Pod on-four: deleted
    the deletion of a pod leads to no eviction | on-one; one; ${there} | | ${waits('one')}
    `,
    undefined,
    { settings: defaultControllerSettings },
  );

  const unread = (node: string) => waits(node).replace('terminating', 'unknown');
  casesOfPlans(
    endsOf,
    objects,
    `
    whether they are evicted is unknown where the flags of the node lifecycle controller were not read | one; on-one; ${there} |
        | Node one: deleted | Pod on-one: deleted | ${unread('three')} | ${unread('two')}
    `,
  );
});
