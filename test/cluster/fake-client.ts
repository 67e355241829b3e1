import type {
  ApiRequest,
  ApiResponse,
  ClusterClient,
} from '../../src/cluster/connection/cluster-client.ts';
import type { RetryPolicy } from '../../src/cluster/pacing.ts';
import { GcError } from '../../src/errors.ts';

/** An answer of the fake: a body of bytes, text or a JSON document. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | object;
  /** The connection drops after this many bytes of the body. */
  readonly dropAfter?: number;
}

export interface FakeClient extends ClusterClient {
  /** `path` of every request, in order. */
  readonly paths: string[];
  readonly requests: ApiRequest[];
  /** Requests in flight at once, at most. */
  readonly busiest: () => number;
}

/**
 * A server in memory: answers by path and query, `undefined` being a 404. A list of answers is
 * used up one by one, the last one stays.
 */
export function fakeClient(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  options: { readonly server?: string; readonly namespace?: string } = {},
): FakeClient {
  const left = new Map(
    Object.entries(answers).map(([path, answer]) => [path, [answer].flat() as Answer[]]),
  );
  return clientThat(({ path }) => {
    const queue = left.get(path) ?? [];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? notFound;
  }, options);
}

/** A server in memory that answers so; what `answer` throws breaks the connection. */
export function clientThat(
  answer: (request: ApiRequest) => Answer | Promise<Answer>,
  options: { readonly server?: string; readonly namespace?: string } = {},
): FakeClient {
  const requests: ApiRequest[] = [];
  let busy = 0;
  let busiest = 0;
  return {
    server: options.server ?? 'https://api.example.com:6443',
    namespace: options.namespace ?? 'default',
    requests,
    get paths() {
      return requests.map(({ path }) => path);
    },
    busiest: () => busiest,
    async request(request) {
      requests.push(request);
      busiest = Math.max(busiest, ++busy);
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
      return responseOf(await answer(request));
    },
    close() {},
  };
}

/** What the API server answers where nothing is. */
const notFound: Answer = refusal(404, 'not found');

export function refusal(status: number, message: string, metadata: object = {}): Answer {
  return {
    status,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      code: status,
      // It is about an object.
      ...(status === 404 && { details: { name: 'it' } }),
    },
  };
}

export function protobuf(body: Uint8Array): Answer {
  return { headers: { 'content-type': 'application/vnd.kubernetes.protobuf' }, body };
}

/** Retries at once and notes how long it would have waited, in milliseconds. */
export function patience(): RetryPolicy & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    tries: 3,
    firstWait: 100,
    longestWait: 30_000,
    sleep: async (milliseconds) => waits.push(milliseconds),
    random: () => 1,
    waits,
  };
}

/** As a client gives it. */
export function responseOf({
  status = 200,
  headers = {},
  body = '',
  dropAfter,
}: Answer): ApiResponse {
  const isBytes = body instanceof Uint8Array;
  const bytes = isBytes
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: chunksOf(bytes, dropAfter),
  };
}

async function* chunksOf(
  bytes: Uint8Array,
  dropAfter = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const size = 100;
  for (let at = 0; at < bytes.length && at < dropAfter; at += size) {
    yield bytes.subarray(at, Math.min(at + size, dropAfter));
  }
  if (dropAfter < Number.POSITIVE_INFINITY) {
    throw new GcError('the connection was closed', {
      code: 'connection-dropped',
    });
  }
}
