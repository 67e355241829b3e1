import { objectPath } from '../../src/cluster/api-path.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import { type Delivered, finalizeTool, kindOf, tools } from './delivery-tools.ts';
import type { Random } from './seeded-random.ts';

/** Of a random small cluster with objects that other controllers than the garbage collector delete. */
export interface Planted {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly hasOwner: boolean;
}

/** Objects that programs outside of Kubernetes delete, and those that the collector passes over until their owner is deleted. */
export interface Growing {
  readonly name: string;
  readonly random: Random;
  readonly planted: Planted[];
  readonly create: (
    kind: string,
    part: string,
    content?: object,
    metadata?: object,
  ) => Promise<Planted>;
  readonly grow: (kind: string, content?: object, metadata?: object) => Promise<Planted>;
  readonly referenceTo: (owner: Planted) => object;
}

const ttl = 'cleanup.kyverno.io/ttl';
const syncOptions = 'argocd.argoproj.io/sync-options';
const approved = 'argocd.argoproj.io/deletion-approved';

/** When Kyverno deletes the object, in milliseconds from its creation; undefined: never. */
export function lifeOf(labels: Readonly<Record<string, string>>): number | undefined {
  const seconds = labels[ttl];
  return seconds === undefined ? undefined : Number.parseInt(seconds, 10) * 1_000;
}

export const orphaningPart = '-orphaning-';

export function othersGrowers({ name, random, planted, create, grow, referenceTo }: Growing) {
  let serial = 0;
  const oneOf = <T>(list: readonly T[]) => list[random(list.length)] as T;
  return {
    // It may be deleted before, while and after the targets are, and owns nothing.
    expiring: async () => {
      const owners = planted.filter(({ namespace }) => namespace === name);
      const ownerReferences = owners.length > 0 && random(2) === 0 ? [oneOf(owners)] : [];
      await create(oneOf(['ConfigMap', 'Secret']), `${name}-expiring-${serial++}`, undefined, {
        labels: { [ttl]: `${20 + random(60)}s` },
        ownerReferences: ownerReferences.map(referenceTo),
      });
    },
    // A version that is not served keeps it, until its owner is deleted with `orphan`: then its other owners count.
    orphaning: async () => {
      const owner = await create('Widget', `${name}${orphaningPart}${serial++}`, { spec: {} });
      planted.push(owner);
      const old = { ...referenceTo(owner), apiVersion: 'example.com/v1alpha1' };
      const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: crypto.randomUUID() };
      for (let count = 1 + random(3); count > 0; count--) {
        const others = oneOf([
          [],
          [gone],
          [gone],
          planted
            .filter((one) => one.namespace === name)
            .slice(0, 1)
            .map(referenceTo),
        ]);
        const ownerReferences = [old, ...others];
        await create('Secret', `${name}-frozen-${serial++}`, undefined, { ownerReferences });
      }
    },
    Application: async () => {
      const app = `${name}-app-${serial++}`;
      const resources = [];
      for (let count = 1 + random(3); count > 0; count--) {
        const kind = oneOf(['ConfigMap', 'Secret', 'Widget'] as const);
        const part = `${name}-applied-${serial++}`;
        const place = {
          app,
          namespace: name,
          group: kindOf(kind).group,
          kind,
          name: part,
          home: name,
        };
        const { annotations } = tools.Application.marks(place);
        const option = oneOf(['', '', 'Delete=confirm', 'Delete=false']);
        const marks = { ...annotations, ...(option !== '' && { [syncOptions]: option }) };
        const applied = await create(kind, part, undefined, { annotations: marks });
        planted.push(applied);
        resources.push({ group: place.group, version: 'v1', kind, namespace: name, name: part });
        if (random(2) === 0) {
          await grow('ConfigMap', undefined, { ownerReferences: [referenceTo(applied)] });
        }
      }
      const content = { spec: tools.Application.spec, status: { resources } };
      const { finalizer } = tools.Application;
      const finalizers = random(4) === 0 ? [] : [`${finalizer}${oneOf(['', '/background'])}`];
      planted.push(await create('Application', app, content, { finalizers }));
    },
  };
}

/** A step of Argo CD's controller, and of the user who approves the deletion; answers whether there is more to do. */
export async function finalizeApplication(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const path = objectPath(kindOf('Application'), namespace, name);
  const { status, body } = await cluster.request(path);
  if (status !== 200) return false;
  const app = { ...(JSON.parse(body) as Delivered), kind: 'Application' };
  const lists = (['ConfigMap', 'Secret', 'Widget'] as const).map(async (kind) => {
    const found = await cluster.list<KubeObject>(objectPath(kindOf(kind), namespace));
    return found.map((one) => ({ ...one, kind }) as unknown as Delivered);
  });
  const all = (await Promise.all(lists)).flat();
  const needsApproval = tools.Application.due(app, all).some(
    ({ metadata }) => metadata.annotations?.[syncOptions] === 'Delete=confirm',
  );
  // Argo CD deletes nothing until then (finalizeApplicationDeletion).
  if (needsApproval && app.metadata.annotations?.[approved] === undefined) {
    await cluster.merge(path, {
      metadata: { annotations: { [approved]: new Date().toISOString() } },
    });
  } else {
    await finalizeTool(cluster, app, all);
  }
  return true;
}
