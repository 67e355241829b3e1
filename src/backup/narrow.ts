import { groupResourceOf } from '../kube/resource-type.ts';
import type { Target } from '../kube/type-argument.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import { keyOf, type SavedObject } from './saved-object.ts';

/** The saved objects that were asked for by kind or name, and everything below them. */
export function narrow(
  saved: readonly SavedObject[],
  targets: readonly Target[],
  lookup: OwnerLookup,
): SavedObject[] {
  const below = new Map<string, SavedObject[]>();
  for (const object of saved) {
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if (!('at' in place)) continue;
      const owner = keyOf(place.at);
      const list = below.get(owner);
      if (list) list.push(object);
      else below.set(owner, [object]);
    }
  }
  const chosen = new Set<SavedObject>();
  const queue = saved.filter((object) => targets.some((target) => isMeant(object, target)));
  for (const object of queue) {
    if (chosen.has(object)) continue;
    chosen.add(object);
    queue.push(...(below.get(keyOf(object)) ?? []));
  }
  return saved.filter((object) => chosen.has(object));
}

function isMeant({ type, name }: SavedObject, target: Target): boolean {
  return (
    groupResourceOf(type) === groupResourceOf(target.type) &&
    (target.name === undefined || target.name === name)
  );
}
