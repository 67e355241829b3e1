import { exitCodes, GcError, isGcError } from '../../errors.ts';
import { withoutCredentials } from './proxy-for-server.ts';

/** Whom a request goes to, for messages. */
export interface NetworkPeer {
  /** `the API server https://10.0.0.1:6443`. */
  readonly name: string;
  readonly proxy?: URL | undefined;
  /** Kubeconfig files that were looked for in vain, when that is why the default server is tried. */
  readonly missingKubeconfig?: readonly string[] | undefined;
}

interface Explanation {
  readonly code: string;
  readonly why: string;
  readonly suggestion: string;
}

const explanations: readonly (readonly [RegExp, Explanation])[] = [
  [
    /^ECONNREFUSED$/,
    {
      code: 'connection-refused',
      why: 'the connection was refused',
      suggestion: 'Check the host and port, and that the server is running.',
    },
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/,
    {
      code: 'unknown-host',
      why: 'its host name cannot be resolved',
      suggestion: 'Check the host name, the network and the VPN.',
    },
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    {
      code: 'unreachable',
      why: 'there is no route to it',
      suggestion: 'Check the network and the VPN.',
    },
  ],
  [
    /^ETIMEDOUT$/,
    {
      code: 'connect-timeout',
      why: 'it did not answer in time',
      suggestion: 'Check the network, the VPN and firewalls.',
    },
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
    {
      code: 'tls-unknown-authority',
      why: 'its certificate is signed by an unknown authority',
      suggestion:
        'Set certificate-authority in the kubeconfig or pass --certificate-authority; a kubeconfig of a re-created cluster must be fetched again.',
    },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    {
      code: 'tls-hostname-mismatch',
      why: 'its certificate is for another host name',
      suggestion: 'Use a name the certificate has, or pass it with --tls-server-name.',
    },
  ],
  [
    /^CERT_HAS_EXPIRED$/,
    {
      code: 'tls-expired',
      why: 'its certificate has expired',
      suggestion: 'Renew the certificate of the server; check the clock of this machine.',
    },
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    {
      code: 'tls-not-yet-valid',
      why: 'its certificate is not valid yet',
      suggestion: 'Check the clock of this machine and of the server.',
    },
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$|^EPROTO$/,
    {
      code: 'tls-not-spoken',
      why: 'it does not speak TLS',
      suggestion: 'Check the port, and whether the address must start with http://.',
    },
  ],
  [
    /^ERR_SSL_.*(ALERT|CERTIFICATE)/,
    {
      code: 'tls-refused',
      why: 'it refused the TLS connection, most likely for the client certificate',
      suggestion: 'Check that the client certificate is valid and issued for this cluster.',
    },
  ],
  [
    /^ERR_(INVALID_CHAR|UNESCAPED_CHARACTERS)$/,
    {
      code: 'invalid-request',
      why: 'a credential, an impersonated name or the path holds a character that HTTP does not allow',
      suggestion: 'Look for line ends in tokens and flags.',
    },
  ],
  [
    /^HPE_/,
    {
      code: 'not-http',
      why: 'its answer is not HTTP',
      suggestion: 'Check the port and the proxy settings.',
    },
  ],
  [
    /^Z_|^ERR_ZLIB/,
    {
      code: 'invalid-compression',
      why: 'its compressed answer cannot be read',
      suggestion: 'Try again with --disable-compression.',
    },
  ],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$/,
    {
      code: 'connection-dropped',
      why: 'the connection was closed before the answer was complete',
      suggestion: 'Try again; check load balancers and proxies on the way.',
    },
  ],
];

/** Turns a failure of the network or of TLS into what happened, why, and what to do. */
export function networkError(cause: unknown, peer: NetworkPeer): GcError {
  if (isGcError(cause)) return cause;
  const systemCode = codeOf(cause);
  if (systemCode === 'ERR_PROXY_TUNNEL') return proxyError(cause, peer);
  const known = explanations.find(([pattern]) => pattern.test(systemCode))?.[1];
  const explanation = known ?? {
    code: 'request-failed',
    why: systemCode || (cause instanceof Error ? cause.message : 'the request failed'),
    suggestion: 'Check the address and the network.',
  };
  return new GcError(`could not reach ${throughProxy(peer)}: ${explanation.why}`, {
    code: explanation.code,
    suggestions: [...missingKubeconfig(peer), explanation.suggestion],
    cause,
  });
}

/** The error for an exchange that took longer than allowed (milliseconds). */
export function timedOut(
  peer: NetworkPeer,
  milliseconds: number,
  code = 'request-timeout',
): GcError {
  const limit = milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
  return new GcError(`${throughProxy(peer)} did not answer within ${limit}`, {
    code,
    suggestions: ['Check the network and the VPN, or allow more time with --request-timeout.'],
  });
}

/** The error for an exchange that its caller gave up. */
export function cancelled(signal: AbortSignal | undefined): GcError {
  const reason: unknown = signal?.reason;
  if (isGcError(reason)) return reason;
  return new GcError('the request was cancelled', {
    code: 'cancelled',
    exitCode: exitCodes.interrupted,
    cause: reason,
  });
}

function proxyError(cause: unknown, peer: NetworkPeer): GcError {
  // The message of the cause is not repeated: it holds the proxy's address with its password.
  const status =
    cause instanceof Error && 'statusCode' in cause ? ` (HTTP ${cause.statusCode})` : '';
  return new GcError(`could not reach ${throughProxy(peer)}: the proxy opens no tunnel${status}`, {
    code: 'proxy-failed',
    suggestions: ['Check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY.'],
  });
}

function throughProxy({ name, proxy }: NetworkPeer): string {
  return proxy === undefined ? name : `${name} through the proxy ${withoutCredentials(proxy)}`;
}

function missingKubeconfig({ missingKubeconfig: files }: NetworkPeer): readonly string[] {
  if (files === undefined) return [];
  return [
    `No kubeconfig names a server (looked in ${files.join(', ')}), so kubectl's default was tried: pass --kubeconfig or --server, or work offline.`,
  ];
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? '' : codeOf(inner);
}
