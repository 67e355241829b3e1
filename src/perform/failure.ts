import { ApiFailure } from '../cluster/api-failure.ts';
import { UnreadableJson } from '../cluster/read-body.ts';
import { exitCodes, GcError, isGcError } from '../errors.ts';
import { counted } from '../kube/counts-by-kind.ts';

/** Something that kept one object from being deleted, or one source from being read. */
export interface Failure {
  readonly message: string;
  /** Set when an API server said it. */
  readonly status?: {
    readonly code: number;
    /** `NotFound`; empty when the server gave none. */
    readonly reason: string;
  };
}

/** The line that kubectl prints for it when it is one of several. */
export function messageOf({ message, status }: Failure): string {
  if (status === undefined) return message;
  if (status.reason === 'Unauthorized') {
    return `error: You must be logged in to the server (${message})`;
  }
  return status.reason === ''
    ? `Error from server: ${message}`
    : `Error from server (${status.reason}): ${message}`;
}

/** The same with the file it came from, as kubectl words it. */
export function whenDeleting(source: string | undefined, failure: Failure): Failure {
  if (source === undefined) return failure;
  return { ...failure, message: `error when deleting "${source}": ${failure.message}` };
}

/** A 404 without a reason is the page of something that stands before the server. */
export function isNotFound({ status }: Failure): boolean {
  return status?.code === 404 && status.reason === 'NotFound';
}

/** The refusal of a server, or why its answer is none: one that sends something else has not said that nothing is there. */
export function failureIn(error: unknown): Failure {
  if (!(error instanceof UnreadableJson || error instanceof ApiFailure)) throw error;
  const { message } = error;
  if (error instanceof ApiFailure && error.reason !== undefined) {
    return { message, status: { code: error.status, reason: error.reason } };
  }
  return { message: `the answer of the server is malformed: ${message}` };
}

/**
 * An error that ended a run after the server had accepted so many requests, as where stdout cannot be written: its exit code
 * is not that of nothing done. An interruption keeps its own.
 */
export function afterRequests(error: unknown, accepted: number): unknown {
  if (accepted === 0 || !isGcError(error) || error.exitCode !== exitCodes.failed) return error;
  const { message, code, advice, cause } = error;
  const suggestions = [
    ...advice,
    `The server had accepted ${counted(accepted, 'request')} before.`,
  ];
  return new GcError(message, { code, exitCode: exitCodes.incomplete, suggestions, cause });
}
