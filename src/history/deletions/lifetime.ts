import type { ObjectRecord } from '../../kube/object-record.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { Place } from './request-index.ts';

/** One of the objects that had a name one after the other, as far as requests and snapshots show it. */
export interface Lifetime {
  readonly place: Place;
  /** Empty where nothing names it. */
  readonly uid: string;
  /** The request that created it, where it is in the log. */
  readonly creation: AuditedRequest | undefined;
  readonly record: ObjectRecord | undefined;
  /** Requests that deleted it or can have: the first one began the deletion. */
  readonly deletions: readonly AuditedRequest[];
  /** Which of two requests began the deletion is unknown: the first may have been a dry run. */
  readonly isDoubtful: boolean;
  /** Updates and patches, in order. */
  readonly changes: readonly AuditedRequest[];
  /** The next object of that name was created by this request, or is in a snapshot. */
  readonly next: AuditedRequest | undefined;
  /** It does not exist any more: another one has its name, or a complete snapshot does not hold it. */
  readonly hasEnded: boolean;
}
