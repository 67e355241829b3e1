import http from 'node:http';
import https, { type AgentOptions } from 'node:https';
import { GcError } from '../../errors.ts';

/** Enough to keep lists of many kinds in flight without crowding a server's fair queue. */
export const maxSockets = 8;

/** A keep-alive agent for one server; `tls` undefined for http. */
export function createAgent(
  server: string,
  proxy: URL | undefined,
  tls?: AgentOptions,
  connections = maxSockets,
): http.Agent {
  if (proxy !== undefined && !canProxy(process.versions.node)) {
    throw unsupported(
      `Node.js ${process.versions.node} cannot use a proxy`,
      'Use Node.js 22.21, 24.5 or later, or the self-contained binary.',
    );
  }
  if (proxy !== undefined && !/^https?:$/.test(proxy.protocol)) {
    throw unsupported(
      `a proxy cannot be used over ${proxy.protocol}//`,
      'Use an http, https or socks5 proxy.',
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

function unsupported(message: string, suggestion: string): GcError {
  return new GcError(message, { code: 'proxy-unsupported', suggestions: [suggestion] });
}
