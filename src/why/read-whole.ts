import type { KubeObject } from '../kube/record-codec.ts';
import { MetadataOnly, type SeenObject } from '../kube/record-codec.ts';
import type { Reading } from './inquiry.ts';

const onlyMetadata = 'the input holds only its metadata, not its spec and status';

/** What to do where spec and status are missing. */
export const readInFull =
  'Ask the cluster itself, or give the objects in full, as kubectl get -o yaml prints them.';

/** The reading of a question that needs spec and status: metadata alone counts as not read. */
export function readWhole(
  reading: Reading<SeenObject | undefined>,
): Reading<KubeObject | undefined> {
  if (reading.state !== 'read') return reading;
  const { what, readAt, value } = reading;
  return value instanceof MetadataOnly
    ? { state: 'unread', what, readAt, because: onlyMetadata }
    : { ...reading, value };
}

/** The same for a list, in which every object has to be complete. */
export function readAllWhole(
  reading: Reading<readonly SeenObject[]>,
): Reading<readonly KubeObject[]> {
  if (reading.state !== 'read') return reading;
  const { what, readAt, value } = reading;
  const whole = value.filter((object): object is KubeObject => !(object instanceof MetadataOnly));
  const count = value.length - whole.length;
  if (count === 0) return { ...reading, value: whole };
  return {
    state: 'unread',
    what,
    readAt,
    because: `of ${count} of ${value.length} objects the input holds only metadata, not spec and status`,
  };
}
