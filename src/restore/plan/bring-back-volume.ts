import { jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { locationKey } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { RelinkContext } from '../relink/relink.ts';
import { isTerminating, uidOf } from './live-objects.ts';
import { volumeOf } from './not-restored.ts';
import type { PlannedRestoration } from './planned-restoration.ts';
import { withoutVolume } from './prepare-manifest.ts';

interface RestoredVolume extends Pick<PlannedRestoration, 'notes' | 'volume' | 'release'> {
  readonly manifest: KubeObject;
}

/** Whether a claim gets its volume back: only if that is still there and is reserved for no other claim. */
export function bringBackVolume(
  saved: SavedObject,
  manifest: KubeObject,
  { lookup, live, toCome }: RelinkContext,
): RestoredVolume {
  const at = volumeOf(saved, lookup);
  if (!at) return { manifest, notes: [] };
  const volume = at.name;
  const kept = { manifest, notes: [], volume };
  if (toCome.has(locationKey(at))) return kept;
  const found = live.at(at);
  if (found.found === 'unknown') {
    const notes = [`whether its volume ${volume} is still there is unknown: ${found.message}`];
    return { ...kept, notes };
  }
  const without = withoutVolume(manifest);
  if (found.found === 'nothing') {
    const note = `its volume ${volume} is gone: the claim gets a new, empty volume, and the data is gone`;
    return { manifest: without, notes: [note] };
  }
  const lost = (why: string): RestoredVolume => {
    const note = `its volume ${volume} ${why}: the claim gets another volume, without its data`;
    return { manifest: without, notes: [note], volume };
  };
  if (isTerminating(found.manifest)) return lost('is being deleted');
  const { namespace, name, uid } = jsonOf(jsonOf(found.manifest.spec)?.claimRef) ?? {};
  if (name === undefined) return kept;
  if (namespace !== saved.namespace || name !== saved.name) {
    return lost(`is used by PersistentVolumeClaim ${name} in namespace ${namespace}`);
  }
  if (uid === undefined) return kept;
  const notes = [`its volume ${volume} is still there, with its data, and is bound again`];
  return { ...kept, notes, release: { name: volume, claimUid: textOrEmpty(uid) } };
}

/**
 * A claim that is there: it cannot be restored with another volume than the saved one, while that
 * one can still be had; and it may yet have to be bound.
 */
export function volumeOfExisting(
  saved: SavedObject,
  claim: KubeObject,
  { lookup, live, toCome }: RelinkContext,
): { readonly wrong: string } | { readonly volume: string } | undefined {
  const at = volumeOf(saved, lookup);
  if (!at || saved.uid === uidOf(claim)) return undefined;
  const name = jsonOf(claim.spec)?.volumeName;
  if (name === at.name) {
    return jsonOf(claim.status)?.phase === 'Bound' ? undefined : { volume: at.name };
  }
  if (!toCome.has(locationKey(at)) && live.at(at).found === 'nothing') return undefined;
  return { wrong: `it is there, but ${wrongVolume(name, at.name)}` };
}

/** Names both volumes. */
export function wrongVolume(has: unknown, saved: string): string {
  const present =
    typeof has === 'string' && has !== '' ? `with the volume ${has}` : 'without a volume';
  return `${present}, while the data is in its saved volume ${saved}`;
}
