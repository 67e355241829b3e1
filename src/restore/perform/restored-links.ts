import { inParallel } from '../../cluster/in-parallel.ts';
import { Gate } from '../../cluster/pacing.ts';
import { jsonOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isTerminating, type LiveObjects } from '../plan/live-objects.ts';
import { wrongVolume } from '../plan/prepare-manifest.ts';
import { type PlannedRestoration, pendingOwners } from '../plan/restoration.ts';
import {
  type FixedReference,
  judgeRestored,
  type RestoredJudgement,
} from '../relink/judge-restored.ts';
import { isPending, isSameOwner } from '../relink/missing-references.ts';
import { OwnerLookup } from '../relink/relink.ts';
import type { PatchedObject, RestoreTarget } from './restore-target.ts';

/** What the server serves now: a restored definition has brought new kinds. */
type Discover = () => Promise<ResourceTypes>;

interface ObjectToCheck {
  readonly planned: PlannedRestoration;
  /** uid under which its references may be fixed; undefined: what is there is only judged. */
  readonly ownUid: string | undefined;
}

const readsAtOnce = 8;
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
    await inParallel(fixable, readsAtOnce, ({ at, wanted, expectedUid }) =>
      relinkObject(target, at, wanted, { expectedUid, isIncomplete: true }),
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
  const objects = await target.lookUp(saved, lookup, { isBare: true });
  const owners = presentOwners(saved, objects, lookup);
  const live = await target.lookUp(owners, lookup, { isBare: true });
  for (const object of saved) live.set(object, objects.at(object));
  return judgeRestored(saved, [...saved, ...owners], live, types);
}

/** Where the references lead that the objects have now; those among the objects are known already. */
function presentOwners(
  saved: readonly SavedObject[],
  objects: LiveObjects,
  lookup: OwnerLookup,
): ObjectLocation[] {
  const known = new Set(saved.map(locationKey));
  const owners = new Map<string, ObjectLocation>();
  for (const object of saved) {
    const found = objects.at(object);
    if (found.found !== 'object' || !found.manifest.metadata.ownerReferences) continue;
    for (const reference of recordOf(found.manifest, object.type).ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place && !known.has(locationKey(place.at)))
        owners.set(locationKey(place.at), place.at);
    }
  }
  return [...owners.values()];
}

/** Gives an object its references. */
export function relinkObject(
  target: RestoreTarget,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  { expectedUid, isIncomplete, manager }: RelinkOptions,
): Promise<PatchedObject> {
  return target.patch(
    at,
    expectedUid,
    (live) =>
      isTerminating(live) ? 'it is being deleted' : relinkPatch(live, at, wanted, isIncomplete),
    { manager },
  );
}

interface RelinkOptions {
  readonly expectedUid: string | undefined;
  /** Some of its owners are not there, and it is still to get references to them. */
  readonly isIncomplete: boolean;
  /** Who is to manage the references. */
  readonly manager?: string | undefined;
}

function relinkPatch(
  live: KubeObject,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  isIncomplete: boolean,
): readonly object[] {
  const { ownerReferences } = recordOf(live, at.type);
  const kept = ownerReferences.filter(
    (reference) =>
      !wanted.some(
        (want) =>
          isSameOwner(reference, want.reference) &&
          reference.uid === want.staleUid &&
          reference.uid !== want.reference.uid,
      ),
  );
  const missing = wanted
    .map(({ reference }) => reference)
    .filter((reference) => !kept.some(({ uid }) => uid === reference.uid));
  const references = [...kept, ...missing];
  const path = '/metadata/ownerReferences';
  return [
    ...(missing.length > 0 || kept.length < ownerReferences.length
      ? [{ op: 'add', path, value: references }]
      : []),
    ...(!isIncomplete && isPending(live)
      ? [{ op: 'remove', path: `/metadata/annotations/${pendingOwners.replace('/', '~1')}` }]
      : []),
  ];
}

/**
 * Removes the uid of a deleted claim from a PersistentVolume, and keeps that reserved for the
 * claim of that name. Returns why it could not, or undefined.
 */
export async function releaseVolume(
  target: RestoreTarget,
  volume: ObjectLocation,
  claimUid: string,
): Promise<string | undefined> {
  const path = '/spec/claimRef/uid';
  const { outcome, message } = await target.patch(volume, undefined, ({ spec }) => {
    const { uid } = jsonOf(jsonOf(spec)?.claimRef) ?? {};
    if (uid === undefined) return [];
    if (uid !== claimUid) return `the volume ${volume.name} is used by another claim now`;
    return [
      { op: 'test', path, value: uid },
      { op: 'remove', path },
    ];
  });
  return outcome === 'refused' ? message : undefined;
}

const bindingTries = 60;

/**
 * Waits until claims are bound to the volumes that they must have, half a minute at most. Returns
 * what is wrong with the others, by key.
 */
async function volumeFaults(
  restored: readonly PlannedRestoration[],
  target: RestoreTarget,
): Promise<ReadonlyMap<string, string>> {
  const claims = restored.filter(({ volume }) => volume !== undefined);
  const looks = new Gate(readsAtOnce);
  const faults = claims.map(async (planned): Promise<[string, string][]> => {
    const look = () => looks.run(() => stateOfClaim(planned, target));
    const { fault } = await target.until(bindingTries, look, ({ isPending }) => !isPending);
    return fault === undefined ? [] : [[locationKey(planned.saved), fault]];
  });
  return new Map((await Promise.all(faults)).flat());
}

async function stateOfClaim(
  { saved, volume = '' }: PlannedRestoration,
  target: RestoreTarget,
): Promise<{ readonly fault?: string; readonly isPending?: boolean }> {
  const live = await target.look(saved);
  if (typeof live === 'string') return { fault: live };
  const name = jsonOf(live.spec)?.volumeName;
  if (name !== volume) return { fault: `it is there, but ${wrongVolume(name, volume)}` };
  const phase = jsonOf(live.status)?.phase;
  if (phase === 'Bound') return {};
  const fault = `it is not bound to its volume ${volume}: it is ${phase ?? 'without a phase'}`;
  return { fault, isPending: phase !== 'Lost' };
}
