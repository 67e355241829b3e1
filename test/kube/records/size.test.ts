import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { crc32, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { busyCluster } from '../../../bench/loaded-cluster.ts';
import { ListDecoder } from '../../../src/cluster/protobuf/list-decoder.ts';
import { StringPool } from '../../../src/cluster/protobuf/string-pool.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { recordOf } from '../../../src/kube/record-codec.ts';
import { RecordList } from '../../../src/kube/records/record-list.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { encodeSnapshot } from '../../../src/snapshot/saved-snapshot.ts';
import { builtIn } from '../../cluster/built-in.ts';
import { encodeList, type Metadata } from '../../cluster/encode-list.ts';
import { snapshotOf } from '../../support/builders.ts';

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

// Measured: 172 bytes. As plain objects they took 600.
test('an object among many takes less than 200 bytes of memory', () => {
  const list = new RecordList();
  const before = bytesInUse();
  for (const record of busyRecords(0.25)) list.add(record);
  const { records } = list;
  const each = (bytesInUse() - before) / records.length;
  expect(records.length).toBeGreaterThan(24_000);
  expect(each).toBeLessThan(200);
});

// Measured: 187 bytes. Sets of labels that are met again much later are held twice.
test('an object that a cluster lists takes less than 210 bytes of memory', () => {
  const objects = [...busyCluster(0.1)].map(({ kind, metadata }) => ({ kind, metadata }));
  const lists = [...Map.groupBy(objects, ({ kind }) => kind)].map(([kind, items]) => ({
    type: builtInTypes.find((type) => type.kind === kind) ?? builtIn('pods'),
    bytes: encodeList(items.map(({ metadata }) => metadata as unknown as Metadata)),
  }));
  const before = bytesInUse();
  const listed = lists.map(({ type, bytes }) => {
    const list = new RecordList();
    new ListDecoder(type, new StringPool(64), list).push(bytes);
    return list.records;
  });
  const each = (bytesInUse() - before) / objects.length;
  expect(listed.flat().length).toBe(objects.length);
  expect(each).toBeLessThan(210);
});

// Measured: 113 and 34 bytes. One object a line took 450 and 50.
test('an object takes less than 120 bytes of a file, and 38 of a compressed one', () => {
  const snapshot = snapshotOf([...busyRecords(0.1)], { types });
  const text = [...encodeSnapshot(snapshot, crc32)].join('');
  const { length } = snapshot.records;
  expect(text.length / length).toBeLessThan(120);
  expect(zstdCompressSync(text).length / length).toBeLessThan(38);
});
