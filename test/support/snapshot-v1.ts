import { type Json, jsonOf, listOf, textOf } from '../../src/kube/json-value.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { objectOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import type { ResourceTypes } from '../../src/kube/resource-types.ts';
import {
  decodeRecord,
  decodeSnapshotHeader,
  savedTypeOf,
} from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

/** A saved snapshot as kubectl-gc/v1 was written: such files are read for good. */
export function encodeV1(snapshot: Snapshot): string {
  return [...linesOfV1(snapshot)].join('');
}

function* linesOfV1(snapshot: Snapshot): Iterable<string> {
  const { types, records } = snapshot;
  const header = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Snapshot',
    observedAt: snapshot.observedAt,
    serverVersion: snapshot.serverVersion,
    origin: snapshot.origin,
    coverage: snapshot.coverage,
  };
  yield `${JSON.stringify(header).slice(0, -1)},\n"resourceTypes":[\n`;
  yield* lines(types.all, JSON.stringify);
  yield `],\n"exhaustive":${types.exhaustive},\n`;
  yield `"failedGroupVersions":${JSON.stringify(types.failed)},\n"objects":[\n`;
  yield* lines(records, (record) => JSON.stringify(savedObjectOf(record, types)));
  yield ']}\n';
}

function* lines<T>(values: readonly T[], print: (value: T) => string): Iterable<string> {
  const last = values.length - 1;
  for (const [index, value] of values.entries()) {
    yield `${print(value)}${index === last ? '' : ','}\n`;
  }
}

function savedObjectOf(record: ObjectRecord, types: ResourceTypes): object {
  const object = objectOf(record);
  const { type, writers, place } = record;
  const listed = types.find(apiVersionOf(type), type.kind);
  const extras = {
    ...(writers && { writers }),
    ...(place && { place }),
    ...(listed?.resource !== type.resource && { type }),
  };
  return Object.keys(extras).length ? { ...object, 'kubectl-gc': extras } : object;
}

/** The inverse of encodeV1, for a document that was parsed as a whole. */
export function decodeV1(json: Json): Snapshot {
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
