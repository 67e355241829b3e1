import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import type {
  ClusterClient,
  ConnectionOptions,
} from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { certificateAuthority, issueCertificate } from './certificates.ts';
import { nowhere } from './nowhere.ts';

const authority = certificateAuthority('test');
export const certificate = issueCertificate(authority, {
  commonName: 'server',
  addresses: ['127.0.0.1'],
});

/** What is done with a request of this path. */
export type Answer = (stream: ServerHttp2Stream, path: string, session: ServerHttp2Session) => void;

/** Answers with this and no more. */
export function whole(body: string | Buffer = 'whole', headers: object = {}): Answer {
  return (stream) => {
    stream.respond({ ':status': 200, ...headers });
    stream.end(body);
  };
}

/** A server that speaks HTTP/2 alone, unless told to take HTTP/1.1, and what was asked of it over HTTP/2. */
class Http2Server {
  answer = whole();
  readonly asked: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  readonly sockets = new Set<Socket>();
  readonly #server: Http2SecureServer;

  constructor(options: SecureServerOptions = {}) {
    const { certificate: cert, key } = certificate;
    const own = { cert, key, allowHTTP1: false, maxSessionMemory: 1000 };
    this.#server = createSecureServer({ ...own, ...options });
    this.#server.on('request', (request, response) => {
      if (request.httpVersion === '1.1') response.end('over HTTP/1.1');
    });
    this.#server.on('secureConnection', (socket) => this.sockets.add(socket));
    this.#server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => {});
      session.on('close', () => this.sessions.delete(session));
    });
    this.#server.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => {});
      const path = headers[':path'] ?? '';
      this.headers.push(headers);
      this.asked.push(`${path} ${headers.authorization}`);
      this.answer(stream, path, stream.session as ServerHttp2Session);
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A server for each test of a file, and its clients; what was opened is closed when the test is over. */
export class Http2Stage {
  server = new Http2Server();
  url = '';
  readonly #closers: (() => unknown)[] = [];

  constructor() {
    beforeEach(() => this.serve());
    afterEach(async () => {
      while (this.#closers.length > 0) await this.#closers.pop()?.();
    });
  }

  async serve(options?: SecureServerOptions): Promise<void> {
    const server = new Http2Server(options);
    this.server = server;
    this.url = await server.listen();
    this.atEnd(() => server.close());
  }

  atEnd(close: () => unknown): void {
    this.#closers.push(close);
  }

  async connected(options: ConnectionOptions = {}, env = {}): Promise<ClusterClient> {
    const plain = { 'insecure-skip-tls-verify': true, kubeconfig: '/dev/null', token: 'secret' };
    const environment = { ...nowhere, env: { ...nowhere.env, ...env } };
    const client = await connect({ server: this.url, ...plain, ...options }, environment);
    this.atEnd(() => client.close());
    return client;
  }
}
