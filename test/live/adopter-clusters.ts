import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import type { Random } from './restore-trees.ts';
import { collectionOf, kinds } from './upper-bound-clusters.ts';
import type { Seen, WatchedCluster } from './watched-cluster.ts';

/** Random namespaces in which the selectors of workloads overlap. */
const workloads = [
  'ReplicaSet',
  'ReplicaSet',
  'ReplicationController',
  'Deployment',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
] as const;
type Workload = (typeof workloads)[number];

const maps: Readonly<Record<string, string>>[] = [
  { app: 'web' },
  { app: 'web' },
  { tier: 'front' },
  { app: 'web', tier: 'front' },
];
const labels = { app: 'web', tier: 'front' };

/** The Nodes of all namespaces. */
export const nodes = ['adopter-node-a', 'adopter-node-b'];

/** Plants workloads of one pod template or two, pods of their own, and what hangs on those. */
export async function plantWorkloads(
  plane: Cluster,
  world: WatchedCluster,
  name: string,
  random: Random,
): Promise<void> {
  let serial = 0;
  const oneOf = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const create = (kind: string, part: string, content: object, metadata: object = {}) =>
    plane.create<KubeObject>(collectionOf(kind, kind === 'Namespace' ? '' : name), {
      apiVersion: kinds[kind]?.apiVersion,
      kind,
      metadata: { name: part, ...metadata },
      ...content,
    });
  await create('Namespace', name, {});
  const isBound = random(2) === 0;
  const podSpec = () => ({
    ...(isBound && { nodeName: oneOf(nodes) }),
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: `example.com/main:${random(2)}` }],
  });
  const replicas = () => oneOf([0, 0, 1, 1, 2, 3]);

  const grow: Readonly<Record<Workload, (part: string) => Promise<unknown>>> = {
    ReplicaSet: (part) =>
      create('ReplicaSet', part, { spec: { replicas: replicas(), ...common() } }),
    ReplicationController: (part) =>
      create('ReplicationController', part, {
        spec: { replicas: replicas(), ...common(), selector: oneOf(maps) },
      }),
    Deployment: (part) =>
      create('Deployment', part, {
        spec: {
          replicas: replicas(),
          ...common(),
          paused: random(6) === 0,
          ...(random(3) === 0 && { strategy: { type: 'Recreate' } }),
          ...(random(3) === 0 && { revisionHistoryLimit: random(2) }),
        },
      }),
    StatefulSet: (part) =>
      create('StatefulSet', part, {
        spec: {
          replicas: replicas(),
          serviceName: part,
          podManagementPolicy: oneOf(['Parallel', 'OrderedReady']),
          ...common(),
        },
      }),
    DaemonSet: (part) =>
      create('DaemonSet', part, {
        spec: {
          ...common(),
          updateStrategy: { type: oneOf(['RollingUpdate', 'OnDelete']) },
          ...(random(3) === 0 && { revisionHistoryLimit: random(2) }),
        },
      }),
    Job: (part) => {
      const { template, selector } = common();
      const spec = { ...template.spec, restartPolicy: 'Never' };
      return create('Job', part, {
        spec: {
          manualSelector: true,
          selector,
          parallelism: random(3),
          completions: 1 + random(3),
          suspend: random(5) === 0,
          template: { ...template, spec },
        },
      });
    },
  };
  function common() {
    const spec: object = podSpec();
    return { selector: { matchLabels: oneOf(maps) }, template: { metadata: { labels }, spec } };
  }

  async function patch(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    await plane.request(path, { method: 'PATCH', headers, body });
  }
  const pathOfPod = (pod: Seen) => `${collectionOf('Pod', name)}/${pod.name}`;
  const own = (pod: Seen, owner: Seen) =>
    patch(pathOfPod(pod), { metadata: { ownerReferences: [referenceTo(owner, false)] } });
  const report = (pod: Seen, phase: string) => {
    const status = phase === 'Running' ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status, lastTransitionTime: new Date().toISOString() }];
    return patch(`${pathOfPod(pod)}/status`, { status: { phase, conditions } });
  };

  const planted: { readonly kind: Workload; readonly name: string }[] = [];
  for (let count = 2 + random(3); count > 0; count--) {
    const kind = oneOf(workloads);
    const part = `${kind.toLowerCase()}-${serial++}`;
    await grow[kind](part);
    planted.push({ kind, name: part });
  }
  await world.still(name, 1_500, performance.now() + 2_000);
  const seen = world.of(name);
  // A pod that has the name of a StatefulSet's, and another controller.
  const set = planted.find(({ kind }) => kind === 'StatefulSet');
  const holder = seen.find(({ kind, isTerminating }) => kind === 'ConfigMap' && !isTerminating);
  const sets = seen.filter(({ kind }) => kind === 'ReplicaSet');
  if (set && sets.length > 0) {
    const owner = oneOf(sets);
    const ownerReferences = [referenceTo(owner, true)];
    const part = `${set.name}-${3 + random(3)}`;
    await create('Pod', part, { spec: podSpec() }, { labels, ownerReferences });
  }
  const isReady = random(2) === 0;
  for (const pod of seen.filter(({ kind }) => kind === 'Pod')) {
    if (random(3) === 0) {
      const part = `note-${serial++}`;
      await create('ConfigMap', part, {}, { ownerReferences: [referenceTo(pod, false)] });
    }
    // It outlives its controller, and is free then.
    if (holder && random(5) === 0) await own(pod, holder);
    if (isReady) await report(pod, random(12) === 0 ? oneOf(['Succeeded', 'Failed']) : 'Running');
  }
}

function referenceTo({ kind, name, uid }: Seen, controller: boolean): object {
  return { apiVersion: kinds[kind]?.apiVersion, kind, name, uid, controller };
}

/** What to delete: a workload, mostly so that what it owns is let go. */
export function chooseWorkload(
  seen: readonly Seen[],
  random: Random,
): { readonly target: Seen; readonly cascade: string } {
  const all: readonly string[] = workloads;
  const byName = (a: Seen, b: Seen) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1);
  const possible = seen.filter(({ kind }) => all.includes(kind)).sort(byName);
  const target = possible[random(possible.length)];
  if (!target) throw new Error('no workload was planted');
  return {
    target,
    cascade: ['orphan', 'orphan', 'orphan', 'orphan', 'background', 'foreground'][
      random(6)
    ] as string,
  };
}
