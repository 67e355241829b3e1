import { decodeRecord, decodeSnapshotHeader } from '../../src/files/saved-snapshot.ts';
import { type Json, listOf } from '../../src/kube/json-value.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

/** The inverse of encodeSnapshot, for a document that was parsed as a whole. */
export function decodeSnapshot(json: Json): Snapshot {
  const header = decodeSnapshotHeader(json);
  const records = listOf(json.objects, (object) => decodeRecord(object as Json, header.types));
  return { ...header, records: records ?? [] };
}
