import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.ts';
import type { Random } from './restore-trees.ts';
import { collectionOf, isForeign } from './upper-bound-clusters.ts';
import { caseOf, type Seen, type WatchedCluster } from './watched-cluster.ts';

/** A small operator that removes its finalizers after a while, and the kubelets of all Nodes. */
export interface Agents {
  /** Acts on an object that was created or has changed, or is gone. */
  see(object: Seen, isGone: boolean): void;
  /**
   * The operator begins to work on a case when one of these objects is deleted that was not yet: what it
   * removes before that, no backup could hold.
   */
  awaitDeletion(name: string, before: readonly Seen[]): void;
  /** Resolves when what they have begun is done. */
  idle(): Promise<void>;
}

export function startAgents(cluster: Cluster, world: () => WatchedCluster, random: Random): Agents {
  /** Where the operator works. */
  const operated = new Set<string>();
  /** uids of what was not being deleted in the cases that are about to be worked on. */
  const awaited = new Map<string, ReadonlySet<string>>();
  const isNode = (name: string) =>
    [...world().objects.values()].some((object) => object.kind === 'Node' && object.name === name);
  const running = new Set<Promise<unknown>>();

  function begin(work: Promise<unknown>): void {
    running.add(work);
    work.finally(() => running.delete(work));
  }

  function see(object: Seen, isGone: boolean): void {
    const name = caseOf(object);
    if (awaited.get(name)?.has(object.uid) && (isGone || object.isTerminating)) {
      awaited.delete(name);
      operated.add(name);
      for (const other of world().of(name)) see(other, false);
      return;
    }
    if (!object.isTerminating || isGone) return;
    if (object.finalizers.some(isForeign)) {
      if (operated.has(name)) begin(release(object, random(600)));
    } else if (object.kind === 'Pod' && isNode(object.nodeName)) {
      const body = { gracePeriodSeconds: 0, preconditions: { uid: object.uid } };
      begin(cluster.request(pathOf(object), { method: 'DELETE', body }));
    }
  }

  /** Fails where somebody else has changed the object meanwhile: that change is seen as well. */
  async function release(object: Seen, after: number): Promise<void> {
    await sleep(after);
    const { uid, resourceVersion } = object;
    const finalizers = object.finalizers.filter((finalizer) => !isForeign(finalizer));
    await cluster.request(pathOf(object), {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { uid, resourceVersion, finalizers } },
    });
  }

  return {
    see,
    awaitDeletion: (name, before) => {
      const uids = before.flatMap(({ isTerminating, uid }) => (isTerminating ? [] : uid));
      awaited.set(name, new Set(uids));
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

export function pathOf({ kind, namespace, name }: Pick<Seen, 'kind' | 'namespace' | 'name'>) {
  return `${collectionOf(kind, namespace)}/${name}`;
}
