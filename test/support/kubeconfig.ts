import { writeFileSync } from 'node:fs';

/** A kubeconfig of one context, its cluster and its user. */
export function kubeconfigOf(cluster: object, user?: object, context: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: user === undefined ? [] : [{ name: 'user', user }],
    contexts: [
      { name: 'context', context: { cluster: 'cluster', user: user && 'user', ...context } },
    ],
    'current-context': 'context',
  };
}

/** Writes such a kubeconfig to that path, and returns the path. */
export function writeKubeconfig(path: string, cluster: object, user?: object): string {
  writeFileSync(path, JSON.stringify(kubeconfigOf(cluster, user)));
  return path;
}
