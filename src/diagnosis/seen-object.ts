import type { ObjectRecord } from '../kube/object-record.ts';
import { type KubeObject, objectOf, recordOf } from '../kube/record-codec.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { Reading } from './evidence.ts';

/**
 * An object of which only metadata was read. It is a type of its own, so that a spec or status that
 * was not read cannot be taken for an empty one: fields.ts reads no field of it.
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

const onlyMetadata = 'the input holds only its metadata, not its spec and status';

/** What to do where spec and status are missing. */
export const readInFull =
  'Ask the cluster itself, or give the objects in full, as kubectl get -o yaml prints them.';

/** The reading of a question that only spec and status answer: metadata alone counts as not read. */
export function readWhole(
  reading: Reading<SeenObject | undefined>,
): Reading<KubeObject | undefined> {
  if (reading.state !== 'read') return reading;
  const { what, readAt, value } = reading;
  return value instanceof MetadataOnly
    ? { state: 'unread', what, readAt, because: onlyMetadata }
    : { ...reading, value };
}

/** The same of a list, of which every object has to be there in full. */
export function readAllWhole(
  reading: Reading<readonly SeenObject[]>,
): Reading<readonly KubeObject[]> {
  if (reading.state !== 'read') return reading;
  const { what, readAt, value } = reading;
  const whole = value.filter((object): object is KubeObject => !(object instanceof MetadataOnly));
  const count = value.length - whole.length;
  if (count === 0) return { ...reading, value: whole };
  return { state: 'unread', what, readAt, because: unreadAmong(count, value.length) };
}

/** Says that of some objects only metadata was read. */
export function unreadAmong(count: number, all: number): string {
  return `of ${count} of ${all} objects the input holds only metadata, not spec and status`;
}
