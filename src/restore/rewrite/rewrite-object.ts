import { type Json, jsonOf } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { cleanObject } from '../backup/clean-object.ts';
import type { RelinkedReference } from '../relink/relink.ts';

/**
 * The object without the metadata that only the API server writes: it can be applied and contains
 * no old uid.
 */
export function withoutServerFields(object: Json): Json {
  const metadata = jsonOf(object.metadata);
  if (!metadata) return object;
  return { ...object, metadata: cleanObject(object as KubeObject).metadata };
}

/** The object with those of its owner references that `keep` names by index; all others are gone. */
export function withOwners(object: Json, keep: (index: number) => boolean): Json {
  const metadata = jsonOf(object.metadata);
  if (!metadata) return object;
  const { ownerReferences: references, ...rest } = metadata;
  const kept = Array.isArray(references) ? references.filter((_, index) => keep(index)) : [];
  if (kept.length === 0) return { ...object, metadata: rest };
  return { ...object, metadata: { ...metadata, ownerReferences: kept } };
}

/** The object with its references as they lead to owners that live now. */
export function withRelinked(object: Json, relinked: readonly RelinkedReference[]): Json {
  const metadata = jsonOf(object.metadata);
  const references = metadata?.ownerReferences;
  if (!Array.isArray(references)) return object;
  const changed = references.map((entry, index) => {
    const { reference: to, told } = relinked[index] ?? {};
    if (!to || told?.name !== jsonOf(entry)?.name) return entry;
    return { ...entry, apiVersion: to.apiVersion, uid: to.uid };
  });
  return { ...object, metadata: { ...metadata, ownerReferences: changed } };
}
