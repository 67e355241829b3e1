import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';

/** What an owner reference to a ConfigMap says. */
export function referenceTo({
  metadata: { name, uid },
}: {
  readonly metadata: { readonly name?: unknown; readonly uid?: unknown };
}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
}

/** Namespaces to delete from, a folder for backups and plans, and the built command line. */
export function playground(plane: Cluster) {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-delete-'));
  const made: string[] = [];
  const env = {
    KUBECONFIG: plane.kubeconfigPath,
    KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
  };
  return {
    folder,
    env,
    /** Runs `kubectl gc delete` with this. */
    run: (line: string) => gc(`delete ${line}`, { env }),
    /**
     * Makes a namespace with ConfigMaps: `top` owns `left` and `right`, `left` owns `bottom`, which has
     * these finalizers. Answers the path of its ConfigMaps.
     */
    familyIn: async (namespace: string, finalizers: readonly string[] = []) => {
      made.push(namespace);
      await plane.make(`Namespace ${namespace}`);
      const grow = (name: string, owner?: KubeObject, more: object = {}) => {
        const ownerReferences = owner && [{ ...referenceTo(owner), blockOwnerDeletion: true }];
        return plane.make(`ConfigMap ${namespace}/${name}`, {
          metadata: { ownerReferences, ...more },
        });
      };
      const top = await grow('top');
      const left = await grow('left', top);
      await grow('right', top);
      await grow('bottom', left, { finalizers });
      return `/api/v1/namespaces/${namespace}/configmaps`;
    },
    /** The ConfigMaps of a namespace, without the one that every namespace has. */
    namesIn: async (path: string) =>
      (await plane.names(path)).filter((name) => name !== 'kube-root-ca.crt'),
    /** Takes the finalizers off. */
    release: (path: string, name: string) =>
      plane.patch(`${path}/${name}`, { metadata: { finalizers: null } }),
    /** Lets a user do this with these kinds of a namespace; `*` stands for all kinds. */
    grant: (namespace: string, user: string, verbs: string[], resources: string[]) => {
      const apiGroups = resources.includes('*') ? ['*'] : [''];
      return permit(plane, user, [{ apiGroups, resources, verbs }], namespace);
    },
    remove: async () => {
      rmSync(folder, { recursive: true });
      for (const name of made) await plane.remove(`Namespace ${name}`);
    },
  };
}
