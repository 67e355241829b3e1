import { GcError } from '../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { CredentialSource } from './credential-source.ts';
import type { AuthProvider, KubeconfigUser } from './kubeconfig.ts';
import { refreshOidcToken } from './refresh-oidc-token.ts';
import { writeAuthProviderConfig } from './write-auth-provider-config.ts';

/** kubectl's margin for clocks that differ. */
const expiryMargin = 10_000;

/**
 * The `oidc` auth-provider: its id-token while it is valid, else a new one for the refresh token.
 * Written here because client-node's does not send the client secret and forgets a refresh token
 * that the provider replaced, which would log the user out of kubectl too.
 */
export function oidcSource(
  user: KubeconfigUser,
  { config: initial }: AuthProvider,
  settings: ConnectionSettings,
  environment: ClientEnvironment,
  now: () => number = Date.now,
): CredentialSource {
  for (const key of ['idp-issuer-url', 'client-id']) {
    if (!initial[key]) throw failed(`the auth-provider oidc has no ${key}`);
  }
  let config = initial;
  let held: KubeconfigUser | undefined;
  let running: Promise<KubeconfigUser> | undefined;

  const refresh = async () => {
    if (!config['refresh-token']) {
      throw failed(
        'the id-token of the auth-provider oidc has expired and there is no refresh-token',
      );
    }
    const renewed = { ...config, ...(await refreshOidcToken(config, environment)) };
    try {
      await writeAuthProviderConfig(user.origin, settings.origin.userName, renewed);
    } catch (cause) {
      // Without rotation the old refresh token still works, so nothing is lost.
      if (renewed['refresh-token'] !== config['refresh-token']) {
        throw failed(`the new tokens could not be written to ${user.origin}`, cause);
      }
    }
    config = renewed;
    return hold(renewed['id-token'] ?? '');
  };
  const hold = (token: string) => {
    held = { ...user, authProvider: undefined, token };
    return held;
  };
  return {
    current: async () => {
      const token = config['id-token'] ?? '';
      if (token !== '' && now() + expiryMargin < expiryOf(token)) {
        return held?.token === token ? held : hold(token);
      }
      running ??= refresh().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Milliseconds since the epoch; an id-token without an expiry counts as expired. */
function expiryOf(token: string): number {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) throw failed('the id-token of the auth-provider oidc is not a JWT');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return Number(Object(claims).exp ?? 0) * 1000;
  } catch {
    throw failed('the id-token of the auth-provider oidc is not a JWT');
  }
}

function failed(why: string, cause?: unknown): GcError {
  return new GcError(why, {
    code: 'oidc-failed',
    suggestions: ['Log in again with the tool that wrote this kubeconfig.'],
    cause,
  });
}
