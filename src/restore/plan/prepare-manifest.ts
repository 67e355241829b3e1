import { fieldAt, fieldsOf, jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { locationKey } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { cleanObject } from '../kinds/clean-object.ts';
import { withoutVolume } from '../kinds/prepare.ts';
import type { PreparedManifest } from '../kinds/restored-kind.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import type { RelinkContext } from '../relink/relink.ts';
import { isTerminating, uidOf } from './live-objects.ts';
import { volumeOf } from './needs.ts';
import type { PlannedRestoration } from './restoration.ts';

/**
 * What is to be sent to create an object again: without status and what the server sets, and
 * without what only applied to the deleted object. References are put in later.
 */
export function prepareManifest(type: ResourceType, saved: KubeObject): PreparedManifest {
  const clean = cleanObject(saved);
  const prepared = restoredKind(type).prepare?.(clean) ?? { manifest: clean, notes: [] };
  const { ownerReferences: _, ...metadata } = prepared.manifest.metadata;
  return { ...prepared, manifest: { ...prepared.manifest, metadata } };
}

/**
 * What a restoration sets of an object that a controller gives every namespace. What it publishes as the data of a
 * ConfigMap is its own (syncNamespace, certificates/rootcacertpublisher/publisher.go).
 */
export function givenContent(manifest: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, data: _, binaryData: __, immutable: ___, ...rest } = manifest;
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...rest };
}

/** A volume whose claim is there is reserved for it by its uid: else the claim counts as lost (syncBoundClaim, pv_controller.go). */
export function forClaim(saved: SavedObject, manifest: KubeObject): KubeObject {
  const { uid } = fieldsOf(fieldAt(saved.manifest, 'spec.claimRef'));
  const spec = fieldsOf(manifest.spec);
  return { ...manifest, spec: { ...spec, claimRef: { ...fieldsOf(spec.claimRef), uid } } };
}

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
    const note = `its volume ${volume} was deleted with its data: the claim gets a new, empty volume`;
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
