import type { Json } from '../../src/kube/json-value.ts';
import { factSeparator } from '../../src/kube/records/record-columns.ts';
import { decodeBlock } from '../../src/snapshot/saved-blocks.ts';
import { decodeResourceType, decodeSnapshotHeader } from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

/** The inverse of encodeSnapshot, for a document that was parsed as a whole. */
export function decodeSnapshot(json: Json): Snapshot {
  const header = decodeSnapshotHeader(json);
  const blocks = json.blocks as readonly (Json & { readonly body?: readonly unknown[] })[];
  const records = blocks.flatMap(({ body = [], ...columns }) => {
    const facts = body.map((one) => JSON.stringify(one)).join(factSeparator);
    return decodeBlock(columns, facts, header.types, undefined, decodeResourceType);
  });
  return { ...header, records };
}
