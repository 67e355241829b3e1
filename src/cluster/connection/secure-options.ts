import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type ConnectionOptions as ConnectOptions,
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import { usageError } from '../../errors.ts';
import { hostOf } from '../server-host.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { readPem } from './credential-source.ts';
import { hasPem, type KubeconfigUser } from './kubeconfig.ts';

/** What https needs to connect and to authenticate as a user. */
export interface SecureOptions {
  /** The context is made once: parsing the authorities again for every connection would be slow. */
  readonly tls: Pick<
    ConnectOptions,
    'secureContext' | 'servername' | 'checkServerIdentity' | 'rejectUnauthorized'
  >;
  /** The Authorization header; undefined for none. */
  readonly authorization: string | undefined;
}

/** Reads the certificates of the weighed entries. */
export function secureOptions(settings: ConnectionSettings, user: KubeconfigUser): SecureOptions {
  const { cluster } = settings;
  const isUnverified = cluster['insecure-skip-tls-verify'];
  const tls = isUnverified
    ? { ...serverNameOptions(settings), rejectUnauthorized: false }
    : serverNameOptions(settings);
  const ca =
    !isUnverified && !hasPem(cluster, 'certificate-authority') ? systemAuthorities() : undefined;
  const secureContext = contextOf({ ca, ...pemOf(cluster, user) });
  return { tls: { secureContext, ...tls }, authorization: authorizationOf(user) };
}

/**
 * Node takes no IP address for the server's name, which is not sent either, as with kubectl. Behind a SOCKS proxy it
 * would hold the certificate against the address of the proxy.
 */
function serverNameOptions({ cluster, server }: ConnectionSettings): SecureOptions['tls'] {
  const servername = cluster['tls-server-name'];
  const name = servername || hostOf(new URL(server));
  if (isIP(name) === 0) return servername ? { servername } : {};
  return {
    servername: '',
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
  };
}

/** What files or the kubeconfig itself hold; nothing that is absent. */
function pemOf(cluster: ConnectionSettings['cluster'], user: KubeconfigUser): SecureContextOptions {
  const ca = readPem(cluster, 'certificate-authority');
  const cert = readPem(user, 'client-certificate');
  const key = readPem(user, 'client-key');
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

function authorizationOf({ username, password, token }: KubeconfigUser): string | undefined {
  if (username !== '') {
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
  // Node writes a character per byte.
  return token === '' ? undefined : Buffer.from(`Bearer ${token}`).toString('latin1');
}

/** kubectl trusts what the system trusts; Node by default only what it was built with. */
function systemAuthorities(): string[] {
  const system = getCACertificates('system');
  return system.length > 0
    ? [...system, ...getCACertificates('extra')]
    : getCACertificates('default');
}

/** Finds unusable PEM now: later it would look like a network failure, or be ignored. */
function contextOf(options: SecureContextOptions): SecureContext {
  const { ca } = options;
  const bundle = Buffer.isBuffer(ca) ? certificatesIn(ca.toString()) : undefined;
  if (bundle?.length === 0) {
    throw invalidCertificate('the certificate authority contains no PEM certificate');
  }
  try {
    return createSecureContext({ ...options, ca: bundle ?? ca });
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw invalidCertificate(`the client certificate and its key are not a usable pair${why}`);
  }
}

/** Those of a bundle that can be read; others are passed over, as Go does (AppendCertsFromPEM, crypto/x509). */
export function certificatesIn(bundle: string): string[] {
  const [begin, end] = ['BEGIN', 'END'].map((word) => `-----${word} CERTIFICATE-----`);
  const blocks = bundle.split(`${begin}`).slice(1);
  return blocks.flatMap((block) => {
    const certificate = `${begin}${block.split(`${end}`, 1)[0]}${end}\n`;
    try {
      return [new X509Certificate(certificate).toString()];
    } catch {
      return [];
    }
  });
}

function invalidCertificate(message: string) {
  return usageError(
    message,
    ['Correct the PEM data or files of the kubeconfig or of the flags.'],
    'certificate-invalid',
  );
}
