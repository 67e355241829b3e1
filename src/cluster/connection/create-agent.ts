import http from 'node:http';
import https, { type AgentOptions } from 'node:https';
import { GcError } from '../../errors.ts';

/** Enough to keep lists of many kinds in flight without crowding a server's fair queue. */
export const maxSockets = 8;

/** An agent with keep-alive for one server; `tls` is undefined for http. */
export function createAgent(
  server: string,
  proxy: URL | undefined,
  tls?: AgentOptions,
  connections = maxSockets,
): http.Agent {
  const { node } = process.versions;
  if (proxy !== undefined && !(canProxy(node) && /^https?:$/.test(proxy.protocol))) {
    throw new GcError(
      `Node.js ${node} cannot use a proxy over ${proxy.protocol}//, so the server cannot be reached`,
      {
        code: 'proxy-unsupported',
        suggestions: [
          'Use an http, https or socks5 proxy with Node.js 22.21, 24.5 or later, or the self-contained binary.',
        ],
      },
    );
  }
  const options: AgentOptions = {
    keepAlive: true,
    maxSockets: connections,
    // Said even where it is the default: NODE_TLS_REJECT_UNAUTHORIZED, which kubectl does not know, would
    // have the token sent to any server.
    rejectUnauthorized: true,
    ...tls,
    // An empty object keeps Node from looking at variables that were weighed already.
    proxyEnv: proxy === undefined ? {} : { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href },
  };
  return server.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
}

/**
 * Older agents would silently connect past the proxy.
 * @internal
 */
export function canProxy(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major === 22) return minor >= 21;
  if (major === 24) return minor >= 5;
  return major > 24;
}
