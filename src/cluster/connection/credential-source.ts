import { readFileSync } from 'node:fs';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { errorMessage, GcError } from '../../errors.ts';
import { reasonUnreadable } from '../../files/input-bytes.ts';
import { jsonOf, numberOf } from '../../kube/json-value.ts';
import type { AuthProvider, KubeconfigUser, Pem } from './kubeconfig.ts';

/**
 * Yields the user with the credentials to send now: what plugins and token files supply is filled in as a
 * token or a certificate.
 */
export interface CredentialSource {
  /** The same object until the credentials change. */
  current(): Promise<KubeconfigUser>;
  /** Gets new credentials after the server refused these; absent where there is no way to. */
  renew?(refused: KubeconfigUser): Promise<void>;
}

/** Projected service account tokens live for minutes; kubectl too re-reads the file this often. */
const rereadAfter = 50_000;

/** A token from a file that is rewritten from time to time; `now` in milliseconds. */
export function tokenFileSource(
  user: KubeconfigUser,
  now: () => number = Date.now,
): CredentialSource {
  let current = readToken(user) ?? user;
  if (current.token === '') throw unusableTokenFile(user.tokenFile);
  let readAt = now();
  const reread = () => {
    readAt = now();
    const next = readToken(user);
    if (next !== undefined && next.token !== current.token) current = next;
  };
  return {
    current: async () => {
      if (now() - readAt >= rereadAfter) reread();
      return current;
    },
    renew: async (refused) => {
      if (refused === current) reread();
    },
  };
}

function readToken(user: KubeconfigUser): KubeconfigUser | undefined {
  try {
    const token = readFileSync(user.tokenFile, 'utf8').trim();
    return token === '' ? undefined : { ...user, token };
  } catch {
    return undefined;
  }
}

function unusableTokenFile(file: string): GcError {
  return new GcError(
    `the token file ${file} cannot be read or is empty: without a token the server takes requests for anonymous ones`,
    {
      code: 'token-file-unusable',
      suggestions: ['Check tokenFile of the user in the kubeconfig, or pass --token.'],
    },
  );
}

/** kubectl's margin for clocks that differ. */
const expiryMargin = 10_000;

/**
 * The id-token of the `oidc` auth-provider while it is valid; throws GcError `oidc-failed` where it is not. kubectl renews
 * it: another refresh token may come with it, and a program that does not keep that in the kubeconfig logs the user out.
 */
export function idTokenOf({ config }: AuthProvider): string {
  const missing = ['idp-issuer-url', 'client-id', 'id-token'].find((key) => !config[key]);
  const token = config['id-token'] ?? '';
  const why = missing ? `no ${missing}` : 'an id-token that is not a JWT, or has expired';
  if (!missing && Date.now() + expiryMargin < tokenExpiry(token)) return token;
  throw new GcError(`the auth-provider oidc of the kubeconfig has ${why}`, {
    code: 'oidc-failed',
    suggestions: [
      suggested(
        'kubectl renews it, where the kubeconfig has a refresh-token',
        shellCommand`kubectl version`,
      ),
      'Or log in again with the tool that wrote this kubeconfig.',
    ],
  });
}

/** Milliseconds since the epoch; 0 without an expiry, and for a token that is no JWT. */
function tokenExpiry(token: string): number {
  const [, payload = '', signature] = token.split('.');
  try {
    const claims = jsonOf(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    return signature === undefined ? 0 : (numberOf(claims?.exp) ?? 0) * 1000;
  } catch {
    return 0;
  }
}

/** The content of a file, or what stands in the kubeconfig itself; undefined where there is neither. */
export function readPem<Name extends string>(entry: Pem<Name>, name: Name): Buffer | undefined {
  if (entry[name] === '') {
    const data = entry[`${name}-data`];
    return data === '' ? undefined : Buffer.from(data, 'base64');
  }
  try {
    return readFileSync(entry[name]);
  } catch (cause) {
    const why = reasonUnreadable(cause) ?? errorMessage(cause);
    throw new GcError(`${name} ${entry[name]} cannot be read: ${why}`, {
      code: 'connection-invalid',
      suggestions: ['Correct the kubeconfig or the connection flags.'],
      cause,
    });
  }
}
