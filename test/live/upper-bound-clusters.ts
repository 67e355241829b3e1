import { objectPath } from '../../src/cluster/api-path.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import { customType } from '../support/builders.ts';
import type { Cluster } from '../support/cluster.ts';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { toolTypes } from '../support/delivery.ts';
import { eventually } from '../support/eventually.ts';
import { typeOfKind } from '../support/object-address.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import type { Random } from './seeded-random.ts';
import { othersGrowers, type Planted } from './upper-bound-others.ts';

const names = [
  ...['ConfigMap', 'Secret', 'Widget', 'Gadget', 'Service', 'Endpoints', 'EndpointSlice'],
  ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Pod'],
  ...['Job', 'CronJob', 'ControllerRevision', 'ServiceAccount', 'Lease', 'Node', 'Namespace'],
  ...['PersistentVolumeClaim', 'PersistentVolume', 'ResourceQuota', 'PodDisruptionBudget'],
  ...['HorizontalPodAutoscaler', 'IPAddress', 'CustomResourceDefinition', 'APIService'],
];
/** Every kind that is planted or that controllers make of what is planted; no Events. */
export const kinds = new Map(names.map((kind) => [kind, typeOfKind(kind)]));
const applications = toolTypes.find('argoproj.io/v1alpha1', 'Application');
if (applications) kinds.set('Application', applications);

/** The definitions of these kinds. */
export const plantedDefinitions: readonly KubeObject[] = [
  ...exampleDefinitions,
  customDefinition('Application', 'argoproj.io', { versions: ['v1alpha1'] }),
];

export function typeNamed(kind: string): ResourceType {
  return kinds.get(kind) ?? typeOfKind(kind);
}

/** `''`: in all namespaces, or cluster-scoped. */
export function collectionOf(kind: string, namespace: string): string {
  return objectPath(typeNamed(kind), namespace);
}

const foreignFinalizers = ['example.com/cleanup', 'example.com/export'];

/** Finalizers that the small operator of the test removes. */
export function isForeign(finalizer: string): boolean {
  return foreignFinalizers.includes(finalizer);
}

const targetKinds = [
  'root',
  'root',
  'any',
  'Namespace',
  'Namespace',
  'Node',
  'Node',
  'Node',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StatefulSet',
  'ServiceAccount',
  'Service',
  'CustomResourceDefinition',
  'orphaning',
  'Application',
] as const;
export type TargetKind = (typeof targetKinds)[number];

export function targetKindFrom(random: Random): TargetKind {
  return targetKinds[random(targetKinds.length)] ?? 'root';
}

/** A kind that only one case has. */
function thingOf(name: string) {
  return { kind: `Thing${name.slice(-4)}`, group: `${name}.example.com`, plural: `${name}-things` };
}

/** The definition of a kind that only one case has; its kind is planted and watched from then on. */
export function definitionFor(name: string): KubeObject {
  const { kind, group, plural } = thingOf(name);
  kinds.set(kind, customType(`${plural}.${group}/v1 ${kind}`));
  return customDefinition(kind, group, { plural });
}

export interface Planting {
  readonly planted: readonly Planted[];
  /** Pods are bound to either; a deletion of a Node is one of the first. */
  readonly nodes: readonly [Planted, Planted];
}

/** Objects in another namespace of the case, that nothing in the first one may take for its own. */
export async function plantNeighbours(plane: Cluster, name: string): Promise<void> {
  const home = `${name}-beside`;
  const labels = { app: 'web', tier: 'front' };
  await plane.create(collectionOf('Namespace', ''), { metadata: { name: home } });
  const spec = { containers: [{ name: 'main', image: 'example.com/main:1' }] };
  await plane.create(collectionOf('Pod', home), { metadata: { name: 'free', labels }, spec });
  await plane.create(collectionOf('ReplicaSet', home), {
    metadata: { name: 'replicaset-0', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  });
}

/** Plants 5 to 11 objects in the namespace `name`, and cluster-scoped ones whose names begin with it. */
export async function plant(
  plane: Cluster,
  name: string,
  wanted: TargetKind,
  random: Random,
  { collectsGarbage = true } = {},
): Promise<Planting> {
  const planted: Planted[] = [];
  let serial = 0;

  async function create(kind: string, part: string, content: object = {}, metadata: object = {}) {
    const { namespaced } = typeNamed(kind);
    const apiVersion = apiVersionOf(typeNamed(kind));
    const namespace = !namespaced ? '' : kind === 'Lease' ? 'kube-node-lease' : name;
    const body = { apiVersion, kind, metadata: { name: part, ...metadata }, ...content };
    const { metadata: stored } = await plane.create<KubeObject>(
      collectionOf(kind, namespace),
      body,
    );
    const { ownerReferences } = stored;
    const hasOwner = Array.isArray(ownerReferences) && ownerReferences.length > 0;
    return { kind, apiVersion, name: part, uid: String(stored.uid), namespace, hasOwner };
  }

  const referenceTo = ({ apiVersion, kind, name: ownerName, uid }: Planted) => ({
    apiVersion,
    kind,
    name: ownerName,
    uid,
    blockOwnerDeletion: random(2) === 0,
  });

  /** Owners from what is planted already, and foreign finalizers, each in some cases. */
  function metadataFor(kind: string): object {
    const isClusterScoped = !typeNamed(kind).namespaced;
    const possible = planted.filter(({ namespace }) => !isClusterScoped || namespace === '');
    const owners = new Set<Planted>();
    for (let tries = random(4); tries > 1 && possible.length > 0; tries--) {
      owners.add(possible[random(possible.length)] as Planted);
    }
    // A volume outlives what uses it, and is owned only now and then.
    if (kind === 'PersistentVolume' && random(4) > 0) owners.clear();
    return {
      ...(owners.size > 0 && { ownerReferences: [...owners].map(referenceTo) }),
      ...(random(4) === 0 && { finalizers: [foreignFinalizers[random(2)]] }),
    };
  }

  async function grow(kind: string, content: object = {}, more: object = {}): Promise<Planted> {
    const part = `${name}-${kind.toLowerCase()}-${serial++}`;
    const one = await create(kind, part, content, { ...metadataFor(kind), ...more });
    planted.push(one);
    return one;
  }

  await create(
    'Namespace',
    name,
    {},
    random(6) === 0 ? { finalizers: [foreignFinalizers[0]] } : {},
  );
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
  async function createNode(part: string): Promise<Planted> {
    const finalizers = random(5) === 0 && { finalizers: [foreignFinalizers[1]] };
    const node = await create('Node', part, {}, { labels: { case: name }, ...finalizers });
    await plane.report(`${collectionOf('Node', '')}/${node.name}`, { conditions: [ready] });
    const lease = { leaseDurationSeconds: 40, renewTime: now.replace('Z', '000Z') };
    await create('Lease', part, { spec: lease }, { ownerReferences: [referenceTo(node)] });
    return node;
  }
  const nodes = [await createNode(`${name}-node`), await createNode(`${name}-node-2`)] as const;

  /** Bound to a Node, or never to any. */
  const podSpec = (isBound = random(2) === 0) => ({
    ...(isBound && { nodeName: nodes[random(4) === 0 ? 1 : 0].name }),
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'example.com/main:1' }],
  });

  const volume = (claim: string) =>
    grow('PersistentVolume', {
      spec: volumeSpec(`kubectl-gc-upper-bound/${name}-${claim}`, {
        persistentVolumeReclaimPolicy: random(2) === 0 ? 'Delete' : 'Retain',
        claimRef: { namespace: name, name: claim },
      }),
    });

  const growers: Readonly<Record<string, () => Promise<unknown>>> = {
    ConfigMap: () => grow('ConfigMap', { data: { yes: 'no' } }),
    Secret: () => grow('Secret', { stringData: { password: 'none' } }),
    Widget: () => grow('Widget', { spec: { size: random(9) } }),
    Gadget: () => grow('Gadget', { spec: { size: random(9) } }),
    Deployment: () => {
      const labels = { deployment: `${serial}` };
      return grow('Deployment', {
        spec: {
          replicas: random(3),
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec() },
        },
      });
    },
    StatefulSet: async () => {
      const labels = { set: `${serial}` };
      const replicas = random(3);
      const volumes = random(4) > 0;
      const own = metadataFor('StatefulSet');
      const part = `${name}-set-${serial++}`;
      for (let ordinal = 0; ordinal < replicas && volumes; ordinal++) {
        await volume(`data-${part}-${ordinal}`);
      }
      const spec = {
        replicas,
        serviceName: part,
        podManagementPolicy: random(2) === 0 ? 'Parallel' : 'OrderedReady',
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: random(2) === 0 ? 'Delete' : 'Retain',
          whenScaled: random(2) === 0 ? 'Delete' : 'Retain',
        },
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec() },
        volumeClaimTemplates: volumes ? [{ metadata: { name: 'data' }, spec: claimSpec }] : [],
      };
      planted.push(await create('StatefulSet', part, { spec }, own));
    },
    PersistentVolumeClaim: async () => {
      const claim = `${name}-claim-${serial++}`;
      if (random(4) > 0) await volume(claim);
      const own = metadataFor('PersistentVolumeClaim');
      planted.push(await create('PersistentVolumeClaim', claim, { spec: claimSpec }, own));
      if (random(2) === 0) {
        const mounted = [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
        await grow('Pod', { spec: { ...podSpec(), volumes: mounted } });
      }
    },
    Service: async () => {
      const hasSelector = random(3) > 0;
      const selector = hasSelector ? { selector: { deployment: `${random(6)}` } } : {};
      const made = await grow('Service', { spec: { ...selector, ports: [{ port: 80 }] } });
      if (hasSelector || random(2) === 0) return;
      const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }];
      planted.push(await create('Endpoints', made.name, { subsets }));
    },
    CustomResourceDefinition: async () => {
      const thing = thingOf(name);
      const definition = `${thing.plural}.${thing.group}`;
      const home = { kind: 'CustomResourceDefinition', namespace: '' };
      const path = `${collectionOf(home.kind, '')}/${definition}`;
      const { apiVersion = '', metadata } = await plane.get<KubeObject>(path);
      const uid = `${metadata.uid}`;
      planted.push({ ...home, apiVersion, name: definition, uid, hasOwner: false });
      for (let count = random(4); count > 0; count--) await grow(thing.kind, { spec: {} });
    },
    ResourceQuota: () => grow('ResourceQuota', { spec: { hard: { secrets: '99' } } }),
    PodDisruptionBudget: () =>
      grow('PodDisruptionBudget', { spec: { maxUnavailable: 0, selector: {} } }),
    HorizontalPodAutoscaler: () => {
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
      return grow('HorizontalPodAutoscaler', { spec: { scaleTargetRef, maxReplicas: 3 } });
    },
    ServiceAccount: async () => {
      const account = await grow('ServiceAccount');
      const annotations = { 'kubernetes.io/service-account.name': account.name };
      const type = 'kubernetes.io/service-account-token';
      if (random(4) > 0) await grow('Secret', { type }, { annotations });
    },
    Pod: () => grow('Pod', { spec: podSpec(random(4) > 0) }),
    // Nothing serves the kind of its owner: it stays until its namespace goes.
    unresolvable: () => growDangling('example.com/v1', 'Nothing', {}),
    ...othersGrowers({ name, random, planted, create, grow, referenceTo }),
    // Being deleted already, and held until the operator comes.
    dangling: async () => {
      const part = await growDangling('v1', 'ConfigMap', { finalizers: [foreignFinalizers[0]] });
      const path = `${collectionOf('Secret', name)}/${part}`;
      await eventually('the deletions of the collector', async () => {
        const { metadata } = await plane.get<KubeObject>(path);
        return metadata.deletionTimestamp;
      });
    },
  };

  async function growDangling(apiVersion: string, kind: string, more: object): Promise<string> {
    const owner = { apiVersion, kind, name: 'gone', uid: '00000000-0000-4000-8000-000000000000' };
    const part = `${name}-dangling-${serial++}`;
    // Owns nothing itself: it goes for a reason of its own.
    await create('Secret', part, {}, { ...more, ownerReferences: [owner] });
    return part;
  }

  const left = ['CustomResourceDefinition', ...(collectsGarbage ? [] : ['dangling'])];
  const names = Object.keys(growers).filter((kind) => !left.includes(kind));
  const least =
    wanted === 'Node' ? 'Pod' : wanted === 'PersistentVolume' ? 'PersistentVolumeClaim' : wanted;
  const needed = least in growers ? [least] : [];
  // Owners that lead to more come first.
  const first = ['ConfigMap', 'Widget', 'Gadget'][random(3)] ?? 'ConfigMap';
  const rest = Array.from({ length: 2 + random(6) }, () => names[random(names.length)] ?? first);
  for (const one of [first, 'Widget', ...needed, ...rest]) await growers[one]?.();
  return { planted, nodes };
}
