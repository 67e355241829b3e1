import type { ResourceType } from '../kube/resource-type.ts';
import type { WatchTarget } from '../sources/cluster/watch-target.ts';
import type { TrackedObject } from './tracked-object.ts';

/** Objects that are followed with one list and one watch. */
export interface Scope extends WatchTarget {
  readonly objects: readonly TrackedObject[];
}

/** A kind in more namespaces than this is followed in all of them at once. */
const mostNamespaces = 3;

/**
 * What to list and watch so that every object is seen; the kinds with most objects first. Single
 * objects are watched by name, unless other objects of their kind and namespace are of interest.
 */
export function scopesOf(objects: Iterable<TrackedObject>, others: boolean): Scope[] {
  const byType = new Map<ResourceType, TrackedObject[]>();
  for (const object of objects) {
    if (!object.type) continue;
    const list = byType.get(object.type);
    if (list) list.push(object);
    else byType.set(object.type, [object]);
  }
  const scopes = [...byType].flatMap(([type, list]) => {
    const whole = { type, namespace: undefined, objects: list };
    // Whoever may see one namespace or node need not be allowed to list them all.
    if (!type.namespaced) return list.length === 1 ? splitByName(whole) : [whole];
    if (!others && list.length === 1) return splitByName(whole);
    const parts = splitByNamespace(whole);
    return parts.length > mostNamespaces ? [whole] : parts;
  });
  return scopes.sort((a, b) => b.objects.length - a.objects.length);
}

/** The same objects, a scope for each namespace. */
export function splitByNamespace({ type, objects }: Scope): Scope[] {
  const byNamespace = new Map<string, TrackedObject[]>();
  for (const object of objects) {
    const { namespace } = object.planned;
    const list = byNamespace.get(namespace);
    if (list) list.push(object);
    else byNamespace.set(namespace, [object]);
  }
  return [...byNamespace].map(([namespace, list]) => ({ type, namespace, objects: list }));
}

/** The same objects, a scope for each. */
export function splitByName({ type, objects }: Scope): Scope[] {
  return objects.map((object) => ({
    type,
    namespace: object.planned.namespace || undefined,
    name: object.planned.name,
    objects: [object],
  }));
}
