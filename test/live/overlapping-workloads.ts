import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import type { Cluster } from '../support/cluster.ts';
import { claimSpec } from '../support/volumes.ts';
import type { Random } from './seeded-random.ts';
import { collectionOf, typeNamed } from './upper-bound-clusters.ts';
import type { Seen, WatchedCluster } from './watched-cluster.ts';

/** Random workloads of one namespace whose selectors overlap, with what hangs on them. */
const workloads = [
  'ReplicaSet',
  'ReplicaSet',
  'ReplicationController',
  'Deployment',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
] as const;
type Workload = (typeof workloads)[number];

/** What else is deleted here, as it makes others go. */
const alsoDeleted = [
  ...['Pod', 'Pod', 'ControllerRevision', 'Service', 'Endpoints'],
  ...['PersistentVolumeClaim', 'ServiceAccount', 'ConfigMap'],
];

const maps: Readonly<Record<string, string>>[] = [
  { app: 'web' },
  { app: 'web' },
  { tier: 'front' },
  { app: 'web', tier: 'front' },
];
const labels = { app: 'web', tier: 'front' };

/** The label that tells kubelets how a pod ends: `Succeeded` or `Failed`; without it, it runs on. */
export const endsLabel = 'ends';

/**
 * Plants workloads of one pod template or two in the namespace `name`, which is there. `node`: the one that all pods name;
 * else they are left to the scheduler, on Nodes labelled `case: name`.
 */
export async function plantWorkloads(
  plane: Cluster,
  world: WatchedCluster,
  name: string,
  node: string | undefined,
  random: Random,
): Promise<void> {
  let serial = 0;
  const oneOf = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const create = (kind: string, part: string, content: object, metadata: object = {}) =>
    plane.create<KubeObject>(collectionOf(kind, name), {
      apiVersion: apiVersionOf(typeNamed(kind)),
      kind,
      metadata: { name: part, ...metadata },
      ...content,
    });
  const podSpec = () => ({
    ...(node !== undefined && { nodeName: node }),
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: `example.com/main:${random(2)}`,
        ports: [{ name: 'http', containerPort: 8080 + random(2) }],
      },
    ],
  });
  const replicas = () => oneOf([0, 0, 1, 1, 2, 3]);
  const limit = (name: string) => random(3) === 0 && { [name]: random(2) };

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
          ...limit('revisionHistoryLimit'),
        },
      }),
    StatefulSet: (part) =>
      create('StatefulSet', part, {
        spec: {
          replicas: replicas(),
          serviceName: part,
          podManagementPolicy: oneOf(['Parallel', 'OrderedReady']),
          ...common(),
          ...limit('revisionHistoryLimit'),
          updateStrategy: { type: oneOf(['RollingUpdate', 'OnDelete']) },
          ...(random(2) === 0 && {
            persistentVolumeClaimRetentionPolicy: {
              whenDeleted: oneOf(['Delete', 'Retain']),
              whenScaled: oneOf(['Delete', 'Retain']),
            },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
          }),
        },
      }),
    DaemonSet: (part) => {
      const { selector, template } = common();
      const spec = { ...template.spec, nodeSelector: { case: name } };
      return create('DaemonSet', part, {
        spec: {
          selector,
          template: { ...template, spec },
          updateStrategy: { type: oneOf(['RollingUpdate', 'OnDelete']) },
          ...limit('revisionHistoryLimit'),
        },
      });
    },
    Job: (part) => create('Job', part, { spec: selecting(jobSpec()) }),
    CronJob: async (part) => {
      const spec = {
        schedule: '0 0 1 1 *',
        suspend: true,
        successfulJobsHistoryLimit: random(3),
        failedJobsHistoryLimit: random(3),
        jobTemplate: { spec: jobSpec() },
      };
      const { metadata } = await create('CronJob', part, { spec });
      const owner = { kind: 'CronJob', name: part, uid: `${metadata.uid}` };
      for (let count = random(4); count > 0; count--) {
        const ownerReferences = [referenceTo(owner, true)];
        const spec = selecting(jobSpec());
        await create('Job', `${part}-${count}`, { spec }, { ownerReferences });
      }
    },
  };
  function common() {
    return { selector: selector(), template: { metadata: { labels }, spec: podSpec() as object } };
  }
  function selector() {
    return { matchLabels: oneOf(maps) };
  }
  function selecting(job: object) {
    return { ...job, manualSelector: true, selector: selector() };
  }
  /** Deleting one of its pods may end the Job, and with it others of its pods, of its CronJob's Jobs, and itself. */
  function jobSpec() {
    const ends = oneOf([undefined, undefined, undefined, 'Succeeded', 'Failed']);
    const isIndexed = random(3) === 0;
    const completions = 1 + random(3);
    return {
      parallelism: random(4),
      completions,
      // One that fails by itself does not wait to try again: it is still before anything is deleted.
      ...(isIndexed && random(2) === 0
        ? { backoffLimitPerIndex: ends === 'Failed' ? 0 : random(2) }
        : { backoffLimit: ends === 'Failed' ? 0 : random(3) }),
      suspend: random(6) === 0,
      ...(random(3) > 0 && { ttlSecondsAfterFinished: oneOf([0, 1, 86_400]) }),
      ...(random(5) === 0 && { podReplacementPolicy: 'Failed' }),
      ...(random(8) === 0 && { activeDeadlineSeconds: 100_000 }),
      ...(isIndexed && { completionMode: 'Indexed', ...successPolicy(completions) }),
      ...(random(4) === 0 && podFailurePolicy()),
      template: {
        metadata: { labels: { ...labels, ...(ends && { [endsLabel]: ends }) } },
        spec: { ...podSpec(), restartPolicy: 'Never' },
      },
    };
  }
  function successPolicy(completions: number) {
    const rules = [{ succeededCount: 1 + random(completions) }];
    return random(2) === 0 && { successPolicy: { rules } };
  }
  /** What pods that are disrupted count for, or those that end with an exit code. */
  function podFailurePolicy() {
    const action = oneOf(['Ignore', 'FailJob', 'FailJob', 'Count']);
    const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }];
    return { podFailurePolicy: { rules: [{ action, onPodConditions }] } };
  }

  async function patch(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    await plane.request(path, { method: 'PATCH', headers, body });
  }
  const pathTo = ({ kind, name: part }: Pick<Seen, 'kind' | 'name'>) =>
    `${collectionOf(kind, name)}/${part}`;
  const own = (pod: Seen, owner: Seen) =>
    patch(pathTo(pod), { metadata: { ownerReferences: [referenceTo(owner, false)] } });

  const planted: { readonly kind: Workload; readonly name: string }[] = [];
  for (let count = 2 + random(3); count > 0; count--) {
    const kind = oneOf(workloads);
    const part = `${kind.toLowerCase()}-${serial++}`;
    await grow[kind](part);
    planted.push({ kind, name: part });
  }
  if (random(2) === 0) {
    const ports = [{ port: 80, targetPort: 'http' }];
    await create('Service', 'front', { spec: { selector: oneOf(maps), ports } });
  }
  await world.still(name, 1_500, performance.now() + 2_000);
  // Histories: the same workload with another template, or with its first one again.
  for (const one of planted) {
    if (one.kind === 'Job' || one.kind === 'CronJob' || random(2) > 0) continue;
    const containers = [{ name: 'main', image: `example.com/main:${random(3)}` }];
    await patch(pathTo(one), { spec: { template: { spec: { containers } } } });
  }
  for (const one of world.of(name)) {
    if (one.namespace !== name || random(3) > 0) continue;
    if (one.kind !== 'Service' && one.kind !== 'ReplicationController') continue;
    await patch(pathTo(one), { spec: { selector: { $patch: 'replace', ...oneOf(maps) } } });
  }
  await world.still(name, 1_500, performance.now() + 1_500);
  const seen = world.of(name).filter(({ namespace }) => namespace === name);
  // A pod that has the name of a StatefulSet's, and another controller.
  const set = planted.find(({ kind }) => kind === 'StatefulSet');
  const holder = seen.find(({ kind, isTerminating }) => kind === 'ConfigMap' && !isTerminating);
  const sets = seen.filter(({ kind }) => kind === 'ReplicaSet');
  if (set && sets.length > 0) {
    const ownerReferences = [referenceTo(oneOf(sets), true)];
    const part = `${set.name}-${random(6)}`;
    const path = `${collectionOf('Pod', name)}/${part}`;
    if ((await plane.request(path)).status === 404) {
      await create('Pod', part, { spec: podSpec() }, { labels, ownerReferences });
    }
  }
  for (const pod of seen.filter(({ kind }) => kind === 'Pod')) {
    if (random(3) === 0) {
      const part = `note-${serial++}`;
      await create('ConfigMap', part, {}, { ownerReferences: [referenceTo(pod, false)] });
    }
    // It outlives its controller, and is free then.
    if (holder && random(5) === 0) await own(pod, holder);
  }
}

function referenceTo(
  { kind, name, uid }: Pick<Seen, 'kind' | 'name' | 'uid'>,
  controller: boolean,
): object {
  return { apiVersion: apiVersionOf(typeNamed(kind)), kind, name, uid, controller };
}

/** What to delete: mostly a workload or two, and mostly so that what it owns is let go. */
export function chooseWorkload(
  seen: readonly Seen[],
  random: Random,
): { readonly targets: readonly Seen[]; readonly cascade: string } {
  const wanted: readonly string[] = random(3) > 0 ? workloads : alsoDeleted;
  const byName = (a: Seen, b: Seen) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1);
  const ofKinds = (list: readonly string[]) =>
    seen.filter(({ kind }) => list.includes(kind)).sort(byName);
  const wished = ofKinds(wanted);
  const possible = wished.length > 0 ? wished : ofKinds(workloads);
  const [target] = possible.splice(random(possible.length), 1);
  if (!target) throw new Error('no workload is left');
  const [other] = random(4) === 0 ? possible.splice(random(possible.length), 1) : [];
  const cascades = ['orphan', 'orphan', 'orphan', 'background', 'background', 'foreground'];
  const targets = other ? [target, other] : [target];
  return { targets, cascade: cascades[random(cascades.length)] ?? '' };
}
