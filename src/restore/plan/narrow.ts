import type { Target } from '../../command-line/type-argument.ts';
import { locationKey, type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isClaimOfSet } from '../kinds/manifest-needs.ts';
import type { OwnerLookup } from '../relink/relink.ts';
import { needsOf } from './needs.ts';

/** What of a backup is asked for: objects or kinds, in one namespace; with neither, all of it. */
export interface BackupSelection {
  readonly targets: readonly Target[];
  readonly namespace: string | undefined;
  /** Objects are created although their owners are not there. */
  readonly withoutOwners?: boolean | undefined;
}

/** The saved objects that were asked for, everything below them, and what all these need. */
export function narrow(
  saved: readonly SavedObject[],
  asked: BackupSelection,
  lookup: OwnerLookup,
): SavedObject[] {
  const chosen = new Map<SavedObject, SavedObject | undefined>();
  const below = Map.groupBy(
    saved.flatMap((object) => ownersInBackup(object, lookup).map((owner) => ({ object, owner }))),
    ({ owner }) => locationKey(owner),
  );
  const queue = saved.filter((object) => isMeant(object, asked));
  for (const object of queue) {
    if (chosen.has(object)) continue;
    chosen.set(object, undefined);
    queue.push(...(below.get(locationKey(object)) ?? []).map((dependent) => dependent.object));
  }
  // A map is read to its end, also to what is added meanwhile.
  const byKey = Map.groupBy(saved, locationKey);
  for (const [object, neededBy] of chosen) {
    const needed = [
      ...needsOf(object, lookup).map(({ at }) => at),
      ...claimsOfSet(object, saved),
      // What is needed stays only with its owners.
      ...(neededBy && !asked.withoutOwners ? ownersInBackup(object, lookup) : []),
    ];
    for (const one of needed.flatMap((at) => byKey.get(locationKey(at)) ?? [])) {
      if (!chosen.has(one)) chosen.set(one, object);
    }
  }
  return saved.flatMap((object) => {
    if (!chosen.has(object)) return [];
    const by = chosen.get(object);
    return by ? { ...object, neededBy: referenceTo(by) } : object;
  });
}

function ownersInBackup(object: SavedObject, lookup: OwnerLookup): ObjectLocation[] {
  return object.ownerReferences.flatMap((reference) => {
    const place = lookup.placeOf(object, reference);
    return 'at' in place ? place.at : [];
  });
}

/** The claims of a StatefulSet, also of ordinals that it had before it was scaled down. */
function claimsOfSet({ type, namespace, manifest }: SavedObject, saved: readonly SavedObject[]) {
  if (!manifest || groupResourceOf(type) !== 'statefulsets.apps') return [];
  return saved.filter(
    (one) =>
      groupResourceOf(one.type) === 'persistentvolumeclaims' &&
      one.namespace === namespace &&
      isClaimOfSet(manifest, one.name),
  );
}

function isMeant(object: SavedObject, { targets, namespace }: BackupSelection): boolean {
  const { type, name } = object;
  // The scope of a cluster-scoped object that is asked for by its kind is no namespace.
  const isInScope = type.namespaced || targets.length === 0;
  if (namespace !== undefined && isInScope && object.namespace !== namespace) return false;
  if (targets.length === 0) return true;
  return targets.some(
    (target) =>
      groupResourceOf(type) === groupResourceOf(target.type) &&
      (target.name === undefined || target.name === name),
  );
}
