import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.ts';
import type { Random } from './restore-trees.ts';
import { collectionOf, isForeign } from './upper-bound-clusters.ts';
import { caseOf, type Seen } from './watched-cluster.ts';

/** A small operator that removes its finalizers after a while, and the kubelets of all Nodes. */
export interface Agents {
  /** Acts on an object that was created or has changed. */
  see(object: Seen): void;
  /** The operator begins to work on these objects and on what changes of their case. */
  operate(name: string, objects: readonly Seen[]): void;
  /** Resolves when what they have begun is done. */
  idle(): Promise<void>;
}

export function startAgents(
  cluster: Cluster,
  isNode: (name: string) => boolean,
  random: Random,
): Agents {
  /** Where the operator works: nowhere until the plan has been made. */
  const operated = new Set<string>();
  const running = new Set<Promise<unknown>>();

  function begin(work: Promise<unknown>): void {
    running.add(work);
    work.finally(() => running.delete(work));
  }

  function see(object: Seen): void {
    if (!object.isTerminating) return;
    if (object.finalizers.some(isForeign)) {
      if (operated.has(caseOf(object))) begin(release(object, random(600)));
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
    operate: (name, objects) => {
      operated.add(name);
      objects.forEach(see);
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

export function pathOf({ kind, namespace, name }: Pick<Seen, 'kind' | 'namespace' | 'name'>) {
  return `${collectionOf(kind, namespace)}/${name}`;
}
