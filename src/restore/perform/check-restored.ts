import { inParallel } from '../../cluster/in-parallel.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { LiveObjects } from '../plan/live-objects.ts';
import type { PlannedRestoration } from '../plan/planned-restoration.ts';
import { judgeRestored, type RestoredJudgement } from '../relink/judge-restored.ts';
import { OwnerLookup } from '../relink/owner-lookup.ts';
import { volumeFaults } from './bind-volumes.ts';
import { relinkObject } from './relink-restored.ts';
import type { RestoreTarget } from './restore-target.ts';

/** What the server serves now: a restored definition has brought new kinds. */
type Discover = () => Promise<ResourceTypes>;

interface ObjectToCheck {
  readonly planned: PlannedRestoration;
  /** uid under which its references may be fixed; undefined: what is there is only judged. */
  readonly ownUid: string | undefined;
}

const atOnce = 8;
const discoveryTries = 20;
/**
 * A fixed reference may trigger a controller to write at the same time; more conflicts than this
 * are no coincidence.
 */
const rounds = 3;

/**
 * Judges every restored object as the garbage collector will, fixes references that still name the
 * old uid of a restored owner, and judges again. Returns what is wrong, by key.
 */
export async function checkRestored(
  objects: readonly ObjectToCheck[],
  target: RestoreTarget,
  discover: Discover,
): Promise<ReadonlyMap<string, string>> {
  const restored = objects.map(({ planned }) => planned);
  const saved = restored.map((planned) => planned.saved);
  let judged = await look(saved, target, discover);
  for (let round = 1; round < rounds; round++) {
    const fixable = objects.flatMap(({ planned: { saved: at }, ownUid }) => {
      const { fixable: wanted = [], uid } = judged.get(locationKey(at)) ?? {};
      const isOwn = ownUid !== undefined && uid === ownUid;
      return isOwn && wanted.length > 0 ? [{ at, wanted, expectedUid: uid }] : [];
    });
    if (fixable.length === 0) break;
    await inParallel(fixable, atOnce, ({ at, wanted, expectedUid }) =>
      relinkObject(target, at, wanted, expectedUid, true),
    );
    judged = await look(saved, target, discover);
  }
  const faults = new Map<string, string>();
  for (const { saved: object, action } of restored) {
    const { end = 'stays', because = '' } = judged.get(locationKey(object)) ?? {};
    // An object that existed already and was not changed: doubt about it is not a fault of the
    // restoration.
    if (end === 'lost' || (end === 'unknown' && action !== 'exists')) {
      faults.set(locationKey(object), because);
    }
  }
  const sound = restored.filter((planned) => !faults.has(locationKey(planned.saved)));
  for (const [key, fault] of await volumeFaults(sound, target)) faults.set(key, fault);
  return faults;
}

async function look(
  saved: readonly SavedObject[],
  target: RestoreTarget,
  discover: Discover,
): Promise<ReadonlyMap<string, RestoredJudgement>> {
  // A new definition is served a moment before discovery shows it: ten seconds at most.
  const types = await target.until(discoveryTries, discover, (all) =>
    saved.every(({ type }) => all.find(apiVersionOf(type), type.kind)),
  );
  const lookup = new OwnerLookup(types, []);
  const objects = await target.lookUp(saved, lookup);
  const owners = ownersOf(saved, objects, lookup);
  const live = await target.lookUp(owners, lookup);
  for (const object of saved) live.set(object, objects.at(object));
  return judgeRestored(saved, [...saved, ...owners], live, types);
}

/** Where the references lead that the objects have now; those among the objects are known already. */
function ownersOf(
  saved: readonly SavedObject[],
  objects: LiveObjects,
  lookup: OwnerLookup,
): ObjectLocation[] {
  const known = new Set(saved.map(locationKey));
  const owners = new Map<string, ObjectLocation>();
  for (const object of saved) {
    const found = objects.at(object);
    if (found.found !== 'object') continue;
    for (const reference of recordOf(found.manifest, object.type).ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place && !known.has(locationKey(place.at)))
        owners.set(locationKey(place.at), place.at);
    }
  }
  return [...owners.values()];
}
