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
  const clean = cleanObject(object as KubeObject).metadata;
  const isSame = Object.keys(metadata).every(
    (key) => clean[key] === metadata[key] || isEqual(clean[key], metadata[key]),
  );
  return isSame ? object : { ...object, metadata: clean };
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The object with those of its owner references that `keep` names by index; all others are gone. */
export function withOwners(object: Json, keep: (index: number) => boolean): Json {
  const metadata = jsonOf(object.metadata);
  const references = metadata?.ownerReferences;
  if (!metadata || references === undefined) return object;
  const kept = Array.isArray(references) ? references.filter((_, index) => keep(index)) : [];
  if (Array.isArray(references) && kept.length === references.length && kept.length > 0)
    return object;
  const { ownerReferences: _, ...rest } = metadata;
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
    const { uid, apiVersion, name } = jsonOf(entry) ?? {};
    if (!to || told?.name !== name) return entry;
    if (to.uid === uid && to.apiVersion === apiVersion) return entry;
    return { ...entry, apiVersion: to.apiVersion, uid: to.uid };
  });
  if (changed.every((entry, index) => entry === references[index])) return object;
  return { ...object, metadata: { ...metadata, ownerReferences: changed } };
}
