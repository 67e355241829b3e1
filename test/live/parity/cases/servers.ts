import { base64, home, kubeconfigOf, trusted } from '../kubeconfig-of.ts';
import type { ParityCases } from '../parity-world.ts';

const user = { token: 'secret', as: 'ann', 'as-groups': ['dev'] };
const closedPort = 'https://127.0.0.1:1';

/** How servers are addressed, trusted and found unreachable. */
export const serverCases: ParityCases = {
  'http server: no credentials, but impersonation': ({ http }) => ({
    files: { '.kube/config': kubeconfigOf({ server: http.url }, user) },
  }),
  'http server with certificates': (world) => ({
    files: {
      '.kube/config': kubeconfigOf(trusted(world, { server: world.http.url }), {
        'client-certificate-data': base64(world.alice.certificate),
        'client-key-data': base64(world.alice.key),
      }),
    },
  }),
  'server without a scheme': ({ http }) => ({
    files: { '.kube/config': kubeconfigOf({ server: `127.0.0.1:${http.port}` }, user) },
  }),
  'server without a scheme, with a path': ({ http }) => ({
    files: { '.kube/config': kubeconfigOf({ server: `127.0.0.1:${http.port}/prefix` }) },
  }),
  'upper-case scheme and trailing slash': (world) => ({
    files: home(world, user, { server: `${world.tls.url.replace('https', 'HTTPS')}/` }),
  }),
  '--server over the kubeconfig': (world) => ({
    files: home(world, user, { server: closedPort }),
    options: { server: world.tls.url },
  }),
  '--server forgets tls-server-name': (world) => ({
    files: home(world, user, { 'tls-server-name': 'wrong.test' }),
    options: { server: world.tls.url },
  }),
  KUBERNETES_MASTER: ({ http }) => ({ env: { KUBERNETES_MASTER: http.url } }),
  'by name': (world) => ({
    files: home(world, user, { server: world.tls.url.replace('127.0.0.1', 'localhost') }),
  }),
  'tls-server-name': (world) => ({
    files: home(world, user, { 'tls-server-name': 'cluster.test' }),
  }),
  'tls-server-name that is an address': (world) => ({
    files: home(world, user, {
      server: world.tls.url.replace('127.0.0.1', 'localhost'),
      'tls-server-name': '127.0.0.1',
    }),
  }),
  'tls-server-name that is an address of another server': (world) => ({
    files: home(world, user, { 'tls-server-name': '10.9.8.8' }),
  }),
  '--tls-server-name': (world) => ({
    files: home(world, user, { 'tls-server-name': 'cluster.test' }),
    options: { 'tls-server-name': 'other.test' },
  }),
  'certificate-authority, relative file': (world) => ({
    files: {
      '.kube/config': kubeconfigOf(
        { server: world.tls.url, 'certificate-authority': 'pki/ca.crt' },
        user,
      ),
      '.kube/pki/ca.crt': world.authority.certificate,
    },
  }),
  '--certificate-authority over data': (world) => ({
    files: {
      ...home(world, user, {
        'certificate-authority-data': base64(world.otherAuthority.certificate),
      }),
      'ca.crt': world.authority.certificate,
    },
    options: { 'certificate-authority': 'ca.crt' },
  }),
  'certificate-authority as file and data': (world) => ({
    files: {
      ...home(world, user, { 'certificate-authority': 'ca.crt' }),
      '.kube/ca.crt': world.authority.certificate,
    },
  }),
  'missing certificate-authority': (world) => ({
    files: {
      '.kube/config': kubeconfigOf({ server: world.tls.url, 'certificate-authority': 'no' }, user),
    },
  }),
  'certificate-authority without a certificate': (world) => ({
    files: home(world, user, { 'certificate-authority-data': base64('hello') }),
  }),
  'certificate-authority-data that is not base64': (world) => ({
    files: home(world, user, { 'certificate-authority-data': '%%%' }),
  }),
  'insecure-skip-tls-verify': ({ expired }) => ({
    files: {
      '.kube/config': kubeconfigOf({ server: expired.url, 'insecure-skip-tls-verify': true }, user),
    },
  }),
  'insecure-skip-tls-verify: yes': ({ tls }) => ({
    files: {
      '.kube/config': `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
clusters: [{name: c, cluster: {server: "${tls.url}", insecure-skip-tls-verify: yes}}]`,
    },
  }),
  'insecure-skip-tls-verify and an authority': (world) => ({
    files: home(world, user, { 'insecure-skip-tls-verify': true }),
  }),
  '--insecure-skip-tls-verify over an authority': (world) => ({
    files: home(world, user, {
      'certificate-authority-data': base64(world.otherAuthority.certificate),
    }),
    options: { 'insecure-skip-tls-verify': true },
  }),
  '--insecure-skip-tls-verify=false': (world) => ({
    files: home(world, user),
    options: { 'insecure-skip-tls-verify': false },
  }),
  'unknown authority': (world) => ({
    files: home(world, user, {
      'certificate-authority-data': base64(world.otherAuthority.certificate),
    }),
  }),
  'no authority': ({ tls }) => ({
    files: { '.kube/config': kubeconfigOf({ server: tls.url }, user) },
  }),
  'certificate for another host': (world) => ({
    files: home(world, user, { server: world.misnamed.url }),
  }),
  'expired certificate': (world) => ({ files: home(world, user, { server: world.expired.url }) }),
  'refused connection': (world) => ({ files: home(world, user, { server: closedPort }) }),
  'https to an http server': (world) => ({
    files: home(world, user, { server: world.http.url.replace('http:', 'https:') }),
  }),
  'http to an https server': (world) => ({
    files: home(world, user, { server: world.tls.url.replace('https:', 'http:') }),
  }),
  'disable-compression': (world) => ({ files: home(world, user, { 'disable-compression': true }) }),
  '--disable-compression': (world) => ({
    files: home(world, user),
    options: { 'disable-compression': true },
  }),
  '--request-timeout runs out': (world) => ({
    files: home(world, user, { server: world.silent.url }),
    options: { 'request-timeout': '300ms' },
  }),
  '--request-timeout in seconds': (world) => ({
    files: home(world, user),
    options: { 'request-timeout': '30' },
  }),
  '--request-timeout 0': (world) => ({
    files: home(world, user),
    options: { 'request-timeout': '0' },
  }),
  '--request-timeout 1h0.5m': (world) => ({
    files: home(world, user),
    options: { 'request-timeout': '1h0.5m' },
  }),
  '--request-timeout 5 apples': (world) => ({
    files: home(world, user),
    options: { 'request-timeout': '5 apples' },
  }),
};
