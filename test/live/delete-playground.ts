import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../support/cluster.ts';
import type { Run } from '../support/command-line.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';

export interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** Namespaces to delete from, a folder for backups and plans, and the built command line. */
export interface Playground {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `kubectl gc delete` with this. */
  run(line: string): Promise<Run>;
  /**
   * Makes a namespace with ConfigMaps: `top` owns `left` and `right`, `left` owns `bottom`, which has
   * these finalizers. Answers the path of its ConfigMaps.
   */
  familyIn(namespace: string, finalizers?: readonly string[]): Promise<string>;
  /** The ConfigMaps of a namespace, without the one that every namespace has. */
  namesIn(path: string): Promise<string[]>;
  /** Takes the finalizers off. */
  release(path: string, name: string): Promise<void>;
  /** Lets a user do this with these kinds of a namespace; `*` stands for all kinds. */
  grant(namespace: string, user: string, verbs: string[], resources: string[]): Promise<void>;
  remove(): Promise<void>;
}

/** What an owner reference to a ConfigMap says. */
export function referenceTo({ metadata: { name, uid } }: Named) {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
}

export function playground(plane: Cluster): Playground {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-delete-'));
  const made: string[] = [];
  const env = {
    KUBECONFIG: plane.kubeconfigPath,
    KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
  };
  return {
    folder,
    env,
    run: (line) => gc(`delete ${line}`, { env }),
    familyIn: async (namespace, finalizers = []) => {
      made.push(namespace);
      await plane.make(`Namespace ${namespace}`);
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const child = (name: string, owner: Named, more: object = {}) => {
        const ownerReferences = [{ ...referenceTo(owner), blockOwnerDeletion: true }];
        return plane.make<Named>(`ConfigMap ${namespace}/${name}`, {
          metadata: { ownerReferences, ...more },
        });
      };
      const top = await plane.make<Named>(`ConfigMap ${namespace}/top`);
      const left = await child('left', top);
      await child('right', top);
      await child('bottom', left, { finalizers });
      return path;
    },
    namesIn: async (path) => {
      const { items } = await plane.get<{ items: Named[] }>(path);
      const names = items.map(({ metadata: { name } }) => name);
      return names.filter((name) => name !== 'kube-root-ca.crt');
    },
    release: async (path, name) => {
      await plane.patch(`${path}/${name}`, { metadata: { finalizers: null } });
    },
    grant: async (namespace, user, verbs, resources) => {
      const apiGroups = resources.includes('*') ? ['*'] : [''];
      await permit(plane, user, [{ apiGroups, resources, verbs }], namespace);
    },
    remove: async () => {
      rmSync(folder, { recursive: true });
      for (const name of made) {
        await plane.request(`/api/v1/namespaces/${name}`, { method: 'DELETE' });
      }
    },
  };
}
