import { afterAll, inject } from 'vitest';
import { type Cluster, type ClusterAccess, connect } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    controlPlanes: readonly ClusterAccess[];
  }
}

/**
 * The control plane that live tests share: every controller except those that judge nodes (no kubelet runs)
 * and the kinds of `exampleDefinitions`. Tests use namespaces of their own. Files that run at the same time
 * have different ones, so that each file has the cluster for itself while it runs.
 */
export function sharedControlPlane(): Cluster {
  // The number of the worker, from 1; no two that run at the same time have the same.
  const worker = Number(process.env.VITEST_POOL_ID);
  const access = inject('controlPlanes')[worker - 1];
  if (!access) throw new Error(`worker ${worker} has no control plane`);
  const cluster = connect(access);
  afterAll(() => cluster.disconnect());
  return cluster;
}
