import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ClusterAccess } from '../support/cluster.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly isWatch: boolean;
}

export interface DisturbingProxy {
  /** `http://127.0.0.1:40123`: whoever asks there is the administrator. */
  readonly address: string;
  readonly requests: ProxiedRequest[];
  /**
   * Called before a request is passed on. It may answer itself with a status and headers, have the
   * connection dropped before (`drop`) or after (`lose`) the server has answered, or do nothing.
   */
  before: (request: ProxiedRequest) => Promise<Disturbance> | Disturbance;
  /** Drops the connections of all watches. */
  cutWatches(): void;
  close(): Promise<void>;
}

export type Disturbance =
  | 'drop'
  | 'lose'
  | { readonly status: number; readonly headers?: Record<string, string> }
  | undefined;

/** Stands in front of a control plane and passes answers on as they arrive, or does not. */
export async function startDisturbingProxy(access: ClusterAccess): Promise<DisturbingProxy> {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  const watches = new Set<ServerResponse>();
  const requests: ProxiedRequest[] = [];

  function passOn(incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
    const { host: _, ...headers } = incoming.headers;
    const passed = httpsRequest(new URL(incoming.url ?? '', access.server), {
      agent,
      method: incoming.method ?? 'GET',
      headers: { ...headers, authorization: `Bearer ${access.adminToken}` },
    });
    passed.once('error', () => outgoing.destroy());
    passed.once('response', (answer) => {
      if (isLost) {
        answer.resume().once('end', () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
  }

  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '';
    const request = { method: incoming.method ?? '', path, isWatch: path.includes('watch=true') };
    requests.push(request);
    const disturbance = await proxy.before(request);
    if (disturbance === 'drop') {
      outgoing.destroy();
      return;
    }
    if (typeof disturbance === 'object') {
      incoming.resume();
      outgoing.writeHead(disturbance.status, disturbance.headers).end();
      return;
    }
    if (request.isWatch) {
      watches.add(outgoing);
      outgoing.once('close', () => watches.delete(outgoing));
    }
    passOn(incoming, outgoing, disturbance === 'lose');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: DisturbingProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    before: () => undefined,
    cutWatches: () => {
      for (const watch of watches) watch.destroy();
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
