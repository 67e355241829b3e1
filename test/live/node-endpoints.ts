import { createServer as createProxy, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Authority, issueCertificate } from '../support/certificates.ts';

/** An API server never asks a Node at a loopback address, so its requests take this tunnel to this machine. */
export interface NodeTunnel {
  /** For the API server's --egress-selector-config-file. */
  readonly egressConfiguration: string;
  /** Where requests to an address of a Node end. */
  route(address: string, kubelet: NodeEndpoint): void;
  stop(): Promise<void>;
}

/** The tunnel listens on a socket in `folder`. */
export async function startNodeTunnel(folder: string): Promise<NodeTunnel> {
  const routes = new Map<string, NodeEndpoint>();
  const proxy = createProxy();
  // Of those that became tunnels the proxy knows nothing any more, and would wait for their end.
  const sockets = new Set<Socket>();
  proxy.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    const kubelet = routes.get(url.slice(0, url.lastIndexOf(':')));
    if (!kubelet) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const target = connect(kubelet.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  const udsName = join(folder, 'tunnel.sock');
  await new Promise<void>((resolve) => proxy.listen(udsName, resolve));
  const transport = { uds: { udsName } };
  return {
    egressConfiguration: JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [
        { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport } },
      ],
    }),
    route: (address, kubelet) => routes.set(address, kubelet),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return stopped(proxy);
    },
  };
}

/** The HTTPS endpoint of one Node's kubelet, which answers what it is told to. */
export interface NodeEndpoint {
  readonly port: number;
  /** The paths that were asked for. */
  readonly asked: string[];
  stop(): Promise<void>;
}

/** Answers are JSON, or text where they are strings; anything else is a 404. */
export async function startNodeEndpoint(
  authority: Authority,
  address: string,
  answers: Readonly<Record<string, unknown>>,
): Promise<NodeEndpoint> {
  const { certificate, key } = issueCertificate(authority, {
    commonName: 'kubelet',
    addresses: [address],
  });
  const asked: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', `https://${address}`);
    asked.push(pathname);
    const answer = answers[pathname];
    const isText = typeof answer === 'string';
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': isText ? 'text/plain' : 'application/json',
    });
    response.end(isText ? answer : JSON.stringify(answer ?? {}));
  });
  const port = await listen(server);
  return { port, asked, stop: () => stopped(server) };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stopped(server: HttpServer | Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
