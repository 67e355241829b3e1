import type { ResourceType } from '../../src/kube/resource-type.ts';

interface GroupDiscovery {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly VersionDiscovery[];
}

interface VersionDiscovery {
  readonly version: string;
  readonly freshness: string;
  readonly resources: readonly ResourceDiscovery[];
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What a client must accept to get every group of a server in one answer. */
const aggregatedDiscovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * The kinds a server serves, from its aggregated answers to /api and /apis, in their order.
 * Group versions whose discovery failed are left out.
 */
export async function servedTypes(
  get: (path: string, accept: string) => Promise<unknown>,
): Promise<ResourceType[]> {
  const types: ResourceType[] = [];
  for (const path of ['/api', '/apis']) {
    const { items } = (await get(path, aggregatedDiscovery)) as { items: GroupDiscovery[] };
    for (const { metadata, versions } of items) {
      for (const { version, freshness, resources } of versions) {
        if (freshness !== 'Current') continue;
        for (const resource of resources)
          types.push(typeOf(metadata.name ?? '', version, resource));
      }
    }
  }
  return types;
}

function typeOf(group: string, version: string, found: ResourceDiscovery): ResourceType {
  return {
    group,
    version,
    kind: found.responseKind.kind,
    resource: found.resource,
    singular: found.singularResource,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
  };
}
