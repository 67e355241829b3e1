import type { Agent } from 'node:http';
import { GcError, isGcError } from '../../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { createAgent } from './create-agent.ts';
import { type CredentialSource, idTokenOf, tokenFileSource } from './credential-source.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { emptyUser, hasPem, type KubeconfigUser } from './kubeconfig.ts';
import { isSocks } from './proxy-for-server.ts';
import type { SecureOptions } from './secure-options.ts';

/** Connections and credentials in force, kept up to date from request to request. */
export interface AuthenticatedConnections {
  current(): Promise<LoginState>;
  /** After a 401 for this user: true when there are other credentials to try with. */
  renew(refused: KubeconfigUser): Promise<boolean>;
  close(): void;
}

interface LoginState {
  readonly agent: Agent;
  /** For large answers; undefined where all goes through a proxy, or without TLS. */
  readonly http2: Http2Sessions | undefined;
  readonly authorization: string | undefined;
  readonly user: KubeconfigUser;
}

/** Fetches the first credentials; http servers get none. */
export async function openLogin(
  settings: ConnectionSettings,
  environment: ClientEnvironment,
): Promise<AuthenticatedConnections> {
  const [source, security] = await Promise.all([
    createCredentialSource(settings, environment),
    settings.user && import('./secure-options.ts'),
  ]);
  let latest: LoginState | undefined;
  /** By their credentials: requests that go out at the same time share new connections. */
  const states = new Map<KubeconfigUser, Promise<LoginState>>();
  const open = async (user: KubeconfigUser): Promise<LoginState> => {
    const { tls, authorization } = security?.secureOptions(settings, user) ?? {};
    // A new token keeps the connections; a new certificate needs new ones.
    const kept = latest && isSameCertificate(latest.user, user) ? latest : undefined;
    const { agent, http2 } = kept ?? (await connectionsFor(settings, tls, environment));
    latest = { user, authorization, agent, http2 };
    return latest;
  };
  const current = async () => {
    const user = await source.current();
    const known = states.get(user);
    if (known) return known;
    const state = open(user);
    states.set(user, state);
    // What failed is tried again: a file of certificates may be there by then.
    state.catch(() => states.delete(user));
    return state;
  };
  await current();
  return {
    current,
    renew: async (refused) => {
      if (source.renew === undefined) return false;
      try {
        await source.renew(refused);
        return (await current()).user !== refused;
      } catch (error) {
        // As with kubectl the refusal itself is then the answer.
        if (isGcError(error)) return false;
        throw error;
      }
    },
    close: () => {
      for (const state of states.values()) void state.then(closeState, () => undefined);
    },
  };
}

function closeState({ agent, http2 }: LoginState): void {
  agent.destroy();
  http2?.close();
}

/** `tls`: undefined for http. */
async function connectionsFor(
  { server, proxy, connections }: ConnectionSettings,
  tls: SecureOptions['tls'] | undefined,
  { env }: ClientEnvironment,
): Promise<Pick<LoginState, 'agent' | 'http2'>> {
  if (proxy && isSocks(proxy)) {
    const { socksAgent } = await import('./socks-agent.ts');
    return { agent: await socksAgent(server, proxy, tls, connections), http2: undefined };
  }
  const agent = createAgent(server, proxy, tls, connections);
  // DISABLE_HTTP2 is kubectl's (SetTransportDefaults, apimachinery/pkg/util/net/http.go).
  const isUsed = tls && proxy === undefined && !env.DISABLE_HTTP2;
  return { agent, http2: isUsed ? new Http2Sessions(server, tls, agent) : undefined };
}

function isSameCertificate(a: KubeconfigUser, b: KubeconfigUser): boolean {
  const names = ['client-certificate-data', 'client-key-data'] as const;
  return names.every((name) => a[name] === b[name]);
}

/** Chooses the way to credentials in kubectl's order: what is set outright keeps plugins from running. */
async function createCredentialSource(
  settings: ConnectionSettings,
  environment: ClientEnvironment,
): Promise<CredentialSource> {
  const { user = emptyUser } = settings;
  const hasToken = user.token !== '' || user.tokenFile !== '';
  const isNamed = hasToken || user.username !== '' || hasPem(user, 'client-certificate');
  const { exec, 'auth-provider': authProvider } = user;
  if (exec !== undefined && !isNamed) {
    const { execSource } = await import('./exec-plugin.ts');
    return execSource(user, exec, settings, environment);
  }
  if (authProvider !== undefined && !hasToken) {
    if (authProvider.name !== 'oidc') throw unknownProvider(authProvider.name);
    const named = { ...user, 'auth-provider': undefined, token: idTokenOf(authProvider) };
    return { current: async () => named };
  }
  const own = { ...user, exec: undefined, 'auth-provider': undefined };
  return user.tokenFile === '' ? { current: async () => own } : tokenFileSource(own);
}

function unknownProvider(name: string): GcError {
  return new GcError(
    `the kubeconfig's auth-provider "${name}" is not known: it cannot be asked for a token`,
    {
      code: 'unknown-auth-provider',
      suggestions: [
        'Use an exec credential plugin, such as gke-gcloud-auth-plugin or kubelogin, or the provider oidc.',
      ],
    },
  );
}
