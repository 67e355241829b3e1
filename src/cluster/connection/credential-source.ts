import { readFileSync } from 'node:fs';
import { errorMessage, GcError } from '../../errors.ts';
import type { KubeconfigUser } from './kubeconfig.ts';

/**
 * Yields the user with the credentials to send now: what plugins, token files and identity
 * providers supply is filled in as a token or a certificate.
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
  if (current.token === '') throw unusable(user.tokenFile);
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

function unusable(file: string): GcError {
  return new GcError(`the token file ${file} cannot be read or is empty`, {
    code: 'token-file-unusable',
    suggestions: ['Check tokenFile of the user in the kubeconfig, or pass --token.'],
  });
}

/** Why there are no credentials: in words, or the error that says it in its first line. */
export function withoutCredentials(why: unknown, cause = why): GcError {
  const [line = ''] = errorMessage(why).split('\n');
  return new GcError(`could not get credentials: ${line}`, {
    code: 'credentials-failed',
    suggestions: ['Log in again with the tool that wrote this kubeconfig.'],
    cause: cause instanceof Error ? cause : undefined,
  });
}
