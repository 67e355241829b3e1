import { GcError } from '../errors.ts';
import { ownField } from '../kube/facts/shape-in-json.ts';
import { type Json, jsonOf, listOf, textOf, textsIn } from '../kube/json-value.ts';
import type { FieldManager, ObjectRecord, Place } from '../kube/object-record.ts';
import { objectOf, recordOf } from '../kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import { type FailedGroupVersion, ResourceTypes } from '../kube/resource-types.ts';
import { shellCommand, suggested } from '../kube/shell-command.ts';
import type {
  AskedObject,
  Coverage,
  CoverageProblem,
  ProblemReason,
  ReadKind,
} from './coverage.ts';
import type { Evidence } from './evidence.ts';
import type { Origin, Snapshot } from './snapshot.ts';

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
  for (const text of withoutChecksum(snapshot)) {
    crc = crc32(text, crc);
    yield text;
  }
  yield `],"crc32":"${crc.toString(16).padStart(8, '0')}"}\n`;
}

function* withoutChecksum(snapshot: Snapshot): Iterable<string> {
  const { types, records } = snapshot;
  const { resourceTypes, exhaustive, failedGroupVersions, ...start } = savedHeaderOf(snapshot);
  yield `${JSON.stringify(start).slice(0, -1)},\n"resourceTypes":[\n`;
  yield* lines(resourceTypes, JSON.stringify);
  yield `],\n"exhaustive":${exhaustive},\n`;
  yield `"failedGroupVersions":${JSON.stringify(failedGroupVersions)},\n`;
  yield `"objectCount":${records.length},\n"objects":[\n`;
  yield* lines(records, (record) => JSON.stringify(savedObjectOf(record, types)));
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
  if (apiVersion === savedVersion) return undefined;
  const version = Number(/^kubectl-gc\/v(\d+)$/.exec(apiVersion)?.[1]);
  const [which, wayOut] =
    version < 3
      ? ['an older', 'Save it again with this version']
      : ['a newer', 'Update this plugin to read it'];
  return `a saved snapshot in the format ${apiVersion}, that ${which} version wrote: this one reads ${savedVersion}. ${wayOut}`;
}

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
  const observedAt = textOf(json.observedAt) ?? '';
  if (Number.isNaN(Date.parse(observedAt))) throw invalid('its observedAt is not a time');
  const observedFrom = textOf(json.observedFrom);
  const origin = originOf(json.origin);
  if (!origin) throw invalid('its origin names neither a cluster nor files');
  const coverage = decodeCoverage(json.coverage);
  if (!coverage) throw invalid('its coverage is not one');
  const evidence = json.evidence === undefined ? undefined : evidenceOf(json.evidence);
  return {
    observedAt,
    ...(!Number.isNaN(Date.parse(observedFrom ?? '')) && { observedFrom }),
    serverVersion: textOf(json.serverVersion),
    origin,
    coverage,
    types: typesOf(json),
    ...(evidence && { evidence }),
  };
}

/** The sections that are known; what is in them is checked by those who read them. */
function evidenceOf(value: unknown): Evidence {
  const json = jsonOf(value);
  if (!json) throw invalid('its evidence is not a mapping');
  const settings = sectionOf(json, 'settings', jsonOf);
  const nodes = sectionOf(json, 'nodes', (entries) => listOf(entries, jsonOf));
  const fieldManagers = sectionOf(json, 'fieldManagers', listsByKey);
  const answers = sectionOf(json, 'answers', (entries) => listOf(entries, jsonOf));
  return {
    ...(settings && { settings }),
    ...(nodes && { nodes }),
    ...(fieldManagers && { fieldManagers }),
    ...(answers && { answers }),
  };
}

function sectionOf<T>(
  json: Json,
  section: keyof Evidence,
  read: (value: unknown) => T | undefined,
): T | undefined {
  const value = json[section];
  if (value === undefined) return undefined;
  const found = read(value);
  if (found === undefined) throw invalidEvidence(section);
  return found;
}

/** A saved section that is not what it should be. */
export function invalidEvidence(section: keyof Evidence): GcError {
  return invalid(`its evidence.${section} cannot be read`);
}

function listsByKey(value: unknown): Evidence['fieldManagers'] | undefined {
  const json = jsonOf(value);
  if (!json) return undefined;
  const lists: Record<string, readonly Json[]> = {};
  for (const [key, entries] of Object.entries(json)) {
    const list = listOf(entries, jsonOf);
    if (!list) return undefined;
    lists[key] = list;
  }
  return lists;
}

function typesOf(json: Json): ResourceTypes {
  const all = listOf(json.resourceTypes, decodeResourceType);
  if (!all) throw invalid('its resourceTypes are not complete');
  const failed = listOf(json.failedGroupVersions, decodeFailedGroupVersion);
  if (!failed) throw invalid('its failedGroupVersions are not complete');
  return new ResourceTypes(all, { failed, exhaustive: json.exhaustive === true });
}

function originOf(value: unknown): Origin | undefined {
  const json = jsonOf(value);
  if (json?.kind === 'cluster') {
    const server = textOf(json.server);
    return server === undefined ? undefined : { kind: 'cluster', server };
  }
  const paths = json?.kind === 'files' ? listOf(json.paths, textOf) : undefined;
  return paths && { kind: 'files', paths };
}

/** What is read is no saved snapshot, or not all of one. */
export function invalid(why: string): GcError {
  return new GcError(`the saved snapshot cannot be used: ${why}`, {
    code: 'invalid-snapshot',
    suggestions: [suggested('To save it again', shellCommand`kubectl gc snapshot save FILE`)],
  });
}

/** The object as Kubernetes has it, with what it has no field for under `ownField`. */
export function savedObjectOf(record: ObjectRecord, types: ResourceTypes): object {
  const object = objectOf(record);
  const { type, writers, place } = record;
  const listed = types.find(apiVersionOf(type), type.kind);
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
  const extras = jsonOf(object[ownField]);
  const apiVersion = textOf(object.apiVersion) ?? '';
  const kind = textOf(object.kind) ?? '';
  // One that apiVersion and kind do not lead to says itself what it is.
  const type = decodeResourceType(extras?.type) ?? types.find(apiVersion, kind);
  if (!type) throw invalid(`its resourceTypes have no ${apiVersion} ${kind}`);
  const record = recordOf(object, type, placeOf(extras?.place) ?? place);
  const writers = listOf(extras?.writers, fieldManagerOf);
  return writers ? { ...record, writers } : record;
}

function placeOf(value: unknown): Place | undefined {
  const json = jsonOf(value);
  const path = textOf(json?.path);
  const line = json?.line;
  return path !== undefined && typeof line === 'number' ? { path, line } : undefined;
}

function fieldManagerOf(value: unknown): FieldManager | undefined {
  const json = jsonOf(value);
  const manager = textsIn(json, 'uid', 'manager', 'operation');
  return manager && { ...manager, time: textOf(json?.time) };
}

/** The `coverage` of a document; undefined when it is not one. */
function decodeCoverage(value: unknown): Coverage | undefined {
  const json = jsonOf(value);
  const read = listOf(json?.read, readKindOf);
  const asked = listOf(json?.asked, askedObjectOf);
  const problems = decodeProblems(json?.problems);
  return read && asked && problems ? { read, asked, problems } : undefined;
}

/** The `problems` of a coverage, which every document of ours has. */
export function decodeProblems(value: unknown): CoverageProblem[] | undefined {
  return listOf(value, problemOf);
}

function readKindOf(value: unknown): ReadKind | undefined {
  const json = jsonOf(value);
  const resource = textOf(json?.resource);
  if (resource === undefined) return undefined;
  if (json?.namespaces === undefined) return { resource };
  const namespaces = listOf(json.namespaces, textOf);
  return namespaces && { resource, namespaces };
}

function askedObjectOf(value: unknown): AskedObject | undefined {
  return textsIn(jsonOf(value), 'resource', 'namespace', 'name');
}

function problemOf(value: unknown): CoverageProblem | undefined {
  const json = jsonOf(value);
  const told = textsIn(json, 'reason', 'message');
  if (!json || !told) return undefined;
  const { resource, apiVersion, namespace, path, line } = json;
  return {
    reason: told.reason as ProblemReason,
    message: told.message,
    ...(typeof resource === 'string' && { resource }),
    ...(typeof apiVersion === 'string' && { apiVersion }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof path === 'string' && { path }),
    ...(typeof line === 'number' && { line }),
  };
}

/** One entry of `resourceTypes`; undefined when it is not one. */
function decodeResourceType(value: unknown): ResourceType | undefined {
  const json = jsonOf(value);
  const names = textsIn(json, 'group', 'version', 'kind', 'resource', 'singular');
  const shortNames = listOf(json?.shortNames, textOf);
  const categories = listOf(json?.categories, textOf);
  const verbs = listOf(json?.verbs, textOf);
  const namespaced = json?.namespaced;
  if (!names || typeof namespaced !== 'boolean' || !shortNames || !categories || !verbs) {
    return undefined;
  }
  return { ...names, shortNames, categories, namespaced, verbs };
}

/** One entry of `failedGroupVersions`; undefined when it is not one. */
function decodeFailedGroupVersion(value: unknown): FailedGroupVersion | undefined {
  const json = jsonOf(value);
  const failed = textsIn(json, 'group', 'message');
  return failed && { ...failed, version: textOf(json?.version) };
}
