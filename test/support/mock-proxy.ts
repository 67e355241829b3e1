import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy that leads every host to 127.0.0.1, so that tests need no DNS. */
export interface MockProxy {
  readonly port: number;
  /** What it was asked for since the last call: `CONNECT cluster.test:6443 Basic …`. */
  take(): readonly string[];
  close(): Promise<void>;
}

/** An HTTP proxy: tunnels with CONNECT, forwards plain requests. `refuse` answers every CONNECT 403. */
export async function mockHttpProxy(refuse = false): Promise<MockProxy> {
  const log: string[] = [];
  const server = http.createServer((request, response) => {
    const target = new URL(request.url ?? '');
    log.push(`${request.method} ${target.host}`);
    const { pathname: path, port } = target;
    const options = { host: '127.0.0.1', port, path, headers: request.headers };
    http.get(options, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0)));
  });
  server.on('connect', (request, client: Socket) => {
    const authorization = request.headers['proxy-authorization'] ?? '';
    log.push(`CONNECT ${request.url} ${authorization}`.trim());
    if (refuse) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const port = Number(request.url?.split(':').pop());
    const upstream = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    swallowErrors(client, upstream);
    client.on('close', () => upstream.destroy());
  });
  return started(server, log);
}

/** A SOCKS 5 proxy without authentication. */
export function mockSocksProxy(): Promise<MockProxy> {
  const log: string[] = [];
  const server = net.createServer((client) => {
    swallowErrors(client);
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const isName = request[3] === 3;
        const end = isName ? 5 + (request[4] ?? 0) : 8;
        const host = isName
          ? request.subarray(5, end).toString()
          : [...request.subarray(4, end)].join('.');
        const port = request.readUInt16BE(end);
        log.push(`SOCKS ${host}:${port}`);
        const upstream = net.connect(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        swallowErrors(upstream);
        client.on('close', () => upstream.destroy());
      });
    });
  });
  return started(server, log);
}

async function started(server: Server, log: string[]): Promise<MockProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    take: () => log.splice(0),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function swallowErrors(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.on('error', () => {});
}
