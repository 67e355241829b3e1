import { GcError } from '../../errors.ts';
import { readStatus } from '../api-failure.ts';
import type { ApiResponse } from './cluster-client.ts';

/** Of a proxy's text no more is shown. */
const longest = 1024;

interface Explanation {
  readonly code: string;
  /** Said when the server gives no reason of its own. */
  readonly why: string;
  readonly suggestions: readonly string[];
}

const explanations: Readonly<Record<number, Explanation>> = {
  401: {
    code: 'unauthorized',
    why: 'the server has asked for the client to provide credentials',
    suggestions: [
      'Log in again: the token or certificate may have expired.',
      'Check who you are with `kubectl auth whoami`, and the context with `kubectl config current-context`.',
    ],
  },
  403: {
    code: 'forbidden',
    why: 'it is not permitted',
    suggestions: [
      'See what is permitted with `kubectl auth can-i --list`; ask an administrator for the missing permission.',
    ],
  },
  404: {
    code: 'not-found',
    why: 'the server could not find it',
    suggestions: ['Check the name, the namespace and the context.'],
  },
  405: { code: 'method-not-allowed', why: 'the server does not allow it', suggestions: [] },
  406: { code: 'not-acceptable', why: 'the server cannot answer in this format', suggestions: [] },
  409: {
    code: 'conflict',
    why: 'it was changed in the meantime',
    suggestions: ['Run the command again to see what is there now.'],
  },
  410: {
    code: 'expired',
    why: 'the server no longer has this version of the list',
    suggestions: ['Run the command again.'],
  },
  422: { code: 'invalid', why: 'the server finds it invalid', suggestions: [] },
  429: {
    code: 'too-many-requests',
    why: 'the server is too busy',
    suggestions: ['Try again later.'],
  },
  503: {
    code: 'unavailable',
    why: 'the server is not available',
    suggestions: ['Try again later; `kubectl get --raw /readyz?verbose` shows what is missing.'],
  },
  504: { code: 'timeout', why: 'the server ran out of time', suggestions: ['Try again later.'] },
};

const redirection: Explanation = {
  code: 'redirected',
  why: 'the answer is a redirection, as of a login page',
  suggestions: ["Check the server's address; a proxy in front of it may want a login."],
};

const otherFailure: Explanation = {
  code: 'server-error',
  why: 'the server failed',
  suggestions: ['Try again later.'],
};

/**
 * The error for an answer that is not 2xx, reading its body. `what` completes "could not …":
 * `list pods`. The code says the kind of failure: `forbidden`, `not-found`, `conflict` …
 */
export async function statusError(response: ApiResponse, what: string): Promise<GcError> {
  const { status } = response;
  const unlisted = status >= 300 && status < 400 ? redirection : otherFailure;
  const { code, why, suggestions } = explanations[status] ?? unlisted;
  const told = (await readStatus(response)).message.trim().slice(0, longest);
  const reason = told === '' || /^(Unauthorized|unknown)$/i.test(told) ? why : told;
  return new GcError(`could not ${what}: ${reason} (HTTP ${status})`, { code, suggestions });
}
