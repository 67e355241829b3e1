import { isGcError } from '../errors.ts';
import { invalidPath } from '../kube/path-segment.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem, ProblemReason } from '../snapshot/coverage.ts';
import type { ApiResponse } from './connection/cluster-client.ts';
import { CutShort } from './protobuf/list-decoder.ts';
import { contentOf, fieldOf, isEnveloped, WireError } from './protobuf/wire-reader.ts';
import { readBody, UnreadableJson } from './read-body.ts';

/** An answer other than 2xx, with what the server's Status said about it. */
export class ApiFailure extends Error {
  readonly status: number;
  /** With a 410: a token that goes on with what is left of the list, at a later moment. */
  readonly continueToken: string | undefined;

  constructor(status: number, message: string, continueToken?: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.continueToken = continueToken;
  }
}

const longestStatus = 64 * 1024;

/** Reads a refusal: a Status in JSON or protobuf, or a line of text; else the HTTP status is all there is. */
export async function failureOf(response: ApiResponse): Promise<ApiFailure> {
  const { status } = response;
  const told = await readRefusal(response);
  const message = told.message || `the server answered with HTTP status ${status}`;
  return new ApiFailure(status, message, told.continue || undefined);
}

interface Refusal {
  readonly message: string;
  readonly continue: string;
}

async function readRefusal(response: ApiResponse): Promise<Refusal> {
  try {
    const body = await readBody(response, longestStatus);
    if (isEnveloped(body)) {
      const status = contentOf(body);
      const metadata = fieldOf(status, 1);
      return { message: textOf(fieldOf(status, 3)), continue: textOf(fieldOf(metadata, 3)) };
    }
    const text = textOf(body);
    // Text is the words of the server or a proxy; HTML is not for people in a terminal.
    const isText = response.headers['content-type']?.startsWith('text/plain') ?? false;
    if (isText) return { message: text.trim().split('\n', 1)[0] ?? '', continue: '' };
    const { kind, message, metadata } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (kind === 'Status') {
      const token = Object(metadata).continue;
      return { message: String(message ?? ''), continue: String(token ?? '') };
    }
  } catch {
    // Whatever it was, it says nothing that could be passed on.
  }
  return { message: '', continue: '' };
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8');
}

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

// Compressed bytes that break off are reported as bytes that cannot be decompressed.
const brokenOff = new Set(['connection-dropped', 'invalid-compression']);

/** Did an answer break off, so that asking again may help? */
export function isInterruption(error: unknown): boolean {
  return error instanceof CutShort || (isGcError(error) && brokenOff.has(error.code));
}
