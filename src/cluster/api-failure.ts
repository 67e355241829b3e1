import { isGcError } from '../errors.ts';
import { fieldsListOf, fieldsOf, type Json, numberOf, textOrEmpty } from '../kube/json-value.ts';
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

// Less than 64 KiB.
const longestStatus = 64 * 1024 - 1;

export async function failureOf(response: ApiResponse): Promise<ApiFailure> {
  const refusal = await readRefusal(response);
  return new ApiFailure(response.status, refusal.message, refusal.continue || undefined);
}

/** What a server says that did not do what it was asked: the fields of a Status, empty where it has none. */
export interface Refusal {
  readonly message: string;
  /** `Conflict`, `Forbidden`. */
  readonly reason: string;
  readonly continue: string;
  /** The object that it is about; empty where it is about a kind or path. */
  readonly name: string;
  /** What makes an object invalid, field by field. */
  readonly causes: readonly Json[];
  /** Milliseconds that it asks to wait. */
  readonly retryAfter: number | undefined;
}

/** Reads a refusal: a Status in JSON or protobuf, or a line of text; else the HTTP status is all there is. */
export async function readRefusal(response: ApiResponse): Promise<Refusal> {
  const told = await readStatus(response);
  return told.message
    ? told
    : { ...told, message: `the server answered with HTTP status ${response.status}` };
}

/** The same without a word for a refusal that has none. */
export function readStatus(response: ApiResponse): Promise<Refusal> {
  return statusOf(response).catch(() => noStatus);
}

// Whatever it was, it says nothing that could be passed on.
const noStatus: Refusal = {
  message: '',
  reason: '',
  continue: '',
  name: '',
  causes: [],
  retryAfter: undefined,
};

async function statusOf(response: ApiResponse): Promise<Refusal> {
  const body = await readBody(response, longestStatus);
  if (isEnveloped(body)) {
    const status = contentOf(body);
    const token = textOf(fieldOf(fieldOf(status, 1), 3));
    return { ...noStatus, message: textOf(fieldOf(status, 3)), continue: token };
  }
  const text = textOf(body);
  // Text is the words of the server or a proxy; HTML is not for people in a terminal.
  const isText = response.headers['content-type']?.startsWith('text/plain') ?? false;
  // Some servers send a Status as plain text.
  if (isText && !text.startsWith('{')) return { ...noStatus, message: text.trim().split('\n', 1)[0] ?? '' };
  const { kind, message, reason, metadata, ...rest } = fieldsOf(JSON.parse(text));
  if (kind !== 'Status') return noStatus;
  const { name, causes, retryAfterSeconds } = fieldsOf(rest.details);
  const seconds = numberOf(retryAfterSeconds);
  return {
    message: textOrEmpty(message),
    reason: textOrEmpty(reason),
    continue: textOrEmpty(fieldsOf(metadata).continue),
    name: textOrEmpty(name),
    causes: fieldsListOf(causes),
    retryAfter: seconds === undefined ? undefined : Math.max(seconds, 0) * 1000,
  };
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
