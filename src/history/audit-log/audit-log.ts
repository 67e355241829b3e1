import type { AuditedRequest } from '../audited-request.ts';

/** What audit logs say of removals, and of what time. */
export interface AuditLog {
  /** Requests of the question's scope that could remove something, in the order in which they were answered. */
  readonly requests: readonly AuditedRequest[];
  /** Epoch milliseconds of the first and last request of any kind; undefined in an empty log. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /**
   * The longest times without an event of any kind, the longest first: nothing happened, or a file is missing. Epoch
   * milliseconds, in whole minutes.
   */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** All events that were read, also those of which nothing is kept. */
  readonly events: number;
  /** Each line that is no audit event, and each file that ended too soon: what and where. */
  readonly problems: readonly string[];
}
