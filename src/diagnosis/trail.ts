import type { ObjectRecord } from '../kube/object-record.ts';
import type { Link } from './link.ts';

/** The way from the object that was asked about to the one that is looked at now. */
export interface Trail {
  /** uids on the way, the first first. */
  readonly uids: readonly string[];
  /** Goes one object further: why is this one, which is being deleted, not gone? */
  readonly follow: (record: ObjectRecord, trail: Trail) => Link;
}

/** A chain is followed this far. */
export const deepest = 8;
/** So many of one link's objects are followed; the others are counted. */
export const widest = 5;

export function further(trail: Trail, record: ObjectRecord): Trail {
  return { ...trail, uids: [...trail.uids, record.uid] };
}
