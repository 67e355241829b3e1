import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { GcError } from '../../errors.ts';
import { hostOf } from '../server-host.ts';
import { TunnelRefused } from './network-error.ts';
import { isSocks } from './proxy-for-server.ts';
import type { TlsOptions } from './secure-options.ts';

/**
 * Enough to keep lists of many kinds in flight without crowding a server's fair queue.
 * @internal
 */
export const atOnce = 8;
/** Milliseconds: kubectl's limit for reaching a host. Without it a silent firewall means minutes of waiting. */
const connectTimeout = 30_000;
/** Milliseconds that an unused connection is kept: servers close theirs after 90 s, or say when; then it goes a second before. */
const keepAlive = { keepAliveTimeout: 60_000, keepAliveTimeoutThreshold: 1_000 };

/** Connections to one server, each used again. */
export interface Connections {
  readonly requests: Dispatcher;
  /** A watch keeps its connection until it ends, which must leave no fewer for other requests. */
  readonly watches: Dispatcher;
  close(): void;
}

/** `server`: its address; `tls`: undefined for http. */
export function openConnections(
  server: string,
  proxy: URL | undefined,
  tls?: TlsOptions,
): Connections {
  const { origin } = new URL(server);
  const open = (connections: number | null) => poolOf(origin, proxy, tls, connections);
  const [requests, watches] = [open(atOnce), open(null)];
  return {
    requests,
    watches,
    close: () => {
      for (const pool of [requests, watches]) void pool.destroy();
    },
  };
}

function poolOf(
  origin: string,
  proxy: URL | undefined,
  tls: TlsOptions | undefined,
  connections: number | null,
): Dispatcher {
  // How long an answer may take is for the exchange to say.
  const options = { connections, ...keepAlive, headersTimeout: 0, bodyTimeout: 0 };
  const direct = connectorTo(tls);
  if (proxy === undefined) return new Pool(origin, { ...options, connect: direct });
  if (!isSocks(proxy) && !/^https?:$/.test(proxy.protocol)) {
    throw new GcError(`a proxy cannot be used over ${proxy.protocol}//`, {
      code: 'proxy-unsupported',
      suggestions: ['Use an http, https or socks5 proxy.'],
    });
  }
  if (tls || isSocks(proxy)) {
    return new Pool(origin, { ...options, connect: connectorThrough(proxy, tls && direct) });
  }
  const login = loginTo(proxy);
  return new Pool(proxy.origin, { ...options, connect: direct }).compose(
    (dispatch) => (request, handler) => {
      const headers = { host: new URL(origin).host, ...login, ...request.headers };
      return dispatch({ ...request, path: `${origin}${request.path}`, headers }, handler);
    },
  );
}

/**
 * Said even where it is the default: NODE_TLS_REJECT_UNAUTHORIZED, which kubectl does not know, would have the
 * token sent to any server.
 */
const verified = { rejectUnauthorized: true, allowH2: false, timeout: connectTimeout };

/** HTTP/1.1 alone: undici takes no less time for a large answer over HTTP/2. */
function connectorTo(tls: TlsOptions | undefined): buildConnector.connector {
  const connect = buildConnector({ ...verified, ...tls });
  if (tls?.servername !== '') return connect;
  // An IP address is no name that is sent: without it, undici sends that of the host.
  return (options, callback) => connect({ ...options, host: '127.0.0.1' }, callback);
}

/** Through a tunnel of the proxy; `endpoint` makes what is spoken in it secure. */
function connectorThrough(
  proxy: URL,
  endpoint: buildConnector.connector | undefined,
): buildConnector.connector {
  return (options, callback) => {
    const { protocol, port } = options;
    const destination = {
      host: options.hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    };
    const opened = isSocks(proxy)
      ? socksTunnel(proxy, destination)
      : httpTunnel(proxy, destination);
    opened.then(
      (httpSocket) => {
        if (endpoint) endpoint({ ...options, httpSocket }, callback);
        else callback(null, httpSocket);
      },
      (error) => callback(error, null),
    );
  };
}

interface Destination {
  readonly host: string;
  readonly port: number;
}

/** The proxy resolves the name of the host, as with Go's socks5. */
async function socksTunnel(proxy: URL, destination: Destination): Promise<Socket> {
  // Few have such a proxy.
  const { SocksClient } = await import('socks');
  const { socket } = await SocksClient.createConnection({
    command: 'connect',
    destination,
    proxy: {
      host: hostOf(proxy),
      port: Number(proxy.port || 1080),
      type: 5,
      ...(proxy.username && {
        userId: decodeURIComponent(proxy.username),
        password: decodeURIComponent(proxy.password),
      }),
    },
    timeout: connectTimeout,
  });
  return socket;
}

async function httpTunnel(proxy: URL, { host, port }: Destination): Promise<Socket> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const client = new Client(proxy.origin, { connect: verified });
  try {
    const headers = { host: path, ...loginTo(proxy) };
    const { socket, statusCode } = await client.connect({ path, headers });
    if (statusCode === 200) return socket as Socket;
    socket.destroy();
    throw new TunnelRefused(statusCode);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'UND_ERR_SOCKET') throw cause;
    // Left as it is, undici would try again without end.
    throw Object.assign(new Error('the proxy closed the connection'), { code: 'ECONNRESET' });
  }
}

/** Headers by which the proxy knows the user; none where its address names no user. */
function loginTo({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
