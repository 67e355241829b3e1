import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import { permit } from '../support/permissions.ts';
import { casesOf } from '../support/rows.ts';
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
  const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
    gc(`delete ${line}`, { env: { ...env, ...more } });
  return {
    folder,
    env,
    /** Runs `kubectl gc delete` with this. */
    run,
    /**
     * Runs the lines of a table, one after the other. Below each stand its exit code, what it prints to the letter, behind
     * `> `, and expressions: what stderr has, and behind `! ` what it has not.
     */
    tell: async (table: string) => {
      for (const [line = '', code, ...told] of casesOf(table)) {
        const { stdout, stderr, ...ended } = await run(line);
        const after = (mark: string) =>
          told.flatMap((one) => (one.startsWith(mark) ? one.slice(mark.length) : []));
        const isIn = (expression: string) => new RegExp(expression, 'm').test(stderr);
        const wrong = [
          ...told.filter((one) => !/^[>!] /.test(one) && !isIn(one)),
          ...after('! ').filter(isIn),
        ];
        const wanted = after('> ').map((one) => `${one}\n`);
        expect([line, ended.code, stdout, wrong], stderr).toEqual([
          line,
          Number(code),
          wanted.join(''),
          [],
        ]);
      }
    },
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
