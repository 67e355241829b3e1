import { claimOf, volumeOf } from './first-decision.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import { type Coordinates, keyOf, type SavedObject } from './saved-object.ts';

/** Everything that a restoration depends on: the objects, their owners, namespaces, definitions and volumes. */
export function placesToLook(
  saved: readonly SavedObject[],
  lookup: OwnerLookup,
): readonly Coordinates[] {
  const places = new Map<string, Coordinates>();
  const add = (place: Coordinates | undefined): void => {
    if (place) places.set(keyOf(place), place);
  };
  for (const object of saved) {
    add({ type: object.type, namespace: object.namespace, name: object.name });
    add(namespaceOf(object, lookup));
    if (!lookup.isServed(object.type)) add(definitionOf(object, lookup));
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place) add(place.at);
    }
    add(volumeOf(object, lookup));
    add(claimOf(object, lookup));
  }
  return [...places.values()];
}

export function namespaceOf(
  { namespace }: Coordinates,
  lookup: OwnerLookup,
): Coordinates | undefined {
  const type = lookup.typeOf('v1', 'Namespace');
  return namespace === '' || !type ? undefined : { type, namespace: '', name: namespace };
}

/** The CustomResourceDefinition that serves the object's kind, whether there is one or not. */
export function definitionOf(
  { type: { resource, group } }: Coordinates,
  lookup: OwnerLookup,
): Coordinates | undefined {
  const type = lookup.typeOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return type && { type, namespace: '', name: `${resource}.${group}` };
}
