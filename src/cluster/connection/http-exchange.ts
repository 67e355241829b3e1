import http from 'node:http';
import https from 'node:https';
import type { GcError } from '../../errors.ts';
import { Body, decompressed } from './body.ts';
import type { ApiResponse } from './cluster-client.ts';
import { cancelled, type NetworkPeer, networkError, timedOut } from './network-error.ts';

export interface HttpExchange {
  readonly url: string;
  readonly method: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly agent: http.Agent;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange, body included; 0 for no limit. */
  readonly timeout: number;
  readonly peer: NetworkPeer;
}

/** kubectl's limit for reaching a host; without it a silent firewall means minutes of waiting. */
const connectTimeout = 30_000;
/** Node applies a request's timeout to the CONNECT of a proxy; for all else it only raises an event. */
const tunnelTimeout = 60_000;

/** One request and its answer. Rejects with a GcError when no answer comes; so does a body cut short. */
export function exchange(options: HttpExchange): Promise<ApiResponse> {
  const { url, method, headers, body, agent, signal, timeout, peer } = options;
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  const ending = new Ending(peer);
  if (signal?.aborted) return Promise.reject(cancelled(signal));
  let request: http.ClientRequest;
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
    return Promise.reject(networkError(error, peer));
  }
  const stop = (error: GcError) => {
    ending.reason ??= error;
    request.destroy(error);
  };
  const onAbort = () => stop(cancelled(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  const deadline =
    timeout > 0 ? setTimeout(() => stop(timedOut(peer, timeout)), timeout) : undefined;
  let connecting: NodeJS.Timeout | undefined;
  request.once('socket', (socket) => {
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
    const answer = async () => ({
      status: response.statusCode ?? 0,
      // Only afterwards do the headers tell the truth about the body.
      body: new Body(await decompressed(response), (error) => ending.errorFor(error)),
      headers: joined(response.headers),
    });
    answer().then(resolve, reject);
  });
  request.on('error', (error) => reject(ending.errorFor(error)));
  request.on('close', () => {
    clearTimeout(connecting);
    clearTimeout(deadline);
    signal?.removeEventListener('abort', onAbort);
  });
  request.end(body);
  return promise;
}

/** Remembers why an exchange was ended, because streams only report that it was. */
class Ending {
  reason: GcError | undefined;
  readonly #peer: NetworkPeer;

  constructor(peer: NetworkPeer) {
    this.#peer = peer;
  }

  errorFor(error: unknown): GcError {
    return this.reason ?? networkError(error, this.#peer);
  }
}

function joined(headers: http.IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
