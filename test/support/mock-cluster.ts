import http, {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createSecureServer } from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { unboundRequest } from './bound-writes.ts';
import type { Certificate } from './certificates.ts';

/** What one request said about its sender. */
export interface SeenRequest {
  readonly path: string;
  /** Name and port that it was sent to. */
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  /** Header lines in the order of their names, `impersonate-group: a`. */
  readonly impersonation: readonly string[];
  readonly acceptEncoding: string | undefined;
  /** Common name of the client certificate. */
  readonly clientCertificate: string | undefined;
  /** The server name of the TLS handshake; false for none. */
  readonly serverName: string | false | undefined;
}

export interface MockServer {
  readonly url: string;
  readonly port: number;
  /** Requests since the last call. */
  take(): readonly SeenRequest[];
  /** Rejects where kubectl gc sent a write that is bound to no object. */
  close(): Promise<void>;
}

const answerVersion: RequestListener = (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"major":"1","minor":"36"}');
};

/** An http server on a port of its own that records who asks. */
export function mockHttpServer(answer: RequestListener = answerVersion): Promise<MockServer> {
  return started((listener) => http.createServer(listener), answer, 'http');
}

/** The same over TLS; it asks for a client certificate and takes any or none. */
export function mockTlsServer(
  { certificate, key }: Certificate,
  answer: RequestListener = answerVersion,
): Promise<MockServer> {
  const options = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
  return started((listener) => https.createServer(options, listener), answer, 'https');
}

/** The same, over HTTP/2 with clients that speak it; `onVersion` is told of each request. */
export function mockHttp2Server(
  { certificate, key }: Certificate,
  answer: RequestListener = answerVersion,
  onVersion: (version: string) => void = () => {},
): Promise<MockServer> {
  const tls = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
  const create = (listener: RequestListener) => {
    // Of both protocols, Node makes the same of a request and its answer.
    const server = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) => {
      onVersion(request.httpVersion);
      listener(request as object as IncomingMessage, response as object as RequestResponse);
    });
    const sockets = new Set<Socket>();
    server.on('secureConnection', (socket) => sockets.add(socket));
    server.on('sessionError', () => {});
    const closeAllConnections = () => {
      for (const socket of sockets) socket.destroy();
    };
    return Object.assign(server, { closeAllConnections });
  };
  return started(create, answer, 'https');
}

type RequestResponse = ServerResponse & { readonly req: IncomingMessage };
type AnyServer = NetServer & Pick<Server, 'closeAllConnections'>;

async function started(
  create: (listener: RequestListener) => AnyServer,
  answer: RequestListener,
  scheme: string,
): Promise<MockServer> {
  let seen: SeenRequest[] = [];
  const unbound: string[] = [];
  const server = create((request, response) => {
    seen.push(seenOf(request));
    onBody(request, response, (body) => {
      unbound.push(...[unboundRequest(request.method ?? '', request.url ?? '', body) ?? []].flat());
    });
    answer(request, response);
  });
  // A client that hangs up in the handshake is what some tests are about.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    take: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (unbound.length > 0) throw new Error(`unbound writes:\n${unbound.join('\n')}`);
    },
  };
}

/** Hears the body of a request, whether the server reads it or not. */
function onBody(
  request: IncomingMessage,
  response: ServerResponse,
  heard: (body: string) => void,
): void {
  const chunks: Buffer[] = [];
  const { emit } = request;
  request.emit = (event: string | symbol, ...given: unknown[]) => {
    if (event === 'data') chunks.push(Buffer.from(given[0] as Buffer | string));
    if (event === 'end') heard(Buffer.concat(chunks).toString());
    return emit.call(request, event, ...given);
  };
  response.on('finish', () => request.resume());
}

function seenOf(request: IncomingMessage): SeenRequest {
  const { socket, rawHeaders, headers } = request;
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[index + 1]}`] : [],
  );
  const isTls = socket instanceof TLSSocket;
  return {
    path: request.url ?? '',
    host: headers.host ?? headers[':authority']?.toString(),
    authorization: headers.authorization,
    impersonation: lines.filter((line) => line.startsWith('impersonate-')).toSorted(),
    acceptEncoding: headers['accept-encoding']?.toString(),
    clientCertificate: isTls ? commonName(socket) : undefined,
    serverName: isTls
      ? (socket as TLSSocket & { servername?: string | false }).servername
      : undefined,
  };
}

function commonName(socket: TLSSocket): string | undefined {
  const name = socket.getPeerCertificate()?.subject?.CN;
  return Array.isArray(name) ? name.join() : name;
}
