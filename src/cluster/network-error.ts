import { exitCodes, GcError, isGcError } from '../errors.ts';
import { withoutCredentials } from './connection/proxy-for-server.ts';

/** Whom a request goes to, for messages. */
export interface NetworkPeer {
  /** `the API server https://10.0.0.1:6443`. */
  readonly name: string;
  readonly proxy?: URL | undefined;
  /** Kubeconfig files that do not exist, when that is why the default server is tried. */
  readonly missingKubeconfig?: readonly string[] | undefined;
}

const network = 'Check the address, that the server is running, the network and the VPN.';
const certificate =
  'Look at the names and dates of its certificate (--tls-server-name), and at the clocks.';
const authority =
  'Set certificate-authority in the kubeconfig or pass --certificate-authority; a kubeconfig of a re-created cluster must be fetched again.';
const port = 'Check the port, proxies, and whether the address must start with http://.';
const onTheWay = 'Try again; check load balancers and proxies on the way.';
const certificateRefused = 'it refused the TLS connection, most likely for the client certificate';
const login = 'Check that the client certificate is valid and issued for this cluster.';
const forbiddenCharacter =
  'a credential, an impersonated name or the path contains a character that HTTP does not allow';
const lineEnds = 'Look for line ends in tokens and flags.';
const dropped = 'the connection was closed before the answer was complete';
const noRoute = /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;
const unknownAuthority =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/;
const noTls = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$|^EPROTO$/;
const closed = /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$|^ERR_HTTP2_/;

/** By Node's code of the failure: our code, why, and what to do. */
const explanations: readonly (readonly [RegExp, string, string, string])[] = [
  [/^ECONNREFUSED$/, 'connection-refused', 'the connection was refused', network],
  [/^(ENOTFOUND|EAI_)/, 'unknown-host', 'its host name cannot be resolved', network],
  [noRoute, 'unreachable', 'there is no route to it', network],
  [/^ETIMEDOUT$/, 'connect-timeout', 'it did not answer in time', network],
  [
    unknownAuthority,
    'tls-unknown-authority',
    'its certificate is signed by an unknown authority',
    authority,
  ],
  [
    /^ERR_TLS_CERT_ALTNAME/,
    'tls-hostname-mismatch',
    'its certificate is for another host name',
    certificate,
  ],
  [/^CERT_HAS_EXPIRED$/, 'tls-expired', 'its certificate has expired', certificate],
  [/^CERT_NOT_YET_VALID$/, 'tls-not-yet-valid', 'its certificate is not valid yet', certificate],
  [noTls, 'tls-not-spoken', 'it does not speak TLS', port],
  [/^ERR_SSL_.*(ALERT|CERTIFICATE)/, 'tls-refused', certificateRefused, login],
  [/^ERR_(INVALID_CHAR|UNESCAPED_)/, 'invalid-request', forbiddenCharacter, lineEnds],
  [/^HPE_/, 'not-http', 'its answer is not HTTP', port],
  [/^(Z_|ERR_ZLIB)/, 'invalid-compression', 'its compressed answer cannot be read', onTheWay],
  [closed, 'connection-dropped', dropped, onTheWay],
];

/** Turns a failure of the network or of TLS into what happened, why, and what to do. */
export function networkError(cause: unknown, peer: NetworkPeer): GcError {
  if (isGcError(cause)) return cause;
  const systemCode = codeOf(cause);
  if (systemCode === 'ERR_PROXY_TUNNEL') return proxyError(cause, peer);
  const other = systemCode || (cause instanceof Error ? cause.message : 'the request failed');
  const [, code = 'request-failed', why = other, suggestion = network] =
    explanations.find(([pattern]) => pattern.test(systemCode)) ?? [];
  return new GcError(`could not reach ${throughProxy(peer)}: ${why}`, {
    code,
    suggestions: [...missingKubeconfig(peer), suggestion],
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
  // The message of the cause is not repeated: it contains the proxy's address with its password.
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
