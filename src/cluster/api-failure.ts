import type { V1Status, V1StatusDetails } from '@kubernetes/client-node';
import { shellCommand, suggested } from '../command-line/shell-command.ts';
import { errorMessage, GcError, isGcError, type Suggestion } from '../errors.ts';
import { firstOf } from '../kube/counts-by-kind.ts';
import { fieldsListOf, fieldsOf, type Json, numberOf, textOrEmpty } from '../kube/json-value.ts';
import { invalidPath } from '../kube/names.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem, ProblemReason } from '../snapshot/coverage.ts';
import type { ApiResponse } from './connection/cluster-client.ts';
import { serverTimeOf } from './get.ts';
import { TruncatedList } from './protobuf/list-decoder.ts';
import {
  envelopedObject,
  fieldOf,
  isEnveloped,
  valuesOf,
  WireError,
} from './protobuf/wire-reader.ts';
import { readBody, UnreadableJson } from './read-body.ts';
import { saysUnlistable } from './unlistable.ts';

/** An answer other than 2xx, with what the server's Status said about it. */
export class ApiFailure extends Error {
  readonly status: number;
  /** As in Refusal; undefined where no refusal was sent. */
  readonly reason: string | undefined;
  /** With a 410: a token that goes on with what is left of the list, at a later moment. */
  readonly continueToken: string | undefined;
  /** The server says that the object which was asked for does not exist. */
  readonly isAbsence: boolean;
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;

  constructor(
    status: number,
    message: string,
    refusal?: Pick<Refusal, 'reason' | 'continue' | 'name'>,
    serverTime?: string,
  ) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.reason = refusal?.reason;
    this.continueToken = refusal?.continue || undefined;
    this.isAbsence = refusal !== undefined && isAbsence(status, refusal);
    this.serverTime = serverTime;
  }
}

/** A 404 that names no object is about a path that nothing serves, or the page of a proxy. */
export function isAbsence(status: number, { name }: Pick<Refusal, 'name'>): boolean {
  return status === 404 && name !== '';
}

// Less than 64 KiB.
const longestStatus = 64 * 1024 - 1;

export async function failureOf(response: ApiResponse): Promise<ApiFailure> {
  const refusal = await readRefusal(response);
  return new ApiFailure(response.status, refusal.message, refusal, serverTimeOf(response));
}

/** The server's refusal: the fields of a Status, empty where it has none. */
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
  const answered = await readStatus(response);
  if (!answered.message) {
    return { ...answered, message: `the server answered with HTTP status ${response.status}` };
  }
  const unreadable = unreadableIn(answered);
  if (unreadable === '') return answered;
  // Since v1.37 the message repeats the causes, with the words of the decoder.
  return {
    ...answered,
    message: answered.message.replace(/: StorageError: .*$/s, '') + unreadable,
  };
}

const shownKeys = 3;

/**
 * `: /registry/secrets/shop/a (object not decodable)`: what of a list the API server cannot read from etcd. It says so where
 * AllowUnsafeMalformedObjectDeletion is on. The words of the decoder are left out, as they may quote what is stored.
 * Mirrors NewAPIStatusError, k8s.io/apiserver pkg/storage/etcd3/corrupt_obj_deleter.go.
 */
function unreadableIn({ reason, causes }: Refusal): string {
  if (reason !== 'StorageReadError') return '';
  const keys = causes.flatMap(({ field, message }) => {
    const [why] =
      /object not decodable|data from the storage is not transformable/.exec(
        textOrEmpty(message),
      ) ?? [];
    return textOrEmpty(field) === '' ? [] : `${field} (${why ?? 'unreadable'})`;
  });
  return keys.length === 0 ? '' : `: ${firstOf(keys, shownKeys)}`;
}

/** The same without a word for a refusal that has none. */
function readStatus(response: ApiResponse): Promise<Refusal> {
  return refusalIn(response).catch(() => noStatus);
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

async function refusalIn(response: ApiResponse): Promise<Refusal> {
  const body = await readBody(response, longestStatus);
  if (isEnveloped(body)) {
    const status = envelopedObject(body);
    const token = utf8Of(fieldOf(fieldOf(status, 1), 3));
    const [message, reason] = [utf8Of(fieldOf(status, 3)), utf8Of(fieldOf(status, 4))];
    const details = fieldOf(status, 5);
    const name = utf8Of(fieldOf(details, 1));
    const causes = valuesOf(details, 4).map((cause) => ({
      message: utf8Of(fieldOf(cause, 2)),
      field: utf8Of(fieldOf(cause, 3)),
    }));
    return { ...noStatus, message, reason, continue: token, name, causes };
  }
  const text = utf8Of(body);
  // Text is the words of the server or a proxy; HTML is not for people in a terminal.
  const isText = response.headers['content-type']?.startsWith('text/plain') ?? false;
  // Some servers send a Status as plain text.
  if (isText && !text.startsWith('{'))
    return { ...noStatus, message: text.trim().split('\n', 1)[0] ?? '' };
  const { kind, message, reason, metadata, details } = fieldsOf<V1Status>(JSON.parse(text));
  if (kind !== 'Status') return noStatus;
  const { name, causes, retryAfterSeconds } = fieldsOf<V1StatusDetails>(details);
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

function utf8Of(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** One object, or all of a kind in a namespace or everywhere. */
interface RequestedPlace {
  readonly type: ResourceType;
  /** Undefined or empty: of the cluster, or everywhere. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** What a failed request leaves unseen; throws the error again when it concerns more than this kind. */
export function problemOf(
  error: unknown,
  verb: 'get' | 'list',
  { type, namespace, name }: RequestedPlace,
): CoverageProblem {
  const resource = groupResourceOf(type);
  const reason = problemReason(error);
  const { status, message } = error instanceof ApiFailure ? error : { status: 0, message: '' };
  const isUnlistable =
    reason === 'unavailable' && saysUnlistable(type.group, { verb, status, message });
  const what = name === undefined ? resource : `${resource}/${name}`;
  const where = namespace ? ` in ${namespace}` : '';
  return {
    reason: isUnlistable ? 'unlistable' : reason,
    message: `cannot ${verb} ${what}${where}: ${errorMessage(error)}`,
    resource,
    apiVersion: apiVersionOf(type),
    ...(namespace ? { namespace } : {}),
    ...(name === undefined ? {} : { name }),
    verb,
    ...(status > 0 && { status }),
  };
}

function problemReason(error: unknown): ProblemReason {
  if (error instanceof ApiFailure && error.status >= 400)
    return isDenied(error) ? 'forbidden' : 'unavailable';
  // What stands before the server answered, or the way to it broke or changed the answer: that says nothing about the kind.
  if (error instanceof ApiFailure || isInterruption(error)) return 'unreadable';
  if (isGcError(error) && error.code === 'unknown-encoding') return 'unreadable';
  if (error instanceof WireError || error instanceof UnreadableJson) return 'unreadable';
  if (isGcError(error) && error.code === 'request-timeout') return 'timed-out';
  // No object has such a name, and no request is sent: what it would have led to is not known.
  if (isGcError(error) && error.code === invalidPath) return 'unreadable';
  throw error;
}

/** The server does not know the user, or does not let the user ask for this. */
export function isDenied({ status }: ApiFailure): boolean {
  return status === 401 || status === 403;
}

// Compressed bytes that break off are reported as bytes that cannot be decompressed.
const brokenOff = new Set(['connection-dropped', 'invalid-compression']);

/** Did an answer break off, so that asking again may help? */
export function isInterruption(error: unknown): boolean {
  return error instanceof TruncatedList || (isGcError(error) && brokenOff.has(error.code));
}

/** The longest text of a proxy that is shown. */
const longestProxyText = 1024;

/** `why` is used when the server gives no reason. */
type Explanation = readonly [code: string, why: string, ...suggestions: Suggestion[]];

const explanations: Readonly<Record<number, Explanation>> = {
  401: [
    'unauthorized',
    'the server has asked for the client to provide credentials',
    'Log in again: the token or certificate may have expired.',
    suggested('Check who you are', shellCommand`kubectl auth whoami`),
  ],
  403: [
    'forbidden',
    'it is not permitted',
    'Ask an administrator for the missing permission.',
    suggested('To see what is permitted', shellCommand`kubectl auth can-i --list`),
  ],
  404: [
    'not-found',
    'the server could not find it',
    'Check the name, the namespace and the context.',
  ],
  406: ['not-acceptable', 'the server cannot answer in this format'],
  429: ['too-many-requests', 'the server is too busy', 'Try again later.'],
  503: [
    'unavailable',
    'the server is not available',
    'Try again later.',
    suggested('To see what is missing', shellCommand`kubectl get --raw /readyz?verbose`),
  ],
  504: ['timeout', 'the server ran out of time', 'Try again later.'],
};

const redirection: Explanation = [
  'redirected',
  'the answer is a redirect, for example to a login page',
  "Check the server's address; a proxy in front of it may require a login.",
];

const otherFailure: Explanation = ['server-error', 'the server failed', 'Try again later.'];

/**
 * The error for an answer that is not 2xx where nothing can be done without it, as with discovery. `what` completes
 * "could not …". The code says the kind of failure: `forbidden`, `not-found` …
 */
export async function statusError(response: ApiResponse, what: string): Promise<GcError> {
  const { status } = response;
  const unlisted = status >= 300 && status < 400 ? redirection : otherFailure;
  const [code, why, ...suggestions] = explanations[status] ?? unlisted;
  const answered = (await readStatus(response)).message.trim().slice(0, longestProxyText);
  const reason = answered === '' || /^(Unauthorized|unknown)$/i.test(answered) ? why : answered;
  return new GcError(`could not ${what}: ${reason} (HTTP ${status})`, { code, suggestions });
}
