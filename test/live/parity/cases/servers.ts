import { authorityData, certificateData, type ParityRows } from '../kubeconfig-of.ts';

const user = { token: 'secret', as: 'ann', 'as-groups': ['dev'] };
const closedPort = 'https://127.0.0.1:1';

/** How servers are addressed, trusted and found unreachable. */
export const serverCases: ParityRows = {
  'http server: no credentials, but impersonation': ({ http }) => ({
    otherCluster: { server: http.url },
    user,
  }),
  'http server with certificates': ({ http, alice }) => ({
    cluster: { server: http.url },
    user: certificateData(alice),
  }),
  'server without a scheme': ({ http }) => ({
    otherCluster: { server: `127.0.0.1:${http.port}` },
    user,
  }),
  'server without a scheme, with a path': ({ http }) => ({
    otherCluster: { server: `127.0.0.1:${http.port}/prefix` },
  }),
  'upper-case scheme and trailing slash': ({ tls }) => ({
    cluster: { server: `${tls.url.replace('https', 'HTTPS')}/` },
    user,
  }),
  '--server over the kubeconfig': ({ tls }) => ({
    cluster: { server: closedPort },
    user,
    options: { server: tls.url },
  }),
  '--server forgets tls-server-name': ({ tls }) => ({
    cluster: { 'tls-server-name': 'wrong.test' },
    user,
    options: { server: tls.url },
  }),
  KUBERNETES_MASTER: ({ http }) => ({ env: { KUBERNETES_MASTER: http.url } }),
  'by name': ({ tls }) => ({
    cluster: { server: tls.url.replace('127.0.0.1', 'localhost') },
    user,
  }),
  'tls-server-name': { cluster: { 'tls-server-name': 'cluster.test' }, user },
  'tls-server-name that is an address': ({ tls }) => ({
    cluster: {
      server: tls.url.replace('127.0.0.1', 'localhost'),
      'tls-server-name': '127.0.0.1',
    },
    user,
  }),
  'tls-server-name that is an address of another server': {
    cluster: { 'tls-server-name': '10.9.8.8' },
    user,
  },
  '--tls-server-name': {
    cluster: { 'tls-server-name': 'cluster.test' },
    user,
    options: { 'tls-server-name': 'other.test' },
  },
  'certificate-authority, relative file': ({ tls, authority }) => ({
    otherCluster: { server: tls.url, 'certificate-authority': 'pki/ca.crt' },
    user,
    files: { '.kube/pki/ca.crt': authority.certificate },
  }),
  '--certificate-authority over data': ({ authority, otherAuthority }) => ({
    cluster: authorityData(otherAuthority),
    user,
    files: { 'ca.crt': authority.certificate },
    options: { 'certificate-authority': 'ca.crt' },
  }),
  'certificate-authority as file and data': ({ authority }) => ({
    cluster: { 'certificate-authority': 'ca.crt' },
    user,
    files: { '.kube/ca.crt': authority.certificate },
  }),
  'missing certificate-authority': ({ tls }) => ({
    otherCluster: { server: tls.url, 'certificate-authority': 'no' },
    user,
  }),
  'certificate-authority without a certificate': {
    cluster: authorityData({ certificate: 'hello' }),
    user,
  },
  'certificate-authority-data that is not base64': {
    cluster: { 'certificate-authority-data': '%%%' },
    user,
  },
  'insecure-skip-tls-verify': ({ expired }) => ({
    otherCluster: { server: expired.url, 'insecure-skip-tls-verify': true },
    user,
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
  'insecure-skip-tls-verify and an authority': {
    cluster: { 'insecure-skip-tls-verify': true },
    user,
  },
  '--insecure-skip-tls-verify over an authority': ({ otherAuthority }) => ({
    cluster: authorityData(otherAuthority),
    user,
    options: { 'insecure-skip-tls-verify': true },
  }),
  '--insecure-skip-tls-verify=false': { user, options: { 'insecure-skip-tls-verify': false } },
  'unknown authority': ({ otherAuthority }) => ({ cluster: authorityData(otherAuthority), user }),
  'no authority': ({ tls }) => ({ otherCluster: { server: tls.url }, user }),
  'certificate for another host': ({ misnamed }) => ({ cluster: { server: misnamed.url }, user }),
  'expired certificate': ({ expired }) => ({ cluster: { server: expired.url }, user }),
  'refused connection': { cluster: { server: closedPort }, user },
  'https to an http server': ({ http }) => ({
    cluster: { server: http.url.replace('http:', 'https:') },
    user,
  }),
  'http to an https server': ({ tls }) => ({
    cluster: { server: tls.url.replace('https:', 'http:') },
    user,
  }),
  'disable-compression': { cluster: { 'disable-compression': true }, user },
  '--disable-compression': { user, options: { 'disable-compression': true } },
  '--request-timeout runs out': ({ silent }) => ({
    cluster: { server: silent.url },
    user,
    options: { 'request-timeout': '300ms' },
  }),
  '--request-timeout in seconds': { user, options: { 'request-timeout': '30' } },
  '--request-timeout 0': { user, options: { 'request-timeout': '0' } },
  '--request-timeout 1h0.5m': { user, options: { 'request-timeout': '1h0.5m' } },
  '--request-timeout 5 apples': { user, options: { 'request-timeout': '5 apples' } },
};
