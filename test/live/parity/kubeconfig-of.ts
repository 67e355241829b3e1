import type { World } from './parity-world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A kubeconfig with one context, cluster and user. */
export function kubeconfigOf(cluster: Fields, user?: Fields, context: Fields = {}) {
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

/** The TLS server as a cluster entry that trusts it. */
export function trusted({ tls, authority }: World, fields: Fields = {}): Fields {
  return {
    server: tls.url,
    'certificate-authority-data': base64(authority.certificate),
    ...fields,
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** ~/.kube/config for the TLS server and this user. */
export function home(world: World, user?: Fields, cluster: Fields = {}) {
  return { '.kube/config': kubeconfigOf(trusted(world, cluster), user) };
}
