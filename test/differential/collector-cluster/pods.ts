import {
  container,
  type Draw,
  hold,
  hour,
  type Loose,
  minute,
  namespaces,
  second,
  times,
} from './draw.ts';

const outOfService = 'node.kubernetes.io/out-of-service';
const names = times(6, (index) => `node-${index}`);
/** Nodes that pods name and nobody has. */
const gone = ['gone-0', 'gone-1', 'gone-2'];
/** The Node that is deleted while the controllers run. */
export const leavingNode = 'leaving';

/** Nodes in every state of health, with and without taints. */
export function nodes(choose: Draw): Loose[] {
  const taint = (key: string, effect: string, value?: string) => ({
    key,
    effect,
    ...(value && { value }),
    ...(effect === 'NoExecute' && choose.chance(0.5) && { timeAdded: choose.ago(minute) }),
  });
  return [
    quietNode,
    ...[...names, leavingNode].map((name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { daemons: choose.chance(0.3) ? 'yes' : 'no' } },
      spec: {
        taints: [
          ...(choose.chance(0.5)
            ? [taint(outOfService, choose.one(['NoExecute', 'NoSchedule']), choose.one(['', 'x']))]
            : []),
          ...(choose.chance(0.3)
            ? [taint('example.com/broken', choose.one(['NoExecute', 'PreferNoSchedule']), 'yes')]
            : []),
        ],
      },
      status: {
        conditions: choose.chance(0.85)
          ? [
              { type: 'Ready', status: choose.one(['True', 'True', 'False', 'Unknown']) },
              { type: 'MemoryPressure', status: 'False' },
            ].sort(() => (choose.chance(0.5) ? 1 : -1))
          : [],
      },
    })),
  ];
}

/** A Node on which nothing happens. */
const quietNode: Loose = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'quiet' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

/** Pods in every phase and on every kind of Node; evicted, terminating, held by finalizers. */
export function pods(draw: Draw): Loose[] {
  const many = times(draw.between(40, 70), (index) => anyPod(draw, `pod-${index}`));
  // Held back and young: they count from the second pass on, so that others go (PG-8).
  const held = times(draw.between(0, 4), (index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-held-${index}`,
      namespace: draw.one(namespaces),
      creationTimestamp: draw.ago(minute),
      finalizers: [hold],
      deletionTimestamp: draw.ago(second),
      deletionGracePeriodSeconds: 0,
    },
    spec: { containers: [container] },
    status: { phase: 'Pending' },
  }));
  return [...many, ...held];
}

function anyPod(draw: Draw, name: string): Loose {
  const { chance, one, between, ago } = draw;
  const phase = one(['Pending', 'Running', 'Succeeded', 'Failed', 'Failed', 'Unknown', undefined]);
  const nodeName = chance(0.85) ? one([...names, ...gone, leavingNode]) : undefined;
  const isDeleted = chance(0.35);
  const disruption = {
    type: 'DisruptionTarget',
    status: one(['True', 'False']),
    reason: 'EvictionByEvictionAPI',
    lastTransitionTime: ago(hour),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: one(namespaces),
      // Few hours, so that many are of the same age and their names count.
      creationTimestamp: ago(between(1, 12) * hour),
      generation: between(1, 3),
      ...(chance(0.3) && { finalizers: [hold] }),
      ...(isDeleted && {
        deletionTimestamp: ago(between(-10, 60) * second),
        deletionGracePeriodSeconds: 30,
      }),
    },
    spec: {
      containers: [container],
      ...(nodeName && { nodeName }),
      ...(chance(0.4) && { tolerations: times(between(1, 2), () => toleration(draw)) }),
    },
    status: {
      ...(phase && { phase }),
      ...(phase === 'Failed' && chance(0.4) && { reason: 'Evicted' }),
      ...(phase === 'Succeeded' && chance(0.1) && { reason: 'Evicted' }),
      ...(chance(0.3) && {
        conditions: [
          { type: 'Ready', status: one(['True', 'False']), lastTransitionTime: ago(hour) },
          ...(chance(0.5) ? [disruption] : []),
        ],
      }),
    },
  };
}

function toleration({ chance, one }: Draw) {
  const key = one([outOfService, 'example.com/broken', 'node.kubernetes.io/unreachable', '']);
  return {
    ...(key && { key }),
    operator: key === '' || chance(0.5) ? 'Exists' : 'Equal',
    // Seconds need the effect.
    ...(chance(0.6) && { effect: 'NoExecute', tolerationSeconds: one([-1, 0, 15, 30, 3600]) }),
  };
}
