import { isGcError } from '../../errors.ts';
import { invalidPath } from '../../kube/path-segment.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem, ProblemReason } from '../../snapshot/coverage.ts';
import { ApiFailure } from './api-failure.ts';
import { isInterruption } from './interruption.ts';
import { UnreadableJson } from './read-body.ts';
import { WireError } from './wire-reader.ts';

/** What a failed request leaves unseen; throws the error again when it concerns more than this kind. */
export function problemOf(
  error: unknown,
  doing: string,
  type: ResourceType,
  namespace: string | undefined,
): CoverageProblem {
  return {
    reason: reasonOf(error),
    message: `cannot ${doing}: ${error instanceof Error ? error.message : String(error)}`,
    resource: groupResourceOf(type),
    apiVersion: apiVersionOf(type),
    ...(namespace ? { namespace } : {}),
  };
}

function reasonOf(error: unknown): ProblemReason {
  if (error instanceof ApiFailure) {
    return error.status === 401 || error.status === 403 ? 'forbidden' : 'unavailable';
  }
  if (isInterruption(error)) return 'unavailable';
  if (error instanceof WireError || error instanceof UnreadableJson) return 'unreadable';
  if (isGcError(error) && error.code === 'request-timeout') return 'timed-out';
  // No object has such a name, and no request is sent: what it would have led to is not known.
  if (isGcError(error) && error.code === invalidPath) return 'unreadable';
  throw error;
}
