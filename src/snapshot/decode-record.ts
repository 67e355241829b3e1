import type { ObjectRecord, Place, ReferenceWriter } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import { decodeResourceType } from './decode-types.ts';
import { savedExtrasField } from './encode.ts';
import { type Json, jsonOf, listOf, textOf } from './json-value.ts';

/** The type that a saved object names itself, when apiVersion and kind do not lead to it. */
export function savedTypeOf(object: Json): ResourceType | undefined {
  return decodeResourceType(jsonOf(object[savedExtrasField])?.type);
}

/** One entry of a saved snapshot's `objects`. Where it was first read wins over `place`. */
export function decodeRecord(object: Json, type: ResourceType, place?: Place): ObjectRecord {
  const extras = jsonOf(object[savedExtrasField]);
  const record = recordOf(object, type, placeOf(extras?.place) ?? place);
  const writers = listOf(extras?.writers, writerOf);
  return writers ? { ...record, writers } : record;
}

function placeOf(value: unknown): Place | undefined {
  const json = jsonOf(value);
  const path = textOf(json?.path);
  const line = json?.line;
  return path !== undefined && typeof line === 'number' ? { path, line } : undefined;
}

function writerOf(value: unknown): ReferenceWriter | undefined {
  const json = jsonOf(value);
  const uid = textOf(json?.uid);
  const manager = textOf(json?.manager);
  const operation = textOf(json?.operation);
  if (uid === undefined || manager === undefined || operation === undefined) return undefined;
  return { uid, manager, operation, time: textOf(json?.time) };
}
