import { inject } from 'vitest';
import { type Cluster, type ClusterAccess, connect } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    controlPlane: ClusterAccess;
  }
}

/**
 * The control plane that all live tests share: every controller except those that judge nodes
 * (no kubelet runs) and the kinds of `exampleDefinitions`. Tests use namespaces of their own.
 */
export function sharedControlPlane(): Cluster {
  return connect(inject('controlPlane'));
}
