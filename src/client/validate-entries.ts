import { accessSync, constants } from 'node:fs';
import { usageError } from '../errors.ts';
import type { ExecPlugin } from './kubeconfig.ts';
import type { SelectedEntries } from './select-entries.ts';

/** Refuses what kubectl refuses; throws one usage error that names every problem. */
export function validateEntries({ cluster, user, clusterName, userName }: SelectedEntries): void {
  const { impersonation } = user;
  const hasCertificate = user.clientCertificate !== '' || user.clientCertificateData !== '';
  const hasKey = user.clientKey !== '' || user.clientKeyData !== '';
  const hasBasic = user.username !== '' || user.password !== '';
  const both = (a: string, b: string) => a !== '' && b !== '';
  const problems = [
    both(cluster.certificateAuthority, cluster.certificateAuthorityData) &&
      'certificate-authority and certificate-authority-data are both set',
    unreadable('certificate-authority', cluster.certificateAuthority),
    (cluster.certificateAuthority !== '' || cluster.certificateAuthorityData !== '') &&
      cluster.insecureSkipTlsVerify &&
      'a certificate authority and insecure-skip-tls-verify are both set',
    invalidProxy(cluster.proxyUrl),
    hasCertificate &&
      both(user.clientCertificate, user.clientCertificateData) &&
      'client-certificate and client-certificate-data are both set',
    hasCertificate &&
      both(user.clientKey, user.clientKeyData) &&
      'client-key and client-key-data are both set',
    hasCertificate && !hasKey && 'a client certificate is set without its client-key',
    hasCertificate && unreadable('client-certificate', user.clientCertificate),
    hasCertificate && unreadable('client-key', user.clientKey),
    (user.token !== '' || user.tokenFile !== '') &&
      hasBasic &&
      'a token and a username or password are both set, only one is allowed',
    user.exec !== undefined &&
      user.authProvider !== undefined &&
      'exec and auth-provider are both set',
    ...(user.exec === undefined ? [] : execProblems(user.exec)),
    impersonation.user === '' &&
      (impersonation.uid !== '' ||
        impersonation.groups.length > 0 ||
        Object.keys(impersonation.extra).length > 0) &&
      'a uid, groups or extras are to be impersonated without a user (--as)',
  ].filter((problem) => typeof problem === 'string');
  if (problems.length === 0) return;
  throw usageError(
    'connection-invalid',
    `the connection (cluster "${clusterName}", user "${userName}") cannot be used: ${problems.join('; ')}`,
    'Correct the kubeconfig or the connection flags; `kubectl config view --minify` shows what is in force.',
  );
}

function execProblems(exec: ExecPlugin): readonly (string | false)[] {
  return [
    exec.command === '' && 'exec has no command',
    exec.apiVersion === '' && 'exec has no apiVersion',
    exec.env.some(({ name }) => name === '') && 'exec has an env entry without a name',
    exec.interactiveMode === '' && 'exec has no interactiveMode',
    !['', 'Never', 'IfAvailable', 'Always'].includes(exec.interactiveMode) &&
      `exec has an unknown interactiveMode "${exec.interactiveMode}"`,
  ];
}

function invalidProxy(proxyUrl: string): string | false {
  if (proxyUrl === '') return false;
  const protocol = URL.parse(proxyUrl)?.protocol ?? '';
  return (
    !['http:', 'https:', 'socks5:'].includes(protocol) &&
    'proxy-url is not an http, https or socks5 address'
  );
}

function unreadable(what: string, file: string): string | false {
  if (file === '') return false;
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch {
    return `${what} ${file} cannot be read`;
  }
}
