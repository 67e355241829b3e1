import { parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A type nobody described, from what an object says. The plural is a guess. */
export function inferType(apiVersion: string, kind: string, namespaced: boolean): ResourceType {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
  return {
    group,
    version,
    kind,
    resource: guessPlural(kind),
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced,
    verbs,
  };
}

/** Mirrors UnsafeGuessKindToResource, apimachinery pkg/api/meta/restmapper.go. */
function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
