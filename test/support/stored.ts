import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { MemoryBlockBuilder, storedRecords } from '../../src/kube/records/block-builder.ts';
import type { StoredRecord } from '../../src/kube/records/stored-record.ts';

/** The records as they are where there are many: in columns. */
export function stored(records: readonly ObjectRecord[]): readonly StoredRecord[] {
  const builder = new MemoryBlockBuilder();
  for (const record of records) builder.add(record);
  return storedRecords(builder.block());
}
