import type { Answer } from './fake-client.ts';

/** What discovery answers that names these groups. */
export function aggregated(...items: unknown[]): Answer {
  return { body: { kind: 'APIGroupDiscoveryList', items } };
}

export function group(name: unknown, ...versions: unknown[]) {
  return { metadata: { name }, versions };
}

/** A version of a group, with these kinds. */
export function version(name: string, ...resources: unknown[]) {
  return { version: name, freshness: 'Current', resources };
}

/** A kind as `pods` is one. */
export function served(resource: string, more: object = {}) {
  const kind = resource.charAt(0).toUpperCase() + resource.slice(1, -1);
  const verbs = ['delete', 'get', 'list', 'watch'];
  return { resource, responseKind: { kind }, scope: 'Namespaced', verbs, ...more };
}
