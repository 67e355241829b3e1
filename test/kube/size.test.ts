import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { crc32, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { busyCluster } from '../../bench/loaded-cluster.ts';
import { ListDecoder } from '../../src/cluster/protobuf/list-decoder.ts';
import { StringPool } from '../../src/cluster/protobuf/string-pool.ts';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf, shareEqualParts } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { builtIn } from '../cluster/built-in.ts';
import { encodeList, type Metadata } from '../cluster/encode-list.ts';
import { snapshotOf } from '../support/builders.ts';

const types = new ResourceTypes(builtInTypes, { exhaustive: true });

/** Metadata of the objects of a busy cluster. */
function* busyRecords(scale: number): Generator<ObjectRecord> {
  let version = 1_000_000;
  for (const { apiVersion, kind, metadata } of busyCluster(scale)) {
    const { managedFields, ...kept } = metadata;
    const type = types.find(apiVersion, kind);
    if (!type) throw new Error(`${kind} is not built in`);
    version += 7919;
    yield recordOf(
      { apiVersion, kind, metadata: { ...kept, resourceVersion: `${version}` } },
      type,
    );
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function bytesInUse(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// Measured: 625 bytes, the objects of a Deployment one after the other; kind by kind, as lists have them, a third less.
test('an object among many takes less than 700 bytes of memory', () => {
  const records: ObjectRecord[] = [];
  const before = bytesInUse();
  for (const record of busyRecords(0.25)) {
    shareEqualParts(record, records.at(-1));
    records.push(record);
  }
  const each = (bytesInUse() - before) / records.length;
  expect(records.length).toBeGreaterThan(24_000);
  expect(each).toBeLessThan(700);
});

// Measured: 447 bytes. Equal labels that do not lie side by side are held twice.
test('an object that a cluster lists takes less than 500 bytes of memory', () => {
  const objects = [...busyCluster(0.1)].map(({ kind, metadata }) => ({ kind, metadata }));
  const lists = [...Map.groupBy(objects, ({ kind }) => kind)].map(([kind, items]) => ({
    type: builtInTypes.find((type) => type.kind === kind) ?? builtIn('pods'),
    bytes: encodeList(items.map(({ metadata }) => metadata as unknown as Metadata)),
  }));
  const before = bytesInUse();
  const listed = lists.map(({ type, bytes }) => {
    const records: ObjectRecord[] = [];
    new ListDecoder(type, new StringPool(64), records).push(bytes);
    return records;
  });
  const each = (bytesInUse() - before) / objects.length;
  expect(listed.flat().length).toBe(objects.length);
  expect(each).toBeLessThan(500);
});

// Measured: 531 and 52 bytes.
test('an object takes less than 560 bytes of a file, and 60 of a compressed one', () => {
  const snapshot = snapshotOf([...busyRecords(0.1)], { types });
  const text = [...encodeSnapshot(snapshot, crc32)].join('');
  const { length } = snapshot.records;
  expect(text.length / length).toBeLessThan(560);
  expect(zstdCompressSync(text).length / length).toBeLessThan(60);
});
