import type { Agent } from 'node:http';
import type { AgentOptions, RequestOptions } from 'node:https';
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { GcError, usageError } from '../../errors.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { maxSockets } from './create-agent.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import { isSocks } from './proxy-for-server.ts';

interface TlsOptions {
  /** Made once: parsing the authorities again for every connection would be slow. */
  readonly secureContext: SecureContext;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What https needs to connect and to authenticate as a user. */
export interface SecureOptions {
  readonly tls: TlsOptions;
  /** The Authorization header; undefined for none. */
  readonly authorization: string | undefined;
  /** client-node's agent, where the proxy speaks SOCKS; Node's own agents do not. */
  readonly socksAgent: Agent | undefined;
}

/**
 * Hands the weighed entries to client-node's KubeConfig, which reads certificates, asks gcp and
 * azure for tokens and knows SOCKS. It gets one complete cluster and one user because its own
 * merging, defaulting and impersonation differ from kubectl's. In the bundle this costs about 2 ms
 * over doing it by hand; this file is the only one to import client-node, and only https loads it.
 */
export async function secureOptions(
  { cluster, server, proxy }: ConnectionSettings,
  user: KubeconfigUser,
): Promise<SecureOptions> {
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
        tlsServerName: cluster.tlsServerName,
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
  const options: RequestOptions = {};
  if (!cluster.insecureSkipTlsVerify && !hasAuthority(cluster)) options.ca = systemAuthorities();
  await apply(config, options);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const authorization = authorizationOf(options);
  if (user.authProvider && /^(Bearer ?(undefined)?)?$/.test(authorization ?? '')) {
    throw withoutCredentials('the credential command gave no token');
  }
  return {
    tls: {
      secureContext: contextOf({ ca, cert, key }),
      ...(servername && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    authorization,
    socksAgent: socks ? keptAlive(options.agent as Agent) : undefined,
  };
}

/** client-node builds agents for one request each. */
function keptAlive(agent: Agent): Agent {
  const { options } = agent as Agent & { readonly options: AgentOptions };
  options.rejectUnauthorized ??= true;
  return Object.assign(agent, { keepAlive: true, maxSockets });
}

function hasAuthority(cluster: ConnectionSettings['cluster']): boolean {
  return cluster.certificateAuthority !== '' || cluster.certificateAuthorityData !== '';
}

/** kubectl trusts what the system trusts; Node by default only what it was built with. */
function systemAuthorities(): string[] {
  const system = getCACertificates('system');
  return system.length > 0
    ? [...system, ...getCACertificates('extra')]
    : getCACertificates('default');
}

async function apply(config: KubeConfig, options: RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    // A message about JSON may quote credentials.
    throw withoutCredentials(reasonOf(cause), cause instanceof SyntaxError ? undefined : cause);
  }
}

function withoutCredentials(why: string, cause?: unknown): GcError {
  return new GcError(`could not get credentials: ${why}`, {
    code: 'credentials-failed',
    suggestions: ['Log in again with the tool that wrote this kubeconfig.'],
    cause,
  });
}

/** V8 quotes what is around a fault in JSON, which may be a token. */
function reasonOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return 'the output of the credential command is not JSON';
  if (cause instanceof TypeError) return 'the output of the credential command has no such fields';
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
}

function authorizationOf({ auth, headers }: RequestOptions): string | undefined {
  if (auth) return `Basic ${Buffer.from(auth).toString('base64')}`;
  const value = headers && 'Authorization' in headers ? headers.Authorization : undefined;
  return value === undefined ? undefined : Buffer.from(String(value)).toString('latin1');
}

/** Finds unusable PEM now: later it would look like a network failure, or be ignored. */
function contextOf(options: SecureContextOptions): SecureContext {
  const { ca } = options;
  if (Buffer.isBuffer(ca) && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalidCertificate('the certificate authority holds no PEM certificate');
  }
  try {
    return createSecureContext(options);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw invalidCertificate(`the client certificate and its key are not a usable pair${why}`);
  }
}

function invalidCertificate(message: string) {
  return usageError(
    'certificate-invalid',
    message,
    'Correct the PEM data or files of the kubeconfig or of the flags.',
  );
}
