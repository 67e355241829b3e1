import type { Agent } from 'node:http';
import type { AgentOptions, RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { maxSockets } from './create-agent.ts';

/**
 * client-node's agent for a proxy that speaks SOCKS, which Node's own agents do not. This file is the only one to
 * import client-node: to load it takes 10 ms, which all others need not wait.
 */
export async function socksAgent(
  server: string,
  proxy: URL,
  tls: AgentOptions | undefined,
  connections = maxSockets,
): Promise<Agent> {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [
      {
        name: 'cluster',
        server,
        // It refuses http unless verification is off, which is true for http.
        skipTLSVerify: server.startsWith('http:'),
        // With socks5h the proxy resolves the host name, as with Go's socks5.
        proxyUrl: proxy.href.replace(/^socks5h?:/, 'socks5h:'),
      },
    ],
    users: [{ name: 'user' }],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  });
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  // It is built for one request, and its certificates are not those of secure-options.ts.
  const agent = options.agent as Agent & { readonly options: AgentOptions };
  Object.assign(agent.options, { rejectUnauthorized: true, ...tls });
  return Object.assign(agent, { keepAlive: true, maxSockets: connections });
}
