import {
  keptAnnotations,
  noFinalizers,
  noReferences,
  type ObjectFacts,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, WireError, type WireReader } from './wire-reader.ts';

/** Reads the ObjectMeta between `at` and `end` into the record that recordOf makes of the same object's JSON. */
export function decodeMetadata(
  reader: WireReader,
  type: ResourceType,
  strings: StringPool,
  facts: ObjectFacts | undefined,
): ObjectRecord {
  const { bytes } = reader;
  let namespace = '';
  let name = '';
  let uid = '';
  let resourceVersion: string | undefined;
  let creationTimestamp: string | undefined;
  let deletionTimestamp: string | undefined;
  let deletionGracePeriodSeconds: number | undefined;
  let labels: Record<string, string> | undefined;
  let annotations: Record<string, string> | undefined;
  let ownerReferences: OwnerReference[] | undefined;
  let finalizers: string[] | undefined;

  while (reader.at < reader.end) {
    const tag = reader.varint();
    const field = tag >>> 3;
    if ((tag & 7) !== DELIMITED) {
      if (field === 10) deletionGracePeriodSeconds = reader.int64();
      else reader.skip(tag & 7);
      continue;
    }
    const end = reader.delimited();
    const start = reader.at;
    switch (field) {
      case 1:
        name = strings.single(bytes, start, end);
        break;
      case 3:
        if (type.namespaced) namespace = strings.shared(bytes, start, end);
        break;
      case 5:
        uid = strings.shared(bytes, start, end);
        break;
      case 6:
        resourceVersion = start === end ? undefined : strings.single(bytes, start, end);
        break;
      case 8:
        creationTimestamp = timeOf(reader, end, strings);
        break;
      case 9:
        deletionTimestamp = timeOf(reader, end, strings);
        break;
      case 11:
        labels ??= {};
        addEntry(labels, reader, end, strings);
        break;
      case 12:
        annotations = addAnnotation(annotations, reader, end, strings);
        break;
      case 13:
        ownerReferences ??= [];
        ownerReferences.push(ownerReferenceOf(reader, end, strings));
        break;
      case 14:
        finalizers ??= [];
        finalizers.push(strings.shared(bytes, start, end));
        break;
    }
    reader.at = end;
  }
  return {
    type,
    namespace,
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    ownerReferences: ownerReferences ?? noReferences,
    finalizers: finalizers ?? noFinalizers,
    labels,
    annotations,
    writers: undefined,
    facts,
    place: undefined,
  };
}

function ownerReferenceOf(reader: WireReader, end: number, strings: StringPool): OwnerReference {
  const { bytes } = reader;
  let apiVersion = '';
  let kind = '';
  let name = '';
  let uid = '';
  let controller: boolean | undefined;
  let blockOwnerDeletion: boolean | undefined;
  while (reader.at < end) {
    const tag = reader.varint();
    const field = tag >>> 3;
    if ((tag & 7) !== DELIMITED) {
      if (field === 6) controller = reader.varint() !== 0;
      else if (field === 7) blockOwnerDeletion = reader.varint() !== 0;
      else reader.skip(tag & 7);
      continue;
    }
    const valueEnd = reader.delimited();
    const start = reader.at;
    if (field === 5) apiVersion = strings.shared(bytes, start, valueEnd);
    else if (field === 1) kind = strings.shared(bytes, start, valueEnd);
    else if (field === 3) name = strings.shared(bytes, start, valueEnd);
    else if (field === 4) uid = strings.shared(bytes, start, valueEnd);
    reader.at = valueEnd;
  }
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

/** Reads an entry of a map of strings. */
export function addEntry(
  map: Record<string, string>,
  reader: WireReader,
  end: number,
  strings: StringPool,
): void {
  let key = '';
  let value = '';
  while (reader.at < end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const valueEnd = reader.delimited();
    if (tag >>> 3 === 1) key = strings.shared(reader.bytes, reader.at, valueEnd);
    else if (tag >>> 3 === 2) value = strings.shared(reader.bytes, reader.at, valueEnd);
    reader.at = valueEnd;
  }
  map[key] = value;
}

/** An annotation may be a megabyte long, so its value is looked at only when its key is kept. */
function addAnnotation(
  map: Record<string, string> | undefined,
  reader: WireReader,
  end: number,
  strings: StringPool,
): Record<string, string> | undefined {
  const start = reader.at;
  reader.varint();
  const keyEnd = reader.delimited();
  if (!keptAnnotations.has(strings.shared(reader.bytes, reader.at, keyEnd))) return map;
  const kept = map ?? {};
  reader.at = start;
  addEntry(kept, reader, end, strings);
  return kept;
}

/** An empty message is the zero time, which JSON writes as null. */
export function timeOf(reader: WireReader, end: number, strings: StringPool): string | undefined {
  if (reader.at === end) return undefined;
  let seconds = 0;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else reader.skip(tag & 7);
  }
  return formatTimestamp(seconds, strings);
}

const secondsOfDay = 86_400;
const scratch = Buffer.from('0000-00-00T00:00:00Z', 'latin1');
let scratchDay = Number.NaN;

/**
 * RFC 3339 with whole seconds, as metav1.Time prints them. Objects of one list are mostly of few
 * days, so only the time of day is formatted again.
 */
function formatTimestamp(seconds: number, strings: StringPool): string {
  const day = Math.floor(seconds / secondsOfDay);
  if (day !== scratchDay) {
    const date = new Date(day * secondsOfDay * 1000);
    const year = date.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) throw new WireError(`a time of ${seconds} seconds`);
    scratch.write(date.toISOString().slice(0, 10), 'latin1');
    scratchDay = day;
  }
  const time = seconds - day * secondsOfDay;
  twoDigits(Math.floor(time / 3600), 11);
  twoDigits(Math.floor(time / 60) % 60, 14);
  twoDigits(time % 60, 17);
  return strings.shared(scratch, 0, scratch.length);
}

/** RFC 3339 with microseconds, as metav1.MicroTime prints them: hardly two are alike. */
export function formatMicroTime(seconds: number, nanoseconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new WireError(`a time of ${seconds} seconds`);
  const micros = String(Math.floor(nanoseconds / 1000)).padStart(6, '0');
  return `${date.toISOString().slice(0, 19)}.${micros}Z`;
}

function twoDigits(value: number, at: number): void {
  scratch[at] = 48 + Math.floor(value / 10);
  scratch[at + 1] = 48 + (value % 10);
}
