import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { timedOut } from '../network-error.ts';
import { streamedAnswer } from './answer-body.ts';
import type { ApiResponse } from './cluster-client.ts';
import { ConnectionReset, type Exchange, notBegun, RequestWatchdog } from './supervision.ts';

interface HttpExchange extends Exchange {
  readonly agent: http.Agent;
  /** It keeps its connection until it ends, which must leave no fewer for other requests. */
  readonly isWatch?: boolean;
}

/** kubectl's limit for reaching a host; without it a silent firewall means minutes of waiting. */
const connectTimeout = 30_000;
/** Node applies a request's timeout to the CONNECT of a proxy; for all else it only raises an event. */
const tunnelTimeout = 60_000;

/** One request and its answer. Rejects with a GcError when no answer comes, or when its body is cut short. */
export function exchange(options: HttpExchange): Promise<ApiResponse> {
  const { url, method, headers, body, agent, isWatch, signal, peer } = options;
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  if (signal?.aborted) return Promise.reject(notBegun(options));
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
    return Promise.reject(notBegun(options, error));
  }
  let bytesBefore = 0;
  const stopped = {
    destroy(error: Error) {
      request.destroy(error);
      // A request that waits for a connection would get the error only after a connection exists.
      reject(error);
    },
  };
  const supervision = new RequestWatchdog(options, stopped, () =>
    request.socket ? request.socket.bytesRead - bytesBefore : 0,
  );
  request.once('socket', (socket) => {
    bytesBefore = socket.bytesRead;
    limitConnecting(request, socket, url, () =>
      supervision.stop(timedOut(peer, connectTimeout, 'connect-timeout')),
    );
  });
  let isAnswered = false;
  request.on('response', (response) => {
    isAnswered = true;
    const status = response.statusCode ?? 0;
    response.once('end', () => supervision.answered(status));
    const failureOf = (error: unknown) => (error ? supervision.errorFor(error) : undefined);
    streamedAnswer(status, response.headers, response, failureOf).then(resolve, reject);
  });
  request.on('error', (error) => reject(supervision.errorFor(error)));
  request.on('close', () => {
    // As after 101 Switching Protocols, which no request asks for: Node emits neither an answer nor an error.
    if (!isAnswered) reject(supervision.errorFor(new ConnectionReset()));
    moreSockets(-1);
    supervision.end();
  });
  request.end(body);
  return promise;
}

/** Ends a request whose new connection is not there in time. A socket from the pool or a tunnel is connected already. */
function limitConnecting(
  request: http.ClientRequest,
  socket: Socket,
  url: string,
  end: () => void,
): void {
  if (!socket.connecting) return;
  const connecting = setTimeout(end, connectTimeout);
  const stop = () => clearTimeout(connecting);
  socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', stop);
  request.once('close', stop);
}
