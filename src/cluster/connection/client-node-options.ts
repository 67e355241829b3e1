import type { Agent } from 'node:http';
import type { AgentOptions, RequestOptions } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import type { ConnectionSettings } from './connection-settings.ts';
import { maxSockets } from './create-agent.ts';
import { withoutCredentials } from './credential-source.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import { isSocks } from './proxy-for-server.ts';

interface ClientNodeOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  /** The Authorization header; undefined for none. */
  readonly authorization: string | undefined;
  readonly socksAgent: Agent | undefined;
}

/**
 * Hands the weighed entries to client-node's KubeConfig, which asks gcp and azure for tokens and knows
 * SOCKS. It gets one complete cluster and one user because its own merging, defaulting and impersonation
 * differ from kubectl's. This file is the only one to import client-node: to load it takes 10 ms, which
 * those who log in otherwise need not wait.
 */
export async function clientNodeOptions(
  { cluster, server, proxy }: ConnectionSettings,
  user: KubeconfigUser,
  authorities: string[] | undefined,
  identity: AgentOptions,
): Promise<ClientNodeOptions> {
  const socks = proxy !== undefined && isSocks(proxy);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [
      {
        name: 'cluster',
        server,
        caFile: cluster.certificateAuthority,
        caData: cluster.certificateAuthorityData,
        skipTLSVerify: cluster.insecureSkipTlsVerify,
        // With socks5h the proxy resolves the host name, as with Go's socks5.
        ...(socks && { proxyUrl: proxy.href.replace(/^socks5h?:/, 'socks5h:') }),
      },
    ],
    users: [
      {
        name: 'user',
        certFile: user.clientCertificate,
        certData: user.clientCertificateData,
        keyFile: user.clientKey,
        keyData: user.clientKeyData,
        token: user.token,
        username: user.username,
        password: user.password,
        authProvider: user.authProvider,
      },
    ],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  });
  const options: RequestOptions = authorities === undefined ? {} : { ca: authorities };
  await apply(config, options);
  const { ca, cert, key } = options;
  const authorization = authorizationOf(options);
  if (user.authProvider && /^(Bearer ?(undefined)?)?$/.test(authorization ?? '')) {
    throw withoutCredentials('the credential command gave no token');
  }
  return {
    ca,
    cert,
    key,
    authorization,
    socksAgent: socks ? keptAlive(options.agent as Agent, identity) : undefined,
  };
}

/** client-node builds agents for one request each. */
function keptAlive(agent: Agent, identity: AgentOptions): Agent {
  const { options } = agent as Agent & { readonly options: AgentOptions };
  Object.assign(options, { rejectUnauthorized: true, ...identity });
  return Object.assign(agent, { keepAlive: true, maxSockets });
}

async function apply(config: KubeConfig, options: RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      // V8 quotes what is around a fault in JSON, which may be a token.
      throw withoutCredentials('the output of the credential command is not JSON');
    }
    if (cause instanceof TypeError) {
      throw withoutCredentials('the output of the credential command has no such fields', cause);
    }
    throw withoutCredentials(cause);
  }
}

function authorizationOf({ auth, headers }: RequestOptions): string | undefined {
  if (auth) return `Basic ${Buffer.from(auth).toString('base64')}`;
  const value = headers && 'Authorization' in headers ? headers.Authorization : undefined;
  return value === undefined ? undefined : Buffer.from(String(value)).toString('latin1');
}
