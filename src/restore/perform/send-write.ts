import type { ApiRequest, ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { RetryPolicy } from '../../cluster/connection/retry.ts';
import { readBody } from '../../cluster/read-body.ts';
import { isGcError } from '../../errors.ts';

export interface RestoreRequestOptions {
  readonly retry?: RetryPolicy | undefined;
  /** More answers than the usual ones that another try may change. */
  readonly mayPass?: (answer: ApiAnswer) => boolean;
}

/** The answer to a write. */
export interface ApiAnswer {
  readonly status: number;
  /** The object, or a Status; undefined when it is no JSON. */
  readonly body: AnswerBody | undefined;
  /** An earlier try may have had its effect although no good answer came. */
  readonly repeated: boolean;
}

export interface AnswerBody {
  readonly metadata?: { readonly uid?: string };
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

const temporary = new Set([429, 500, 502, 503, 504]);
const longestBody = 4 * 1024 * 1024;

/** Sends a write, again while the answer may change: a busy or restarting server, a dropped connection. */
export async function sendWrite(
  client: ClusterClient,
  request: ApiRequest,
  { retry, mayPass = () => false }: RestoreRequestOptions,
): Promise<ApiAnswer> {
  const { defaultRetryPolicy } = await import('../../cluster/connection/retry.ts');
  const { tries, firstWait, longestWait, sleep } = retry ?? defaultRetryPolicy;
  let repeated = false;
  // Answers that wait for a controller get more time than a server that fails.
  for (let attempt = 1; ; attempt++) {
    const sent: Promise<ApiAnswer | undefined> = tryOnce(client, request, repeated);
    const answer = await sent.catch((error: unknown) => {
      const dropped = isGcError(error) && error.code === 'connection-dropped';
      if (!dropped || attempt >= tries) throw error;
      return undefined;
    });
    if (answer) {
      const waits = mayPass(answer);
      const isTemporary = temporary.has(answer.status);
      if ((!waits && !isTemporary) || attempt >= (waits ? 3 * tries : tries)) return answer;
    }
    repeated ||= !answer || answer.status >= 500;
    await sleep(Math.min(firstWait * 2 ** Math.min(attempt - 1, 3), longestWait));
  }
}

async function tryOnce(
  client: ClusterClient,
  request: ApiRequest,
  repeated: boolean,
): Promise<ApiAnswer> {
  const response = await client.request(request);
  const text = (await readBody(response, longestBody)).toString('utf8');
  let body: AnswerBody | undefined;
  try {
    body = Object(JSON.parse(text)) as AnswerBody;
  } catch {
    body = undefined;
  }
  return { status: response.status, body, repeated };
}

/** The server's message, and nothing from the request. */
export function messageOf({ status, body }: ApiAnswer): string {
  return body?.message ?? `the server answered with HTTP status ${status}`;
}
