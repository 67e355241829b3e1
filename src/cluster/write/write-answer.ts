import { errorMessage, isGcError } from '../../errors.ts';
import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { type Refusal, readRefusal } from '../api-failure.ts';
import type { ApiResponse } from '../connection/cluster-client.ts';
import { retryAfter, serverTimeOf, temporaryStatuses } from '../get.ts';
import { isJson, readBody } from '../read-body.ts';
import type { WriteRequest } from './write-request.ts';

/** What became of a request. */
export interface WriteAnswer {
  /**
   * done: the server has taken it. gone: the object is not there. changed: a guard did not hold.
   * refused: the server said no. not-sent: it has certainly not arrived. unknown: it may have.
   */
  readonly outcome: 'done' | 'gone' | 'changed' | 'refused' | 'not-sent' | 'unknown';
  /** HTTP status; 0 without an answer. */
  readonly code: number;
  /** The Status' reason: `Conflict`, `Forbidden`; empty when there is none. */
  readonly reason: string;
  /** The server's words when it did not take the request; empty when it did. */
  readonly message: string;
  /** An earlier try may have had its effect although no good answer came. */
  readonly repeated: boolean;
  /** The object, where the server answers with one; a success may be without. */
  readonly object?: Json | undefined;
  /** uid of the object that was met, where the answer says it. */
  readonly uid?: string | undefined;
  /** The server's clock, RFC 3339. */
  readonly serverTime?: string | undefined;
  /** Another try may be answered differently. */
  readonly mayPass: boolean;
  /** Milliseconds the server asks to wait. */
  readonly retryAfter?: number | undefined;
  readonly error?: unknown;
}

/** Does the answer to a dry run judge the request? A busy or failing server, and what stands before it, judges none. */
export function isJudgement({ code, reason, message }: WriteAnswer): boolean {
  // Of a webhook that was not even called this says nothing about a real request.
  if (message.includes('does not support dry run')) return false;
  const isOfServer = reason !== '' && !temporaryStatuses.has(code);
  return code > 0 && (isOfServer || message.includes('webhook'));
}

/** Objects may be answered whole. */
const longestBody = 4 * 1024 * 1024;

/** Reads an answer to its end; one of the server that breaks off after a success is still a success. */
export async function readAnswer(
  write: WriteRequest,
  response: ApiResponse,
  repeated: boolean,
): Promise<WriteAnswer> {
  const { status: code } = response;
  const shared = { code, repeated, serverTime: serverTimeOf(response) };
  if (code < 200 || code >= 300) {
    const refusal = await readRefusal(response);
    return {
      ...shared,
      outcome: outcomeOf(write, code, refusal),
      reason: refusal.reason,
      message: wordsOf(write, code, refusal),
      mayPass: mayPass(write, code, refusal),
      retryAfter: retryAfter(response) ?? refusal.retryAfter,
    };
  }
  const body = await readObject(response);
  if (body === 'foreign') {
    const message = `the answer (HTTP ${code}) is not one of a Kubernetes API server`;
    return { ...shared, outcome: 'unknown', reason: '', message, mayPass: false };
  }
  const isStatus = body?.kind === 'Status';
  const { uid } = fieldsOf(isStatus ? body.details : body?.metadata);
  return {
    ...shared,
    outcome: 'done',
    reason: '',
    message: '',
    mayPass: false,
    uid: textOrEmpty(uid) || undefined,
    object: isStatus ? undefined : body,
  };
}

/** Undefined where it broke off; `foreign` where something before the server answered, a login page say. */
async function readObject(response: ApiResponse): Promise<Json | 'foreign' | undefined> {
  try {
    const body = await readBody(response, longestBody);
    if (body.length === 0) return undefined;
    if (response.headers['content-type'] !== undefined && !isJson(response)) return 'foreign';
    const object = fieldsOf(JSON.parse(body.toString('utf8')));
    return (object.kind ?? object.metadata ?? object.status) ? object : 'foreign';
  } catch {
    return undefined;
  }
}

function outcomeOf(
  { verb, patchType }: WriteRequest,
  code: number,
  { name, message, causes }: Refusal,
): WriteAnswer['outcome'] {
  // Without a name it is a path that nothing serves, or the page of a proxy.
  if (code === 404 && name !== '' && verb !== 'create') return 'gone';
  if (code === 409) {
    const isGuard =
      verb === 'update' ||
      patchType === 'json' ||
      (verb === 'delete' && /\b(UID|ResourceVersion) in (the )?precondition/.test(message));
    return isGuard ? 'changed' : 'refused';
  }
  if (code !== 422) return 'refused';
  // A test that fails is answered 422 as well, but without the causes of an invalid object.
  if (patchType === 'json') return causes.length === 0 ? 'changed' : 'refused';
  // Another uid is a change of what cannot be changed.
  const isOtherUid = verb === 'patch' && /\bmetadata\.uid: Invalid value\b/.test(message);
  return isOtherUid ? 'changed' : 'refused';
}

/** A webhook's denial is for good, whatever code it chose; a conflict is for good where it is a guard's. */
function mayPass(write: WriteRequest, code: number, refusal: Refusal): boolean {
  if (/^admission webhook .* denied the request/.test(refusal.message)) return false;
  if (temporaryStatuses.has(code)) return true;
  // A field that another manager sets to another value is for good.
  const isPassing =
    write.verb === 'delete' || (write.verb === 'patch' && write.patchType !== 'apply');
  return code === 409 && isPassing && outcomeOf(write, code, refusal) === 'refused';
}

/** The server's words. Of an invalid Secret or ConfigMap it quotes values, which no log may show. */
function wordsOf({ verb, path }: WriteRequest, code: number, refusal: Refusal): string {
  const { message, causes } = refusal;
  if (!holdsData.test(path) || (code !== 422 && code !== 400)) return message;
  const fields = causes.map(({ field }) => textOrEmpty(field)).filter((field) => field !== '');
  const isAboutData = fields.some((field) => !field.startsWith('metadata.'));
  if (verb !== 'create' && !isAboutData) return message;
  return `the server finds it invalid${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`;
}

const holdsData = /^\/api\/v1\/namespaces\/[^/]+\/(secrets|configmaps)(\/|$)/;

/** The answer where none came. */
export function noAnswer(error: unknown, repeated: boolean): WriteAnswer {
  const code = isGcError(error) ? error.code : '';
  return {
    outcome: neverSent.test(code) ? 'not-sent' : 'unknown',
    code: 0,
    reason: 'NoAnswer',
    message: errorMessage(error),
    repeated,
    mayPass: transient.test(code),
    error,
  };
}

/** The connection, and with it the request, did not come about. */
const neverSent =
  /^(connection-refused|connect-timeout|unreachable|unknown-host|proxy-failed|invalid-request|tls-.*)$/;

/** Failures of the way to the server that pass: it restarts, a connection breaks, a network is away. */
const transient =
  /^(connection-(dropped|refused)|connect-timeout|request-(timeout|failed)|unreachable|unknown-host|invalid-compression)$/;
