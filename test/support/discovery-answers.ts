const clusterScoped = new Set(['Namespace', 'Node']);
const verbs = ['create', 'delete', 'get', 'list', 'patch', 'watch'];

/** What an API server answers that serves these kinds of the core group, and none of apps, by path. */
export function discoveryOf(...kinds: readonly string[]) {
  const resources = kinds.map((kind) => ({
    resource: `${kind.toLowerCase()}s`,
    responseKind: { kind },
    scope: clusterScoped.has(kind) ? 'Cluster' : 'Namespaced',
    verbs,
  }));
  const groups = (...items: readonly object[]) => ({ kind: 'APIGroupDiscoveryList', items });
  return {
    '/version': { gitVersion: 'v1.36.3', major: '1', minor: '36' },
    '/api': groups({ metadata: {}, versions: [{ version: 'v1', resources }] }),
    '/apis': groups({ metadata: { name: 'apps' }, versions: [] }),
  };
}
