import type { Cluster } from './cluster.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** Lets a user do this in a namespace; without one, in the whole cluster. */
export async function permit(
  cluster: Cluster,
  user: string,
  rules: readonly object[],
  namespace?: string,
): Promise<void> {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const path = `${pathOf(namespace)}/${kind.toLowerCase()}s`;
  await cluster.create(path, { metadata: { name: user }, rules });
  await bind(cluster, user, kind, user, namespace);
}

/** Gives a user a role that exists. */
export async function bind(
  cluster: Cluster,
  user: string,
  kind: 'ClusterRole' | 'Role',
  name: string,
  namespace?: string,
): Promise<void> {
  const bindings = namespace === undefined ? 'clusterrolebindings' : 'rolebindings';
  await cluster.create(`${pathOf(namespace)}/${bindings}`, {
    metadata: { name: `${user}-${name}` },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
}

function pathOf(namespace: string | undefined): string {
  return `/apis/${apiGroup}/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`;
}
