import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeEach } from 'vitest';
import { certificateAuthority, issueCertificate } from '../support/certificates.ts';
import type { ClusterAccess } from '../support/cluster.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

export const isWatch = ({ path }: ProxiedRequest) => path.includes('watch=true');

/** What is done to a request instead of passing its answer on as it arrives. */
export type Disturbance =
  /** The connection ends: before the server was asked, or once it has answered. */
  | 'drop'
  | 'lose'
  /** Half of the answer, and then: the connection ends, the answer does, or nothing comes any more. */
  | 'truncate'
  | 'cut'
  | 'stall'
  /** The answer, and then spaces without end. */
  | 'endless'
  /** All connections end; who connects again meets the certificate of another authority. */
  | 'impostor'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | undefined;

export interface TestProxy {
  /** `http://127.0.0.1:40123`, or with `https:`. */
  readonly address: string;
  /** What was asked since the start or the last `forget`. */
  readonly requests: readonly ProxiedRequest[];
  /** What was answered to it, where that is recorded. */
  readonly bodies: readonly Buffer[];
  /** How many connections were made. */
  readonly connections: number;
  /** How many bytes all answers had, as they were sent. */
  readonly bytes: number;
  /** In which versions of HTTP was asked: `1.1`, `2.0`. */
  readonly versions: ReadonlySet<string>;
  /** Requests of clients that took the certificate of another authority. */
  readonly strays: readonly ProxiedRequest[];
  /** Forgets all of these, and has its own certificate again. */
  forget(): void;
  /** Called with each request and its body, before it is passed on; a rejection counts as `drop`. */
  before: (request: ProxiedRequest, body: string) => Promise<Disturbance> | Disturbance;
  /** Called with the status of each answer that the server gave, before it is passed on. */
  after: (request: ProxiedRequest, status: number) => void;
  /** Drops the connections of all watches. */
  cutWatches(): void;
  close(): Promise<void>;
}

interface ProxyOptions {
  /**
   * With a certificate of the control plane's authority, over HTTP/2 or 1.1 as the client wishes, where users log in
   * themselves; else they are the administrator.
   */
  readonly isSecure?: boolean;
  /** Keeps the answers, which then are not compressed. */
  readonly records?: boolean;
}

const another = 'another-authority';
const spaces = Buffer.alloc(64 * 1024, ' ');

/**
 * The proxy of a file of tests, closed after them. Before each test it forgets what was asked, and passes on
 * whatever comes.
 */
export async function proxyOfFile(
  access: ClusterAccess,
  options?: ProxyOptions,
): Promise<TestProxy> {
  const proxy = await startProxy(access, options);
  beforeEach(() => {
    proxy.forget();
    proxy.before = () => undefined;
  });
  afterAll(() => proxy.close());
  return proxy;
}

/** Stands in front of a control plane and passes answers on as they arrive, unless it is told not to. */
export async function startProxy(
  access: ClusterAccess,
  { isSecure = false, records = false }: ProxyOptions = {},
): Promise<TestProxy> {
  const agent = new Agent({ ca: access.authority.certificate, keepAlive: true });
  const watches = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const versions = new Set<string>();
  const requests: ProxiedRequest[] = [];
  const strays: ProxiedRequest[] = [];
  const bodies: Buffer[] = [];
  let connections = 0;
  let bytes = 0;
  let isImpostor = false;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = { method: incoming.method ?? '', path: incoming.url ?? '' };
    requests.push(request);
    versions.add(incoming.httpVersion);
    if (meetsImpostor(incoming.socket)) strays.push(request);
    const body = await contentOf(incoming);
    const disturbance = await disturbanceOf(request, body);
    if (disturbance === 'drop') outgoing.destroy();
    else if (disturbance === 'impostor') becomeImpostor();
    else if (typeof disturbance === 'object') {
      outgoing.writeHead(disturbance.status, disturbance.headers).end(disturbance.body);
    } else {
      if (isWatch(request)) {
        watches.add(outgoing);
        outgoing.once('close', () => watches.delete(outgoing));
      }
      passOn(request, incoming, body, outgoing, disturbance);
    }
  }

  async function disturbanceOf(request: ProxiedRequest, body: Buffer): Promise<Disturbance> {
    try {
      return await proxy.before(request, body.toString());
    } catch {
      return 'drop';
    }
  }

  function passOn(
    request: ProxiedRequest,
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    disturbance: Broken | undefined,
  ): void {
    const { host: _, 'accept-encoding': encoding, ...given } = incoming.headers;
    const headers = Object.fromEntries(
      Object.entries(given).filter(([name]) => !name.startsWith(':')),
    );
    const passed = httpsRequest(new URL(request.path, access.server), {
      agent,
      method: request.method,
      headers: {
        ...headers,
        ...(!records && encoding && { 'accept-encoding': encoding }),
        ...(!isSecure && { authorization: `Bearer ${access.adminToken}` }),
      },
    });
    passed.once('error', () => outgoing.destroy());
    passed.once('response', (answer) => {
      answer.once('error', () => outgoing.destroy());
      proxy.after(request, answer.statusCode ?? 0);
      if (disturbance) void breakOff(answer, outgoing, disturbance, isWatch(request));
      else {
        outgoing.writeHead(answer.statusCode ?? 502, ofNoConnection(answer.headers));
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on('data', ({ length }: Buffer) => {
          bytes += length;
        });
        if (records) void contentOf(answer).then((content) => bodies.push(content));
      }
    });
    outgoing.once('close', () => passed.destroy());
    passed.end(body);
  }

  function becomeImpostor(): void {
    isImpostor = true;
    secure?.setSecureContext(stranger());
    closeAllConnections();
  }

  function closeAllConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  const own = issueCertificate(access.authority, { commonName: 'proxy', addresses: ['127.0.0.1'] });
  const context = { cert: own.certificate, key: own.key };
  const listen = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void handle(incoming, outgoing).catch(() => outgoing.destroy());
  // Of both protocols, Node makes the same of a request and its answer.
  const secure = isSecure
    ? createSecureServer({ ...context, allowHTTP1: true }, (incoming, outgoing) =>
        listen(incoming as object as IncomingMessage, outgoing as object as ServerResponse),
      )
    : undefined;
  const server = secure ?? plainServer(listen);
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  secure?.on('sessionError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: TestProxy = {
    address: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    bodies,
    get connections() {
      return connections;
    },
    get bytes() {
      return bytes;
    },
    versions,
    strays,
    forget: () => {
      for (const list of [requests, bodies, strays]) list.length = 0;
      connections = 0;
      bytes = 0;
      if (isImpostor) secure?.setSecureContext(context);
      isImpostor = false;
    },
    before: () => undefined,
    after: () => undefined,
    cutWatches: () => {
      for (const watch of watches) watch.destroy();
    },
    close: async () => {
      agent.destroy();
      closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function plainServer(listen: RequestListener): Server {
  const server = createServer(listen);
  // No connection may end because nothing was asked for a while: it would be counted again.
  server.keepAliveTimeout = 0;
  return server;
}

type Broken = Exclude<Disturbance, 'drop' | 'impostor' | object>;

async function breakOff(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  how: Broken,
  streams: boolean,
): Promise<void> {
  // A watch does not end by itself: of it, the headers are all that arrives.
  const body = streams ? Buffer.alloc(0) : await contentOf(answer).catch(() => Buffer.alloc(0));
  if (how === 'lose') {
    outgoing.destroy();
    return;
  }
  const { 'content-length': _, ...headers } = ofNoConnection(answer.headers);
  const half = body.subarray(0, body.length / 2);
  const length = how === 'cut' ? half.length : body.length;
  const isFramed = !streams && how !== 'endless';
  outgoing.writeHead(answer.statusCode ?? 502, {
    ...headers,
    ...(isFramed && { 'content-length': length }),
  });
  outgoing.flushHeaders();
  if (how === 'cut') outgoing.end(half);
  else if (how === 'truncate') outgoing.write(half, () => outgoing.destroy());
  else if (how === 'stall') outgoing.write(half);
  else {
    outgoing.write(body);
    const fill = () => {
      while (!outgoing.destroyed && outgoing.write(spaces));
    };
    outgoing.on('drain', fill);
    fill();
  }
}

/** Without those that are about the connection: each has its own, and over HTTP/2 none may have them. */
function ofNoConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}

async function contentOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function stranger(): { readonly cert: string; readonly key: string } {
  const authority = certificateAuthority(another);
  const { certificate, key } = issueCertificate(authority, {
    commonName: 'kube-apiserver',
    addresses: ['127.0.0.1'],
  });
  return { cert: certificate, key };
}

/** A connection that began before the certificate was changed may still send a request. */
function meetsImpostor(socket: Socket): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  const certificate = socket.getCertificate();
  return certificate !== null && 'issuer' in certificate && certificate.issuer?.CN === another;
}
