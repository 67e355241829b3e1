import { GcError } from '../errors.ts';
import { ResourceTypes } from '../kube/resource-types.ts';
import { decodeCoverage } from './decode-coverage.ts';
import { decodeRecord, savedTypeOf } from './decode-record.ts';
import { decodeFailedGroupVersion, decodeResourceType } from './decode-types.ts';
import { type Json, jsonOf, listOf, textOf } from './json-value.ts';
import type { Origin, Snapshot } from './snapshot.ts';

/** Everything of a saved snapshot but its objects. */
export type SnapshotHeader = Omit<Snapshot, 'records'>;

export function isSavedSnapshot(json: Json): boolean {
  return json.kind === 'Snapshot' && /^kubectl-gc\//.test(textOf(json.apiVersion) ?? '');
}

/** Reads what stands before the objects; throws GcError `invalid-snapshot` naming the field that is wrong. */
export function decodeSnapshotHeader(json: Json): SnapshotHeader {
  if (json.apiVersion !== 'kubectl-gc/v1' || json.kind !== 'Snapshot') {
    throw invalid(
      `it is ${textOf(json.apiVersion)} ${textOf(json.kind)}, not kubectl-gc/v1 Snapshot`,
    );
  }
  const observedAt = textOf(json.observedAt) ?? '';
  if (Number.isNaN(Date.parse(observedAt))) throw invalid('its observedAt is not a time');
  const origin = originOf(json.origin);
  if (!origin) throw invalid('its origin names neither a cluster nor files');
  const coverage = decodeCoverage(json.coverage);
  if (!coverage) throw invalid('its coverage is not one');
  return {
    observedAt,
    serverVersion: textOf(json.serverVersion),
    origin,
    coverage,
    types: typesOf(json),
  };
}

/** The inverse of encodeSnapshot, for a document that was parsed as a whole. */
export function decodeSnapshot(value: unknown): Snapshot {
  const json = jsonOf(value);
  if (!json) throw invalid('it is not a JSON object');
  const header = decodeSnapshotHeader(json);
  const objects = listOf(json.objects, jsonOf);
  if (!objects) throw invalid('its objects are not a list of objects');
  const records = objects.map((object, index) => {
    const { apiVersion, kind } = object;
    const type =
      savedTypeOf(object) ?? header.types.find(textOf(apiVersion) ?? '', textOf(kind) ?? '');
    if (!type) throw invalid(`objects[${index}] is of a kind that resourceTypes does not list`);
    return decodeRecord(object, type);
  });
  return { ...header, records };
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

function invalid(why: string): GcError {
  return new GcError(`the saved snapshot cannot be used: ${why}`, {
    code: 'invalid-snapshot',
    suggestions: ['Save it again with "kubectl gc snapshot save".'],
  });
}
