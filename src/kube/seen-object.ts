import type { ObjectRecord } from './object-record.ts';
import { type KubeObject, objectOf, recordOf } from './record-codec.ts';
import type { ResourceType } from './resource-type.ts';

/**
 * An object of which only metadata was read. It is a type of its own, so that a spec or status that
 * was not read cannot be taken for an empty one: field-at.ts reads no field of it.
 */
export class MetadataOnly {
  readonly isWhole = false;
  readonly metadata: KubeObject['metadata'];

  constructor(metadata: KubeObject['metadata']) {
    this.metadata = metadata;
  }
}

/** An object as it was read: in full, or only its metadata. */
export type SeenObject = KubeObject | MetadataOnly;

/** What a snapshot holds of an object. */
export function seenObjectOf(record: ObjectRecord): SeenObject {
  const object = objectOf(record);
  return record.facts === undefined ? new MetadataOnly(object.metadata) : object;
}

export function asRecord(object: SeenObject, type: ResourceType): ObjectRecord {
  return recordOf({ ...object, metadata: object.metadata }, type);
}

/** An object in full: undefined when it, or more than its metadata, was not read. */
export function wholeOf(object: SeenObject | undefined): KubeObject | undefined {
  return object instanceof MetadataOnly ? undefined : object;
}
