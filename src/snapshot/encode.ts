import type { FieldManager, ObjectRecord, Place } from '../kube/object-record.ts';
import { objectOf } from '../kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Snapshot } from './snapshot.ts';

/** What a Kubernetes object has no field for: kept beside its metadata under `kubectl-gc`. */
export interface SavedExtras {
  readonly writers?: readonly FieldManager[];
  readonly place?: Place;
  /** Only when apiVersion and kind do not lead to the type. */
  readonly type?: ResourceType;
}

export const savedExtrasField = 'kubectl-gc';

/**
 * A saved snapshot as lines of one JSON document. The types and the coverage come before the
 * objects, and each object has its own line, so that a reader can work from a stream.
 */
export function* encodeSnapshot(snapshot: Snapshot): Iterable<string> {
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
  const extras: SavedExtras = {
    ...(writers && { writers }),
    ...(place && { place }),
    ...(listed?.resource !== type.resource && { type }),
  };
  return Object.keys(extras).length ? { ...object, [savedExtrasField]: extras } : object;
}
