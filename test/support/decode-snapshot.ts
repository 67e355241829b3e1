import { type Json, jsonOf, listOf, textOf } from '../../src/kube/json-value.ts';
import {
  decodeRecord,
  decodeSnapshotHeader,
  savedTypeOf,
} from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

/** The inverse of encodeSnapshot, for a document that was parsed as a whole. */
export function decodeSnapshot(json: Json): Snapshot {
  const header = decodeSnapshotHeader(json);
  const records = listOf(json.objects, jsonOf)?.map((object) => {
    const type =
      savedTypeOf(object) ??
      header.types.find(textOf(object.apiVersion) ?? '', textOf(object.kind) ?? '');
    if (!type) throw new Error(`resourceTypes does not list the kind of ${JSON.stringify(object)}`);
    return decodeRecord(object, type);
  });
  if (!records) throw new Error('the objects are not a list of objects');
  return { ...header, records };
}
