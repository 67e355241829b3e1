import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import type { Random } from './seeded-random.ts';
import { collectionOf } from './upper-bound-clusters.ts';

/** What is planted under some flags, and the target of its deletion. */
export type Plant = (
  cluster: Cluster,
  name: string,
  random: Random,
) => Promise<{ readonly kind: string; readonly name: string }>;

/** Flags of the servers that change what a deletion leads to; UPPER_FLAGS names them. */
export interface Flags {
  readonly apiServer: readonly string[];
  readonly controllerManager: readonly string[];
  /** Whatever is planted otherwise, where undefined. */
  readonly plant?: Plant;
  /** Milliseconds without a change before and after a deletion. */
  readonly quiet?: number;
  /** What a plan counts and these flags keep is no fault of kubectl: where flags are not seen, a plan assumes the default ones. */
  readonly isByKubectl?: boolean;
  /** Do kubelets report how containers ended? */
  readonly runsPods?: boolean;
  /** Cases that share a count of the whole cluster are played one by one. */
  readonly areAlone?: boolean;
}

const noCollector = ['--enable-garbage-collector=false'];

const flagsByName = {
  none: { apiServer: [], controllerManager: [] },
  'no-garbage-collector': {
    apiServer: noCollector,
    controllerManager: noCollector,
    isByKubectl: true,
  },
  // More than five Nodes of a zone get their taints at the second rate, up to five get none while most are unready.
  'node-rates': {
    apiServer: [],
    controllerManager: [
      '--large-cluster-size-threshold=5',
      '--unhealthy-zone-threshold=0.6',
      '--node-eviction-rate=3',
      '--secondary-node-eviction-rate=2',
    ],
    plant: plantZone,
    quiet: 7_000,
  },
  // Pod garbage collection passes every 20 s.
  'ended-pods': {
    apiServer: [],
    controllerManager: ['--terminated-pod-gc-threshold=3'],
    plant: plantEndedPods,
    quiet: 23_000,
    areAlone: true,
    runsPods: true,
  },
} as const satisfies Readonly<Record<string, Flags>>;

export function flagsNamed(name: string): Flags {
  const found: Flags | undefined = flagsByName[name as keyof typeof flagsByName];
  if (!found) throw new Error(`UPPER_FLAGS is one of ${Object.keys(flagsByName).join(', ')}`);
  return found;
}

/** It stays on pods that have ended, so that pod garbage collection chooses the same in every pass. */
export const lastingFinalizer = 'example.com/lasting';

const podSpec = (nodeName: string, more: object = {}) => ({
  nodeName,
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', image: 'example.com/main:1' }],
  ...more,
});

async function createNode(cluster: Cluster, name: string, labels: object, isReady: boolean) {
  await cluster.create(collectionOf('Node', ''), { metadata: { name, labels } });
  const now = new Date().toISOString();
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const condition = { type: 'Ready', status: isReady ? 'True' : 'False', ...times };
  await cluster.report(`${collectionOf('Node', '')}/${name}`, { conditions: [condition] });
  const spec = { leaseDurationSeconds: 40, renewTime: now.replace('Z', '000Z') };
  await cluster.create(collectionOf('Lease', 'kube-node-lease'), { metadata: { name }, spec });
}

/** A zone of Nodes of which some are unready, each with pods that leave an unready one after a second. */
async function plantZone(cluster: Cluster, name: string, random: Random) {
  const pods = collectionOf('Pod', name);
  await cluster.create(collectionOf('Namespace', ''), { metadata: { name } });
  const count = 3 + random(6);
  const unready = random(count + 1);
  const labels = { case: name, 'topology.kubernetes.io/zone': name };
  const nodes = Array.from({ length: count }, (_, at) => `${name}-node-${at}`);
  const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
    ...{ key: `node.kubernetes.io/${condition}`, operator: 'Exists' },
    ...{ effect: 'NoExecute', tolerationSeconds: 1 },
  }));
  for (const [at, node] of nodes.entries()) {
    await createNode(cluster, node, labels, at >= unready);
    const pod = `${name}-on-${at}`;
    const spec = podSpec(node, { tolerations });
    const made = await cluster.create<KubeObject>(pods, { metadata: { name: pod }, spec });
    if (random(2) > 0) continue;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: pod, uid: made.metadata.uid };
    const metadata = { name: `${name}-of-${at}`, ownerReferences: [owner] };
    await cluster.create(collectionOf('ConfigMap', name), { metadata });
  }
  // node-lifecycle looks every 5 s.
  await sleep(12_000);
  return { kind: 'Node', name: nodes[random(count)] ?? '' };
}

/** Pods that have ended, some of which stay, in two namespaces, and pods that run on a second Node, some of which will stay. */
async function plantEndedPods(cluster: Cluster, name: string, random: Random) {
  const home = `${name}-beside`;
  for (const namespace of [name, home]) {
    await cluster.create(collectionOf('Namespace', ''), { metadata: { name: namespace } });
  }
  const [first, second] = [`${name}-node`, `${name}-node-2`] as const;
  for (const node of [first, second]) await createNode(cluster, node, { case: name }, true);
  const owner = await cluster.create<KubeObject>(collectionOf('ConfigMap', name), {
    metadata: { name: `${name}-owner` },
  });
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-owner`, uid: owner.metadata.uid },
  ];
  async function createPod(part: string, node: string, phase: string, namespace = name) {
    const pods = collectionOf('Pod', namespace);
    const finalizers = [[], [], ['example.com/cleanup'], [lastingFinalizer]][random(4)];
    const isOwned = random(4) === 0 && namespace === name;
    const metadata = { name: part, finalizers, ...(isOwned && { ownerReferences }) };
    const made = await cluster.create<KubeObject>(pods, { metadata, spec: podSpec(node) });
    await cluster.report(`${pods}/${part}`, { phase });
    return { apiVersion: 'v1', kind: 'Pod', name: part, uid: made.metadata.uid };
  }
  for (let at = 4 + random(4); at > 0; at--) {
    const namespace = at % 2 === 0 ? home : name;
    const phase = random(2) === 0 ? 'Failed' : 'Succeeded';
    const own = await createPod(`${name}-ended-${at}`, first, phase, namespace);
    if (at % 3 === 0) continue;
    const metadata = { name: `${name}-of-${at}`, ownerReferences: [own] };
    await cluster.create(collectionOf('ConfigMap', namespace), { metadata });
  }
  for (let at = 1 + random(3); at > 0; at--) {
    await createPod(`${name}-runs-${at}`, second, 'Running');
  }
  // Its first pass after they ended.
  await sleep(21_000);
  const targets = [
    { kind: 'Node', name: second },
    { kind: 'Node', name: second },
    { kind: 'ConfigMap', name: `${name}-owner` },
    { kind: 'Pod', name: `${name}-runs-1` },
  ];
  return targets[random(targets.length)] ?? { kind: 'Node', name: second };
}
