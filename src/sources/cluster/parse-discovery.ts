import type { ResourceType } from '../../kube/resource-type.ts';
import type { FailedGroupVersion } from '../../kube/resource-types.ts';

export interface DiscoveredTypes {
  readonly types: readonly ResourceType[];
  readonly failed: readonly FailedGroupVersion[];
}

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly VersionDiscovery[];
}

interface VersionDiscovery {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly ResourceDiscovery[];
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string } | null;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An APIResourceList of unaggregated discovery. */
export interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly singularName?: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** The types in one APIGroupDiscoveryList (v2 or v2beta1), in the server's order of preference. */
export function typesOfDiscovery(items: readonly unknown[]): DiscoveredTypes {
  const types: ResourceType[] = [];
  const failed: FailedGroupVersion[] = [];
  for (const item of items as readonly GroupDiscovery[]) {
    const group = item.metadata?.name ?? '';
    for (const { version, freshness, resources } of item.versions ?? []) {
      if (freshness === 'Stale') {
        failed.push({ group, version, message: staleMessage(group, version) });
        continue;
      }
      for (const resource of resources ?? []) {
        // client-go drops a resource without a kind, too: nothing can be addressed by it.
        if (!resource.responseKind?.kind) continue;
        types.push({
          group,
          version,
          kind: resource.responseKind.kind,
          resource: resource.resource,
          singular: resource.singularResource || resource.responseKind.kind.toLowerCase(),
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          namespaced: resource.scope === 'Namespaced',
          verbs: resource.verbs ?? [],
        });
      }
    }
  }
  return { types, failed };
}

/** The types in one APIResourceList, subresources left out. */
export function typesOfResourceList(
  group: string,
  version: string,
  list: ResourceList,
): ResourceType[] {
  return (list.resources ?? [])
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      resource: resource.name,
      singular: resource.singularName || resource.kind.toLowerCase(),
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      namespaced: resource.namespaced ?? false,
      verbs: resource.verbs ?? [],
    }));
}

function staleMessage(group: string, version: string): string {
  return `the API ${group}/${version} is not answering, so the kinds it serves are unknown`;
}
