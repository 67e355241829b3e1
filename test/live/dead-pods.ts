import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';

const outOfService = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };

export function nodeObject(name: string, ready: 'True' | 'Unknown', tainted: boolean): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { taints: tainted ? [outOfService] : [] },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  } as unknown as KubeObject;
}

interface PodChoice {
  readonly node?: string;
  readonly phase: string;
  readonly reason?: string;
  readonly deleting?: boolean;
  readonly held?: boolean;
  /** Hours. */
  readonly age?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export function podObject(
  namespace: string,
  name: string,
  { node, phase, reason, deleting, held, age = 1, labels }: PodChoice,
): KubeObject {
  const ago = (milliseconds: number) => timestampOf(Date.now() - milliseconds);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      generation: 3,
      creationTimestamp: ago(age * 3_600_000),
      ...(labels && { labels }),
      ...(held && { finalizers: ['example.com/hold'] }),
      ...(deleting && { deletionTimestamp: ago(10_000), deletionGracePeriodSeconds: 30 }),
    },
    spec: {
      ...(node !== undefined && { nodeName: node }),
      // What the server has added to every pod that it took.
      containers: [
        {
          name: 'c',
          image: 'i',
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePolicy: 'File',
        },
      ],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
    },
    status: { phase, ...(reason !== undefined && { reason }) },
  } as unknown as KubeObject;
}

/** Finished an hour ago, to be kept for so many seconds. */
export function jobObject(namespace: string, name: string, ttl: number): KubeObject {
  const finished = timestampOf(Date.now() - 3_600_000);
  const labels = { job: name };
  const containers = [{ name: 'c', image: 'i' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, creationTimestamp: finished },
    spec: {
      manualSelector: true,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } },
      ttlSecondsAfterFinished: ttl,
    },
    status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: finished }] },
  } as unknown as KubeObject;
}

export function namespaceObject(name: string): KubeObject {
  const spec = { finalizers: ['kubernetes'] };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec } as KubeObject;
}

/** Something for each of the four steps of pod garbage collection to do and to leave: 300 pods have ended. */
export function deadPods(): KubeObject[] {
  const ended = Array.from({ length: 300 }, (_, index) =>
    podObject(index % 3 === 0 ? 'dead-a' : 'dead-b', `ended-${index}`, {
      node: 'alive',
      phase: index % 2 === 0 ? 'Succeeded' : 'Failed',
      age: 500 - index,
      ...(index % 7 === 1 && { reason: 'Evicted' }),
      ...(index % 50 === 2 && { held: true }),
      ...(index % 60 === 5 && { deleting: true }),
    }),
  );
  const others: [string, PodChoice][] = [
    ['runs', { node: 'alive', phase: 'Running' }],
    ['ends-on-alive', { node: 'alive', phase: 'Running', deleting: true }],
    ['ends-on-slow', { node: 'slow', phase: 'Running', deleting: true }],
    ['ends-on-lost', { node: 'lost', phase: 'Running', deleting: true }],
    ['held-on-lost', { node: 'lost', phase: 'Running', deleting: true, held: true }],
    ['runs-on-lost', { node: 'lost', phase: 'Running' }],
    ['runs-on-gone', { node: 'gone', phase: 'Running' }],
    ['held-on-gone', { node: 'gone', phase: 'Running', held: true }],
    ['done-on-gone', { node: 'gone', phase: 'Succeeded', held: true }],
    ['nowhere', { phase: 'Pending', deleting: true, held: true }],
    ['waits', { phase: 'Pending' }],
  ];
  return [
    namespaceObject('dead-a'),
    namespaceObject('dead-b'),
    nodeObject('alive', 'True', true),
    nodeObject('slow', 'Unknown', false),
    nodeObject('lost', 'Unknown', true),
    ...ended,
    ...others.map(([name, choice]) => podObject('dead-a', name, choice)),
  ];
}
