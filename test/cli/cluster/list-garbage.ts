import { getHeapStatistics } from 'node:v8';
import { busyCluster } from '../../../bench/loaded-cluster.ts';
import { ListDecoder } from '../../../src/cluster/protobuf/list-decoder.ts';
import { StringPool } from '../../../src/cluster/protobuf/string-pool.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builtIn } from '../../cluster/built-in.ts';
import { encodeList, type Metadata } from '../../cluster/encode-list.ts';

/** Prints how many bytes an object of a list makes on the heap, garbage or not, in each of eight readings. */
const items = [...busyCluster(0.1)].filter(({ kind }) => kind === 'Pod');
const bytes = encodeList(items.map(({ metadata }) => metadata as unknown as Metadata));
const chunks = Array.from({ length: Math.ceil(bytes.length / 2048) }, (_, index) =>
  bytes.subarray(2048 * index, 2048 * (index + 1)),
);

/** Buffers are not in it. */
function allocatedBytes(): number {
  return (getHeapStatistics() as unknown as { total_allocated_bytes: number })
    .total_allocated_bytes;
}

function garbageOfOne(): number {
  const records: ObjectRecord[] = [];
  const decoder = new ListDecoder(builtIn('pods'), new StringPool(64), records);
  const before = allocatedBytes();
  for (const chunk of chunks) decoder.push(chunk);
  const each = (allocatedBytes() - before) / items.length;
  if (records.length !== items.length)
    throw new Error(`${records.length} of ${items.length} were read`);
  return each;
}

console.log(JSON.stringify(Array.from({ length: 8 }, garbageOfOne)));
