import { randomUUID } from 'node:crypto';
import { yamlValue } from '../../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Cluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';

export const namespace = 'faults';
/** A namespace that no command line of the runs names. */
const elsewhere = 'bystanders';
export const hold = 'example.com/hold';
const past = '2026-01-02T03:04:05Z';

/** What there is of an object, and from which it is seen whether it was changed. */
export interface Seen {
  readonly uid: string;
  readonly version: string;
  /** All but what the server counts and notes itself. */
  readonly content: string;
}

/** By kind, namespace and name. */
export type Sight = ReadonlyMap<string, Seen>;

const paths = {
  ConfigMap: '/api/v1/configmaps',
  Secret: '/api/v1/secrets',
  Pod: '/api/v1/pods',
  Job: '/apis/batch/v1/jobs',
} as const;
type Kind = keyof typeof paths;

interface Plant {
  readonly kind: Exclude<Kind, 'Job'>;
  readonly name: string;
  readonly within?: string;
  readonly owners?: readonly (string | object)[];
  readonly metadata?: object;
  readonly rest?: object;
}

const container = { name: 'app', image: 'example.com/app:1' };
const ended = [
  { type: 'SuccessCriteriaMet', status: 'True', lastProbeTime: past, lastTransitionTime: past },
  { type: 'Complete', status: 'True', lastProbeTime: past, lastTransitionTime: past },
];
const plants = yamlValue(`
- {kind: ConfigMap, name: root}
- {kind: ConfigMap, name: keeper}
- {kind: ConfigMap, name: mid, owners: [root]}
- {kind: ConfigMap, name: shared, owners: [root, keeper]}
- {kind: Secret, name: leaf, owners: [mid]}
- {kind: Secret, name: alone}
- {kind: ConfigMap, name: stuck, metadata: {finalizers: [${hold}], deletionTimestamp: '${past}', deletionGracePeriodSeconds: 0}}
- {kind: ConfigMap, name: wrong, owners: [{apiVersion: example.com/v1, kind: Vanished, name: gone, uid: ${randomUUID()}}]}
- kind: Pod
  name: left
  rest: {spec: {nodeName: gone-node, containers: [{name: app, image: 'example.com/app:1'}]}, status: {phase: Running}}
- {kind: ConfigMap, name: root, within: ${elsewhere}}
- {kind: Secret, name: leaf, within: ${elsewhere}, owners: [root]}
`) as readonly Plant[];

/** Of a Job whose time is up. */
const jobSpec = {
  ttlSecondsAfterFinished: 1,
  template: { spec: { restartPolicy: 'Never', containers: [container] } },
};
const jobStatus = { conditions: ended, startTime: past, completionTime: past, succeeded: 1 };

/** What a backup is made of, which is then restored. */
const lost: readonly Plant[] = [
  { kind: 'ConfigMap', name: 'lost' },
  { kind: 'ConfigMap', name: 'lost-mid', owners: ['lost'] },
  { kind: 'Secret', name: 'lost-leaf', owners: ['lost-mid'] },
];

function objectsOf(wanted: readonly Plant[]): KubeObject[] {
  const grown = new Map<string, KubeObject>();
  for (const { kind, name, within = namespace, owners = [], metadata, rest } of wanted) {
    const ownerReferences = owners.map((owner) => {
      if (typeof owner !== 'string') return owner;
      const { uid } = grown.get(`${within}/${owner}`)?.metadata ?? {};
      return { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true };
    });
    grown.set(`${within}/${name}`, {
      apiVersion: 'v1',
      kind,
      metadata: {
        name,
        namespace: within,
        uid: randomUUID(),
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { garden: 'yes' },
        ...(owners.length > 0 && { ownerReferences }),
        ...metadata,
      },
      ...rest,
    });
  }
  return [...grown.values()];
}

export async function makeNamespaces(plane: Cluster): Promise<void> {
  for (const name of [namespace, elsewhere]) {
    await plane.make(`Namespace ${name}`);
  }
}

/** The objects as they are at the start of a run, and no others; each is a new one. */
export async function plant(plane: Cluster, more: 'lost' | undefined): Promise<Sight> {
  for (const key of (await look(plane)).keys()) {
    const [kind, within, name] = key.split('/') as [Kind, string, string];
    const path = paths[kind].replace(/[a-z]+$/, `namespaces/${within}/$&/${name}`);
    await plane.merge(path, { metadata: { finalizers: null } });
    await plane.remove(`${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  }
  await eventually('all is gone', async () => {
    const left = await look(plane);
    return left.size === 0;
  });
  await plane.putObjects(objectsOf(more ? [...plants, ...lost] : plants));
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await plane.make(`Job ${namespace}/done`, {
    metadata: { labels: { garden: 'yes' } },
    spec: jobSpec,
  });
  await plane.report(`${jobs}/done`, jobStatus);
  return look(plane);
}

/** Resolves once the garbage collector, which lost its server for a while, works again. */
export async function collects(plane: Cluster): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps';
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: randomUUID() };
  const name = `canary-${randomUUID()}`;
  await plane.make(`ConfigMap default/${name}`, { metadata: { ownerReferences: [owner] } });
  const isGone = async () => !(await plane.isHealthy(`${path}/${name}`));
  await eventually('a working garbage collector', isGone, 90);
}

/** All objects of the runs, as the API server has them. */
export async function look(plane: Cluster): Promise<Sight> {
  const lists = await Promise.all(
    Object.entries(paths).map(async ([kind, path]) => {
      const items = await plane.list(path);
      return items.flatMap((item): [string, Seen][] => {
        const { namespace: within, name, ...metadata } = item.metadata;
        if (within !== namespace && within !== elsewhere) return [];
        const { resourceVersion, managedFields: _, generation: __, uid, ...lasting } = metadata;
        const content = JSON.stringify({ ...item, metadata: lasting });
        const seen = { uid: `${uid}`, version: `${resourceVersion}`, content };
        return [[`${kind}/${within}/${name}`, seen]];
      });
    }),
  );
  return new Map(lists.flat());
}
