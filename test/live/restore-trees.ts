import type { Fate, PlannedObject } from '../../src/deletion/plan/plan.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';

/** Random ownership trees on a real cluster, and what their graph looks like apart from uids. */
export interface Tree {
  readonly objects: readonly TreeObject[];
  /** Deleted with this policy; everything else follows. */
  readonly roots: readonly TreeObject[];
  readonly policy: 'Background' | 'Foreground';
}

export interface TreeObject {
  readonly path: string;
  readonly planned: PlannedObject;
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly content: (value: string) => object;
}

const kinds: readonly Kind[] = [
  {
    apiVersion: 'example.com/v1',
    kind: 'Gadget',
    resource: 'gadgets',
    namespaced: false,
    content: (size) => ({ spec: { size, nested: { on: true } } }),
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    resource: 'widgets',
    namespaced: true,
    content: (size) => ({ spec: { size } }),
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    namespaced: true,
    content: (yes) => ({ data: { yes, on: 'off', lines: 'a\nb: c\n' } }),
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    resource: 'secrets',
    namespaced: true,
    content: (password) => ({ stringData: { password } }),
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    resource: 'clusterroles',
    namespaced: false,
    content: () => ({ rules: [] }),
  },
];

export type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function collectionOf({ apiVersion, resource, namespaced }: Kind, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespaced ? `/namespaces/${namespace}` : ''}/${resource}`;
}

const finalizer = 'example.com/restore-test';

/** Creates a tree of 4 to 10 objects: several owners, cluster-scoped owners, finalizers, now and then a circle. */
export async function plantTree(
  cluster: Cluster,
  namespace: string,
  name: string,
  random: Random,
): Promise<Tree> {
  const planted: { kind: Kind; object: KubeObject; path: string; owners: number[] }[] = [];
  const size = 4 + random(7);
  for (let index = 0; index < size; index++) {
    const kind = pickKind(index, random);
    const owners = ownersFor(index, planted, kind, random);
    const ownerReferences = owners.map((owner, at) => ({
      apiVersion: planted[owner]?.kind.apiVersion,
      kind: planted[owner]?.kind.kind,
      name: planted[owner]?.object.metadata.name,
      uid: planted[owner]?.object.metadata.uid,
      ...(random(2) === 0 && { blockOwnerDeletion: random(2) === 0 }),
      ...(at === 0 && random(2) === 0 && { controller: true }),
    }));
    const collection = collectionOf(kind, namespace);
    const objectName = `${name}-${index}${kind.kind === 'ClusterRole' ? ':Role' : ''}`;
    const object = await cluster.create<KubeObject>(collection, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: {
        name: objectName,
        labels: { tree: name },
        ...(ownerReferences.length > 0 && { ownerReferences }),
        ...(random(6) === 0 && { finalizers: [finalizer] }),
      },
      ...kind.content(`${index}`),
    });
    planted.push({ kind, object, path: `${collection}/${encodeURIComponent(objectName)}`, owners });
  }
  const circle = random(5) === 0 ? await closeCircle(cluster, planted) : undefined;
  const objects = planted.map(({ object, path, owners }): TreeObject => {
    return { path, planned: plannedOf(object, owners.length === 0 ? 0 : 1, 'deleted') };
  });
  const roots = objects.filter(({ planned }, index) => planned.wave === 0 || index === circle);
  return { objects, roots, policy: random(2) === 0 ? 'Background' : 'Foreground' };
}

function pickKind(index: number, random: Random): Kind {
  const kind = kinds[index === 0 ? random(3) : random(kinds.length)];
  if (!kind) throw new Error('there is no such kind');
  return kind;
}

/** Up to three of the objects before, cluster-scoped ones for cluster-scoped objects; the first few may be roots. */
function ownersFor(
  index: number,
  planted: readonly { readonly kind: Kind }[],
  kind: Kind,
  random: Random,
): number[] {
  const possible = planted.flatMap((one, at) =>
    kind.namespaced || !one.kind.namespaced ? [at] : [],
  );
  if (index < 2 && random(3) === 0) return [];
  const owners = new Set<number>();
  for (let tries = 1 + random(3); tries > 0 && possible.length > 0; tries--) {
    owners.add(possible[random(possible.length)] ?? 0);
  }
  return [...owners];
}

/** The first root gets one of its dependents as an owner. */
async function closeCircle(
  cluster: Cluster,
  planted: readonly {
    readonly kind: Kind;
    readonly object: KubeObject;
    readonly path: string;
    readonly owners: number[];
  }[],
): Promise<number | undefined> {
  const root = planted.findIndex(({ owners }) => owners.length === 0);
  const top = planted[root];
  const member = planted.find(
    ({ owners, kind }) => owners.includes(root) && (top?.kind.namespaced || !kind.namespaced),
  );
  if (!top || !member) return undefined;
  const { apiVersion, kind } = member.kind;
  const { name, uid } = member.object.metadata;
  await cluster.patch(top.path, {
    metadata: { ownerReferences: [{ apiVersion, kind, name, uid }] },
  });
  return root;
}

export function plannedOf(object: KubeObject, wave: number, fate: Fate): PlannedObject {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    namespace: String(metadata.namespace ?? ''),
    name: String(metadata.name),
    uid: String(metadata.uid),
    wave,
    fate,
    because: '',
    rule: '',
    blockedBy: [],
  };
}

/** Deletes the roots, plays the controllers of the finalizers, and waits until everything is gone. */
export async function fellTree(cluster: Cluster, { objects, roots, policy }: Tree): Promise<void> {
  for (const { path } of roots) {
    await cluster.request(path, { method: 'DELETE', body: { propagationPolicy: policy } });
  }
  const left = new Set(objects.map(({ path }) => path));
  for (const until = Date.now() + 60_000; left.size > 0; ) {
    for (const path of left) {
      const { status, body } = await cluster.request(path);
      if (status === 404) left.delete(path);
      const { metadata } = JSON.parse(body) as KubeObject;
      const finalizers = metadata?.finalizers as string[] | undefined;
      if (!metadata?.deletionTimestamp || !finalizers?.includes(finalizer)) continue;
      await cluster
        .patch(path, {
          metadata: { finalizers: finalizers.filter((one) => one !== finalizer) },
        })
        .catch(() => undefined);
    }
    if (left.size > 0 && Date.now() > until) throw new Error(`not gone: ${[...left].join(' ')}`);
    if (left.size > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Every object with its content and its owners by name; `sound`: each reference has its owner's uid. */
export interface Picture {
  readonly objects: Readonly<Record<string, unknown>>;
  readonly unsound: readonly string[];
  /** uid and resourceVersion of each. */
  readonly versions: Readonly<Record<string, string>>;
}

export async function pictureOf(cluster: Cluster, trees: readonly Tree[]): Promise<Picture> {
  const live = new Map<string, KubeObject>();
  for (const path of trees.flatMap(({ objects }) => objects.map((object) => object.path))) {
    const { status, body } = await cluster.request(path);
    if (status === 200) live.set(path, JSON.parse(body) as KubeObject);
  }
  const uids = new Map(
    [...live.values()].map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid]),
  );
  const objects: Record<string, unknown> = {};
  const versions: Record<string, string> = {};
  const unsound: string[] = [];
  for (const [path, object] of live) {
    const { metadata, ...content } = object;
    const { labels, annotations, finalizers, uid, resourceVersion } = metadata;
    const references = (metadata.ownerReferences ?? []) as Record<string, unknown>[];
    for (const { kind, name, uid: owner } of references) {
      if (uids.get(`${kind} ${name}`) !== owner) unsound.push(`${path} → ${kind} ${name}`);
    }
    const owners = references
      .map(({ uid: _, ...reference }) => JSON.stringify(reference, Object.keys(reference).sort()))
      .sort();
    objects[path] = { labels, annotations, finalizers, owners, content };
    versions[path] = `${uid} ${resourceVersion}`;
  }
  return { objects, unsound, versions };
}
