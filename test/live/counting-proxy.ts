import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { issueCertificate } from '../support/certificates.ts';
import type { ClusterAccess } from '../support/cluster.ts';

export interface CountingProxy {
  /** `https://127.0.0.1:40123`, with a certificate of the control plane's authority. */
  readonly server: string;
  /** TLS connections that were made since the last `forget`. */
  readonly connections: number;
  /** Watches that were asked for since the last `forget`. */
  readonly watches: number;
  /** Bytes of all bodies that were answered since the last `forget`, as they were sent. */
  readonly bytes: number;
  /** Paths without their queries, since the last `forget`. */
  readonly paths: readonly string[];
  forget(): void;
  close(): Promise<void>;
}

/** Stands in front of a control plane as an API server of its own; whoever asks there logs in as always. */
export async function startCountingProxy(access: ClusterAccess): Promise<CountingProxy> {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  const { certificate: cert, key } = issueCertificate(access.authority, {
    commonName: 'counting-proxy',
    addresses: ['127.0.0.1'],
  });
  const paths: string[] = [];
  const counted = { connections: 0, watches: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', access.server);
    paths.push(pathname);
    if (searchParams.get('watch') === 'true') counted.watches += 1;
    passOn(incoming, outgoing);
  });
  // No connection may end because nothing was asked for a while: it would be counted again.
  server.keepAliveTimeout = 0;
  server.on('secureConnection', (socket) => {
    counted.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { host: _, ...headers } = incoming.headers;
    const options = { agent, method: incoming.method ?? 'GET', headers };
    const passed = httpsRequest(new URL(incoming.url ?? '', access.server), options);
    passed.once('error', () => outgoing.destroy());
    passed.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('data', ({ length }: Buffer) => {
        counted.bytes += length;
      });
      answer.once('error', () => outgoing.destroy());
    });
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return counted.connections;
    },
    get watches() {
      return counted.watches;
    },
    get bytes() {
      return counted.bytes;
    },
    paths,
    forget: () => {
      Object.assign(counted, { connections: 0, watches: 0, bytes: 0 });
      paths.length = 0;
    },
    close: async () => {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
