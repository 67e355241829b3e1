import { ownField } from '../kube/facts/shape-in-json.ts';
import { type Json, jsonOf, millisecondsIn, textOf } from '../kube/json-value.ts';
import type { FieldManager, ObjectRecord, Place } from '../kube/object-record.ts';
import { objectOf, recordOf } from '../kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import { type FailedGroupVersion, ResourceTypes } from '../kube/resource-types.ts';
import { coveragePart } from '../snapshot/coverage-part.ts';
import { invalid, readPart } from '../snapshot/evidence.ts';
import type { Origin, Snapshot } from '../snapshot/snapshot.ts';
import {
  boolean,
  count,
  either,
  fields,
  list,
  map,
  mapping,
  matching,
  oneOf,
  optional,
  orUnset,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import { jsonText } from '../syntax/json-text.ts';

/** What version of the format is written and read. */
const savedVersion = 'kubectl-gc/v3';

/** The CRC-32 of a text that follows one whose CRC-32 is `before`, as node:zlib has it. */
export type Crc32 = (text: string, before: number) => number;

/**
 * A saved snapshot as lines of one JSON document (docs/snapshots.md). The types and the coverage come
 * before the objects, and each object has its own line, so that a reader can work from a stream.
 */
export function* encodeSnapshot(snapshot: Snapshot, crc32: Crc32): Iterable<string> {
  let crc = 0;
  let piece = '';
  // A stream compresses and writes each piece by itself: lines are short.
  for (const text of withoutChecksum(snapshot)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    crc = crc32(piece, crc);
    yield piece;
    piece = '';
  }
  crc = crc32(piece, crc);
  yield `${piece}],"crc32":"${crc.toString(16).padStart(8, '0')}"}\n`;
}

const pieceLength = 64 * 1024;

function* withoutChecksum(snapshot: Snapshot): Iterable<string> {
  const { types, records } = snapshot;
  const { resourceTypes, exhaustive, failedGroupVersions, ...start } = savedHeaderOf(snapshot);
  yield `${jsonText(start).slice(0, -1)},\n"resourceTypes":[\n`;
  yield* lines(resourceTypes, (type) => jsonText(type));
  yield `],\n"exhaustive":${exhaustive},\n`;
  yield `"failedGroupVersions":${jsonText(failedGroupVersions)},\n`;
  yield `"objectCount":${records.length},\n"objects":[\n`;
  yield* lines(records, (record) => jsonText(savedObjectOf(record, types)));
}

/** What the file says before the objects. */
export function savedHeaderOf({ types, ...snapshot }: SnapshotHeader) {
  return {
    apiVersion: savedVersion,
    kind: 'Snapshot',
    observedAt: snapshot.observedAt,
    ...(snapshot.observedFrom !== undefined && { observedFrom: snapshot.observedFrom }),
    serverVersion: snapshot.serverVersion,
    origin: snapshot.origin,
    coverage: snapshot.coverage,
    ...(snapshot.evidence && { evidence: snapshot.evidence }),
    resourceTypes: types.all,
    exhaustive: types.exhaustive,
    failedGroupVersions: types.failed,
  };
}

function* lines<T>(values: readonly T[], print: (value: T) => string): Iterable<string> {
  const last = values.length - 1;
  for (const [index, value] of values.entries()) {
    yield `${print(value)}${index === last ? '' : ','}\n`;
  }
}

/** Everything of a saved snapshot but its objects. */
export type SnapshotHeader = Omit<Snapshot, 'records'>;

export function isSavedSnapshot(json: Json): boolean {
  return json.kind === 'Snapshot' && /^kubectl-gc\//.test(textOf(json.apiVersion) ?? '');
}

/** Why a saved snapshot of this apiVersion cannot be read; undefined when it can. */
export function refusalOfVersion(apiVersion: string): string | undefined {
  return apiVersion === savedVersion ? undefined : ofOtherVersion(apiVersion);
}

function ofOtherVersion(apiVersion: string): string {
  const version = Number(/^kubectl-gc\/v(\d+)$/.exec(apiVersion)?.[1]);
  const [which, wayOut] =
    version < 3
      ? ['an older', 'Save it again with this version']
      : ['a newer', 'Update this plugin to read it'];
  return `a saved snapshot in the format ${apiVersion}, that ${which} version wrote: this one reads ${savedVersion}. ${wayOut}`;
}

const time = matching('a time', (value): value is string => millisecondsIn(value) !== undefined);

const resourceType: Schema<ResourceType> = fields({
  group: text,
  version: text,
  kind: text,
  resource: text,
  singular: text,
  shortNames: list(text),
  categories: list(text),
  namespaced: boolean,
  verbs: list(text),
});

const failedGroupVersion: Schema<FailedGroupVersion> = fields({
  group: text,
  version: orUnset(text),
  message: text,
});

const origin: Schema<Origin> = either('kind', {
  cluster: fields({ kind: oneOf('cluster'), server: text }),
  files: fields({ kind: oneOf('files'), paths: list(text) }),
});

/** What stands before the objects. What is in a section of evidence is checked by those who read it. */
const headerPart = fields({
  observedAt: time,
  observedFrom: optional(time),
  serverVersion: orUnset(text),
  origin,
  coverage: coveragePart,
  evidence: optional(
    fields({
      settings: optional(mapping),
      nodes: optional(list(mapping)),
      fieldManagers: optional(map(list(mapping))),
      answers: optional(list(mapping)),
    }),
  ),
  resourceTypes: list(resourceType),
  exhaustive: boolean,
  failedGroupVersions: list(failedGroupVersion),
});

/** What an object has under `ownField`. */
const extrasPart = fields({
  type: optional(resourceType),
  place: optional<Place>(fields({ path: text, line: count })),
  writers: optional<readonly FieldManager[]>(
    list(fields({ uid: text, manager: text, operation: text, time: orUnset(text) })),
  ),
});

/**
 * Reads the part before the objects; throws GcError `invalid-snapshot` naming the field that is
 * wrong.
 */
export function decodeSnapshotHeader(json: Json): SnapshotHeader {
  if (json.apiVersion !== savedVersion || json.kind !== 'Snapshot') {
    throw invalid(
      `it is ${textOf(json.apiVersion)} ${textOf(json.kind)}, not ${savedVersion} Snapshot`,
    );
  }
  const { resourceTypes, failedGroupVersions, exhaustive, ...header } = readPart(
    '',
    headerPart,
    json,
  );
  const types = new ResourceTypes(resourceTypes, { failed: failedGroupVersions, exhaustive });
  return { ...header, types };
}

/** The object as Kubernetes has it, with what it has no field for under `ownField`. */
export function savedObjectOf(record: ObjectRecord, types: ResourceTypes): object {
  const object = objectOf(record);
  const { type, writers, place } = record;
  const listed = types.find(apiVersionOf(type), type.kind);
  const isPlain = listed?.resource === type.resource && !writers && !place;
  if (isPlain && !(ownField in object)) return object;
  const extras = {
    ...jsonOf(object[ownField]),
    ...(writers && { writers }),
    ...(place && { place }),
    ...(listed?.resource !== type.resource && { type }),
  };
  return Object.keys(extras).length > 0 ? { ...object, [ownField]: extras } : object;
}

/** One of the `objects`; throws GcError `invalid-snapshot`. Where it was first read wins over `place`. */
export function decodeRecord(object: Json, types: ResourceTypes, place?: Place): ObjectRecord {
  const own = object[ownField] ?? undefined;
  // Most objects lack this field.
  const extras = own === undefined ? {} : readPart(ownField, extrasPart, own);
  const apiVersion = textOf(object.apiVersion) ?? '';
  const kind = textOf(object.kind) ?? '';
  // One that apiVersion and kind do not lead to says itself what it is.
  const type = extras.type ?? types.find(apiVersion, kind);
  if (!type) throw invalid(`its resourceTypes have no ${apiVersion} ${kind}`);
  const record = recordOf(object, type, extras.place ?? place);
  return extras.writers ? { ...record, writers: extras.writers } : record;
}
