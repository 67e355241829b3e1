import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { finished, pipeline, type Readable } from 'node:stream';
import type { GcError } from '../../errors.ts';
import type { ApiBody, ApiResponse } from './cluster-client.ts';
import { cancelled, type NetworkPeer, networkError, timedOut } from './network-error.ts';
import type { AwaitedAnswer } from './patience.ts';

interface HttpExchange {
  readonly url: string;
  readonly method: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly agent: http.Agent;
  /** It keeps its connection until it ends, which must leave no fewer for other requests. */
  readonly isWatch?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, body included; undefined for no limit. */
  readonly awaited: AwaitedAnswer | undefined;
  readonly peer: NetworkPeer;
}

/** kubectl's limit for reaching a host; without it a silent firewall means minutes of waiting. */
const connectTimeout = 30_000;
/** Node applies a request's timeout to the CONNECT of a proxy; for all else it only raises an event. */
const tunnelTimeout = 60_000;

/** One request and its answer. Rejects with a GcError when no answer comes; so does a body cut short. */
export function exchange(options: HttpExchange): Promise<ApiResponse> {
  const { url, method, headers, body, agent, isWatch, signal, awaited, peer } = options;
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  /** Why the exchange was ended here: streams only report that it was. */
  let ended: GcError | undefined;
  const errorFor = (error: unknown) => ended ?? networkError(error, peer);
  if (signal?.aborted) {
    awaited?.end('ended');
    return Promise.reject(cancelled(signal));
  }
  const moreSockets = (count: number) => {
    if (isWatch) agent.maxSockets += count;
  };
  let request: http.ClientRequest;
  moreSockets(1);
  try {
    request = (url.startsWith('https:') ? https : http).request(url, {
      method,
      // Node frames the body of a DELETE only when its length is given.
      headers:
        body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      agent,
      ...(peer.proxy && { timeout: tunnelTimeout }),
    });
  } catch (error) {
    moreSockets(-1);
    awaited?.end('ended');
    return Promise.reject(networkError(error, peer));
  }
  const stop = (error: GcError) => {
    ended ??= error;
    request.destroy(error);
  };
  const onAbort = () => stop(cancelled(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  const began = performance.now();
  let bytesBefore = 0;
  let deadline: NodeJS.Timeout | undefined;
  const checkTime = () => {
    if (!awaited) return;
    const allowed = awaited.allowed((request.socket?.bytesRead ?? 0) - bytesBefore);
    const left = allowed - (performance.now() - began);
    if (left > 0) deadline = setTimeout(checkTime, Math.ceil(left));
    else {
      awaited.end('hung');
      stop(timedOut(peer, allowed));
    }
  };
  checkTime();
  let connecting: NodeJS.Timeout | undefined;
  request.once('socket', (socket) => {
    bytesBefore = socket.bytesRead;
    // A socket from the pool or out of a tunnel is connected; only a new one can hang here.
    if (!socket.connecting) return;
    connecting = setTimeout(
      () => stop(timedOut(peer, connectTimeout, 'connect-timeout')),
      connectTimeout,
    );
    const event = url.startsWith('https:') ? 'secureConnect' : 'connect';
    socket.once(event, () => clearTimeout(connecting));
  });
  request.on('response', (response) => {
    // A gateway that ran out of time: the server behind it hangs.
    response.once('end', () => awaited?.end(response.statusCode === 504 ? 'hung' : 'answered'));
    const answer = async () => ({
      status: response.statusCode ?? 0,
      // Only afterwards do the headers tell the truth about the body.
      body: new Body(await decompressed(response), errorFor),
      headers: joined(response.headers),
    });
    answer().then(resolve, reject);
  });
  request.on('error', (error) => reject(errorFor(error)));
  request.on('close', () => {
    moreSockets(-1);
    clearTimeout(connecting);
    clearTimeout(deadline);
    awaited?.end('ended');
    signal?.removeEventListener('abort', onAbort);
  });
  request.end(body);
  return promise;
}

function joined(headers: http.IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

/** So many chunks may wait for a slow reader: 1 MiB of what TLS brings. */
const mostWaiting = 64;

/**
 * The body of an answer, read once, chunk by chunk; `explain` puts failures into words. Streams and
 * async generators can be iterated as well, but at several promises for each 16 KiB, which for a
 * large list takes as long as decoding it.
 * @internal
 */
export class Body implements ApiBody, AsyncIterableIterator<Uint8Array> {
  readonly #stream: Readable;
  readonly #explain: (error: unknown) => Error;
  readonly #chunks: Uint8Array[] = [];
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  #started = false;
  #ended = false;
  #error: unknown;

  constructor(stream: Readable, explain: (error: unknown) => Error) {
    this.#stream = stream;
    this.#explain = explain;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#started) this.#start();
    const value = this.#chunks.shift();
    if (value === undefined) {
      this.#reader = Promise.withResolvers();
      const { promise } = this.#reader;
      if (this.#ended) this.#end(this.#error);
      return promise;
    }
    if (this.#chunks.length === 0 && this.#stream.isPaused()) this.#stream.resume();
    return Promise.resolve({ done: false, value });
  }

  forEach(take: (chunk: Uint8Array) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = this.#stream;
    finished(stream, { writable: false }, (error) => {
      if (error) reject(this.#explain(error));
      else resolve();
    });
    const onData = (chunk: Uint8Array) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
        stream.off('data', onData);
        stream.destroy();
      }
    };
    stream.on('data', onData);
    return promise;
  }

  /** A reader that stops early needs no more: the connection is closed. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#stream.destroy();
    return { done: true, value: undefined };
  }

  #start(): void {
    this.#started = true;
    finished(this.#stream, { writable: false }, (error) => this.#end(error));
    this.#stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
  }

  #take(value: Uint8Array): void {
    if (this.#reader) {
      this.#reader.resolve({ done: false, value });
      this.#reader = undefined;
    } else if (this.#chunks.push(value) >= mostWaiting) this.#stream.pause();
  }

  #end(error: unknown): void {
    this.#ended = true;
    this.#error = error;
    if (error) this.#reader?.reject(this.#explain(error));
    else this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }
}

/** The body as the server meant it; the headers stop claiming that it is compressed. */
async function decompressed(response: IncomingMessage): Promise<Readable> {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  delete response.headers['content-encoding'];
  delete response.headers['content-length'];
  // Servers compress only long answers; loading zlib takes 3 ms that the others need not wait.
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip();
  // Failures reach the reader through gunzip, which pipeline destroys with them.
  pipeline(response, gunzip, () => {});
  return gunzip;
}
