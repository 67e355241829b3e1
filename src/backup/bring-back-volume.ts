import type { KubeObject } from '../kube/record-codec.ts';
import { jsonOf } from '../snapshot/json-value.ts';
import { volumeOf } from './first-decision.ts';
import { isTerminating, type LiveObjects } from './live-objects.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import { withoutVolume } from './prepare-manifest.ts';
import { keyOf, type SavedObject } from './saved-object.ts';

export interface RestoredVolume {
  readonly manifest: KubeObject;
  readonly notes: readonly string[];
  /** Name of the PersistentVolume that must forget the claim that is gone. */
  readonly release?: string;
}

interface VolumeContext {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
  readonly toCome: ReadonlyMap<string, SavedObject>;
}

/** Whether a claim gets its volume back: only if that is still there and is reserved for nobody else. */
export function bringBackVolume(
  saved: SavedObject,
  manifest: KubeObject,
  { lookup, live, toCome }: VolumeContext,
): RestoredVolume {
  const volume = volumeOf(saved, lookup);
  if (!volume || toCome.has(keyOf(volume))) return { manifest, notes: [] };
  const found = live.at(volume);
  if (found.found === 'unknown') {
    const notes = [`whether its volume ${volume.name} is still there is unknown: ${found.message}`];
    return { manifest, notes };
  }
  const anew = (why: string): RestoredVolume => ({
    manifest: withoutVolume(manifest),
    notes: [`${why}: the claim gets a new, empty volume, and the data is gone`],
  });
  if (found.found === 'nothing') return anew(`its volume ${volume.name} is gone`);
  if (isTerminating(found.manifest)) return anew(`its volume ${volume.name} is being deleted`);
  const claimRef = jsonOf(jsonOf(found.manifest.spec)?.claimRef);
  if (!claimRef) return { manifest, notes: [] };
  if (claimRef.namespace !== saved.namespace || claimRef.name !== saved.name) {
    return anew(`its volume ${volume.name} is used by another claim`);
  }
  if (claimRef.uid === undefined) return { manifest, notes: [] };
  const notes = [`its volume ${volume.name} is still there, with its data, and is bound again`];
  return { manifest, notes, release: volume.name };
}
