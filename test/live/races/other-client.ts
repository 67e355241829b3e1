import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Cluster } from '../../support/cluster.ts';
import type { Random } from '../seeded-random.ts';

/** The namespace of all races of a file; it holds what one race is about. */
export const arena = 'arena';

const collections = {
  ConfigMap: `/api/v1/namespaces/${arena}/configmaps`,
  Secret: `/api/v1/namespaces/${arena}/secrets`,
  Pod: `/api/v1/namespaces/${arena}/pods`,
  Job: `/apis/batch/v1/namespaces/${arena}/jobs`,
  Node: '/api/v1/nodes',
} as const;
type Kind = keyof typeof collections;

/** What there is, by path. */
export type World = ReadonlyMap<string, KubeObject>;

export const pathOf = ({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>) =>
  `${collections[kind as Kind]}/${metadata.name}`;

export async function worldOf(plane: Cluster): Promise<World> {
  const world = new Map<string, KubeObject>();
  for (const [kind, collection] of Object.entries(collections)) {
    const items = await plane.list(collection);
    for (const item of items) world.set(`${collection}/${item.metadata.name}`, { ...item, kind });
  }
  return world;
}

/** A ConfigMap of the arena. */
export const configMap = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: arena, ...metadata },
  data: { of: name },
});

export const ownerTo = (name: string, uid: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});

export interface Reference {
  readonly name: string;
  readonly uid: string;
}
export const ownersOf = ({ metadata }: KubeObject) =>
  (metadata.ownerReferences ?? []) as readonly Reference[];
export const finalizersOf = ({ metadata }: KubeObject) =>
  (metadata.finalizers ?? []) as readonly string[];

/** Somebody else who works on the same objects. */
export class OtherClient {
  readonly #plane: Cluster;

  constructor(plane: Cluster) {
    this.#plane = plane;
  }

  /** Puts objects there as they are, past the API server. */
  async put(...objects: readonly KubeObject[]): Promise<void> {
    await this.#plane.putObjects(objects);
  }

  /** Changes an object; one that is gone stays so. */
  async change(path: string, changes: object): Promise<void> {
    await this.#plane.merge(path, changes);
  }

  /** Undefined: nothing is there. */
  async find(path: string): Promise<KubeObject | undefined> {
    const { status, body } = await this.#plane.request(path);
    return status === 200 ? (JSON.parse(body) as KubeObject) : undefined;
  }

  /** Lets it go at once, whatever holds it. */
  async remove(path: string): Promise<void> {
    const query = 'propagationPolicy=Background&gracePeriodSeconds=0';
    await this.change(path, { metadata: { finalizers: null } });
    await this.#plane.remove(`${path}?${query}`);
  }

  async beginDeletion(path: string): Promise<void> {
    const found = await this.find(path);
    if (!found) return;
    await this.change(path, { metadata: { finalizers: [...finalizersOf(found), slow] } });
    await this.#plane.remove(`${path}?propagationPolicy=Background`);
  }

  /** Another object takes its name: with all that it had, or with nothing but its content. */
  async replace(path: string, isLike: boolean): Promise<void> {
    const found = await this.find(path);
    if (!found) return;
    await this.remove(path);
    const { name, namespace, labels, finalizers, ownerReferences } = found.metadata;
    const kept = isLike ? { labels, finalizers, ownerReferences } : {};
    await this.put({ ...found, metadata: { name, namespace, ...kept } } as KubeObject);
  }

  /** Takes away all that is there. */
  async clear(): Promise<void> {
    for (const path of (await worldOf(this.#plane)).keys()) await this.remove(path);
  }
}

const slow = 'example.com/slow';
/** A finalizer that nothing removes. */
export const foreign = 'example.com/foreign';

export interface Deed {
  readonly name: string;
  readonly work: (other: OtherClient, path: string) => Promise<void>;
}

/** What may happen to any object. `keeper` is one that may become an owner. */
export const deeds = (keeper: string): readonly Deed[] => [
  { name: 'is replaced by a copy', work: (other, path) => other.replace(path, true) },
  { name: 'is replaced', work: (other, path) => other.replace(path, false) },
  { name: 'goes', work: (other, path) => other.remove(path) },
  { name: 'is being deleted', work: (other, path) => other.beginDeletion(path) },
  {
    name: 'gets an owner',
    work: async (other, path) => {
      const found = await other.find(path);
      const owner = await other.find(pathOf(configMap(keeper)));
      if (!found || !owner) return;
      const reference = ownerTo(keeper, String(owner.metadata.uid));
      const ownerReferences = [...ownersOf(found), reference];
      await other.change(path, { metadata: { ownerReferences } });
    },
  },
  {
    name: 'loses its owners',
    work: (other, path) => other.change(path, { metadata: { ownerReferences: null } }),
  },
  {
    name: 'gets a finalizer',
    work: async (other, path) => {
      const found = await other.find(path);
      const finalizers = [foreign, ...finalizersOf(found ?? configMap(''))];
      await other.change(path, { metadata: { finalizers } });
    },
  },
  {
    name: 'loses its finalizers',
    work: (other, path) => other.change(path, { metadata: { finalizers: null } }),
  },
  {
    name: 'gets a label',
    work: (other, path) => other.change(path, { metadata: { labels: { touched: 'yes' } } }),
  },
  {
    name: 'gets an annotation',
    work: (other, path) => other.change(path, { metadata: { annotations: { touched: 'yes' } } }),
  },
];

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random(list.length)] as T;
}
