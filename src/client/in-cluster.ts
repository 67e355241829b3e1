import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientEnvironment } from './client-environment.ts';
import {
  emptyCluster,
  emptyUser,
  type KubeconfigCluster,
  type KubeconfigUser,
} from './kubeconfig.ts';

export interface InClusterEntries {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace: string;
}

/** The connection of a pod's service account; undefined outside of a pod. */
export function inClusterEntries(environment: ClientEnvironment): InClusterEntries | undefined {
  const { env, serviceAccountDirectory } = environment;
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  const tokenFile = join(serviceAccountDirectory, 'token');
  if (!host || !port || !isFile(tokenFile)) return undefined;
  const authority = join(serviceAccountDirectory, 'ca.crt');
  return {
    cluster: {
      ...emptyCluster,
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: isFile(authority) ? authority : '',
    },
    user: { ...emptyUser, tokenFile },
    namespace: env.POD_NAMESPACE || namespaceOf(serviceAccountDirectory),
  };
}

function namespaceOf(directory: string): string {
  const file = join(directory, 'namespace');
  return (isFile(file) && readFileSync(file, 'utf8').trim()) || 'default';
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
