import { isDeepStrictEqual } from 'node:util';
import type { V1DeleteOptions } from '@kubernetes/client-node';
import { fieldsOf } from '../../kube/json-value.ts';
import type { ApiResponse, ClearedRequest, ClusterClient } from '../connection/cluster-client.ts';
import { get, metadataOrJson } from '../get.ts';
import { defaultRetryPolicy, longestAsked, Retries, type RetryPolicy } from '../pacing.ts';
import { parseJsonBody, readBody } from '../read-body.ts';
import type { Clearance, ClearedWrite } from './clearance.ts';
import { noAnswer, readAnswer, type WriteAnswer } from './write-answer.ts';
import { fieldManager, type Sent, type WriteRequest } from './write-request.ts';

export interface SendOptions {
  /** How often and how soon it is sent again. */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds after which it is not sent again; undefined: the tries alone decide. */
  readonly giveUp?: number | undefined;
  /** Once aborted, nothing more is sent; what is on its way is waited for. */
  readonly signal?: AbortSignal | undefined;
  /** Once aborted, the answer is not waited for. */
  readonly late?: AbortSignal | undefined;
  /** Sent twice it might meet two objects: it is sent again only when it was certainly not begun. */
  readonly isUnguarded?: boolean;
  /** Asked before each try; true ends the sending. `isUncertain`: an earlier try may have had its effect. */
  readonly endsBefore?: (isUncertain: boolean) => Promise<boolean>;
  /** Asked of each answer other than done; true: no further try is needed. */
  readonly endsAfter?: (answer: WriteAnswer) => Promise<boolean>;
  /** More answers than the usual ones that pass, as they wait for a controller. */
  readonly waitsFor?: (answer: WriteAnswer) => boolean;
  readonly onRetry?: (answer: WriteAnswer) => void;
}

/** Conflicts and internal errors may never end, for example when the server of a webhook does not exist. */
const mostServerErrors = 4;
/** A server that answers and does not take the request is asked as often as client-go does. */
const mostAnswers = 11;
/** Controllers get so many times as many tries as a server that fails, none much later than the one before. */
const patienceWithControllers = 3;
const slowestForControllers = 8;

/**
 * Sends a request until the server has taken or refused it: again while the answer may pass, as of
 * a busy or restarting server or a connection that breaks. Resolves with the last answer; never
 * rejects when there is none.
 */
export async function sendWrite(
  client: ClusterClient,
  cleared: ClearedWrite,
  options: SendOptions = {},
): Promise<WriteAnswer> {
  const { write } = cleared;
  const { retry = defaultRetryPolicy, giveUp = Infinity, signal, late } = options;
  const request = { ...apiRequestOf(cleared), ...(late && { signal: late }) };
  const began = performance.now();
  const mayHaveEffect = !write.dryRun && write.verb !== 'review';
  const forServer = new Retries({ ...retry, longestInAll: Infinity });
  const forControllers = new Retries(withControllerPatience(retry));
  let isUncertain = false;
  let answer = notBegun;
  while (!signal?.aborted) {
    if (await options.endsBefore?.(isUncertain)) return answer;
    answer = await client.request(request).then(
      (response) => readAnswer(write, response, isUncertain),
      (error: unknown) => noAnswer(error, isUncertain),
    );
    if (answer.outcome === 'done') return answer;
    isUncertain ||= mayHaveEffect && (answer.outcome === 'unknown' || answer.code >= 500);
    if (late?.aborted && answer.code === 0)
      return { ...answer, reason: 'Interrupted', message: unheard };
    if (await options.endsAfter?.(answer)) return answer;
    const waits = options.waitsFor?.(answer) ?? false;
    if (!waits && !mayPass(answer, options)) return settled(client, write, answer, retry);
    const wait = waits
      ? forControllers.nextWait(askedBy(answer, mayHaveEffect))
      : forServer.nextWait(askedBy(answer, mayHaveEffect), triesFor(answer, retry));
    if (wait === undefined || performance.now() - began > giveUp)
      return isUncertain && answer.code === 0 ? inDoubt(answer) : answer;
    if (signal?.aborted) break;
    options.onRetry?.(answer);
    await retry.sleep(wait, signal).catch(() => undefined);
  }
  return isUncertain
    ? inDoubt({ ...answer, outcome: 'unknown' })
    : { ...answer, outcome: 'not-sent' };
}

const notBegun: WriteAnswer = {
  ...noAnswer('the run was interrupted', false),
  outcome: 'not-sent',
  error: undefined,
};
const unheard = 'the run ended before the answer; the server may have accepted the request';

function inDoubt(answer: WriteAnswer): WriteAnswer {
  return { ...answer, message: `${answer.message}; the server may have received it` };
}

function mayPass({ mayPass: passes, code, retryAfter }: WriteAnswer, { isUnguarded }: SendOptions) {
  // 429 means "not begun".
  return passes && (!isUnguarded || (code === 429 && retryAfter !== undefined));
}

function triesFor({ code }: WriteAnswer, { tries }: RetryPolicy): number {
  // Without an answer the server may be restarting, which takes its time.
  if (code === 0) return tries;
  return Math.min(tries, code === 409 || code === 500 ? mostServerErrors : mostAnswers);
}

function withControllerPatience(retry: RetryPolicy): RetryPolicy {
  return {
    ...retry,
    tries: retry.tries * patienceWithControllers,
    longestWait: retry.firstWait * slowestForControllers,
    longestInAll: Infinity,
  };
}

/** What the server asks to wait, in milliseconds. A change is worth a long wait, a question is not. */
function askedBy({ retryAfter }: WriteAnswer, mayHaveEffect: boolean): number | undefined {
  if (retryAfter === undefined || !mayHaveEffect) return retryAfter;
  return Math.min(retryAfter, longestAsked);
}

/** A guard may not hold because an earlier try, whose answer was lost, has had its effect. */
async function settled(
  client: ClusterClient,
  write: WriteRequest,
  answer: WriteAnswer,
  retry: RetryPolicy,
): Promise<WriteAnswer> {
  // What is applied again is applied still.
  const isRepeatable = write.verb === 'delete' || write.patchType === 'apply';
  const isInQuestion = answer.outcome === 'changed' && answer.repeated && !isRepeatable;
  if (!isInQuestion || !(await isInEffect(client, write, retry))) return answer;
  return { ...answer, outcome: 'done', reason: '', message: '' };
}

/** Is the object as the request would have made it? */
async function isInEffect(
  client: ClusterClient,
  { path, body, patchType }: WriteRequest,
  retry: RetryPolicy,
): Promise<boolean> {
  try {
    const at = path.replace(/\/(status|finalize)$/, '');
    const response = await get(client, at, 'application/json', { retry });
    const object = response.status === 200 ? parseJsonBody(await readBody(response)) : undefined;
    if (!object) return false;
    if (patchType !== 'json') return isDeepStrictEqual(fieldsOf(object).spec, fieldsOf(body).spec);
    const operations = body as readonly Operation[];
    return operations.every((operation) => holds(operation, operations, object));
  } catch {
    return false;
  }
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function holds({ op, path, value }: Operation, all: readonly Operation[], object: object): boolean {
  if (op === 'test' && path !== '/metadata/uid') return true;
  if (op !== 'remove') return isDeepStrictEqual(valueAtPointer(object, path), value);
  const list = valueAtPointer(object, path.slice(0, path.lastIndexOf('/')));
  if (!Array.isArray(list)) return valueAtPointer(object, path) === undefined;
  const tested = all.find((other) => other.op === 'test' && other.path === path);
  return !list.some((entry) => isDeepStrictEqual(entry, tested?.value));
}

/** What a JSON pointer leads to. */
function valueAtPointer(object: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce(
    (value, name) => Object(value)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    object,
  );
}

/** A deletion that the user wrote as a URI: sent once, as it is, and answered as it comes. */
export function deletePlainly(
  client: ClusterClient,
  clearance: Clearance<'raw'>,
  path: string,
  body: string | undefined,
): Promise<ApiResponse> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const cleared = clearance.covers({ verb: 'delete', path });
  return client.request({
    ...{ method: 'DELETE', path, headers, cleared },
    ...(body !== undefined && { body }),
  });
}

const methods = {
  create: 'POST',
  review: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
} as const;

/**
 * The request as it is sent, under our field manager.
 * @internal
 */
export function apiRequestOf(cleared: ClearedWrite): ClearedRequest {
  const { write } = cleared;
  const { verb, path, patchType, dryRun, metadataOnly, as, manager = fieldManager } = write;
  const query = [
    ...(verb === 'delete' || verb === 'review'
      ? []
      : [`fieldManager=${encodeURIComponent(manager)}`]),
    ...(dryRun ? ['dryRun=All'] : []),
  ];
  return {
    method: methods[verb],
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: {
      'content-type': patchType ? patchTypes[patchType] : 'application/json',
      accept: metadataOnly ? metadataOrJson : 'application/json',
      ...(as !== undefined && { 'impersonate-user': as }),
    },
    body: JSON.stringify(contentOf(write)),
    cleared,
  };
}

function deleteOptionsOf({
  body,
  guards,
  dryRun,
}: Extract<WriteRequest, { verb: 'delete' }>): Sent<V1DeleteOptions> {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...body,
    ...(guards && { preconditions: guards }),
    // A DELETE with a body takes all its options from there, and none from the query (GC-50).
    ...(dryRun && { dryRun: ['All'] }),
  };
}

function contentOf(write: WriteRequest): unknown {
  if (write.verb === 'delete') return deleteOptionsOf(write);
  const { body, patchType, guards } = write;
  if (!guards) return body;
  if (patchType !== 'json') {
    // A server takes a patch that names a uid or a version for no other.
    return { ...Object(body), metadata: { ...Object(Object(body).metadata), ...guards } };
  }
  const tests = Object.entries(guards).flatMap(([field, value]) =>
    value === undefined ? [] : { op: 'test', path: `/metadata/${field}`, value },
  );
  return [...tests, ...(body as readonly object[])];
}
