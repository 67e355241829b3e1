import { home, kubeconfigOf } from '../kubeconfig-of.ts';
import type { ParityCases, World } from '../parity-world.ts';

/** A cluster that only the proxies know the way to. */
const behindProxy = (world: World, cluster: Record<string, unknown> = {}) =>
  home(world, { token: 't' }, { server: `https://cluster.test:${world.tls.port}`, ...cluster });

const http = ({ proxy }: World) => `http://127.0.0.1:${proxy.port}`;

/** proxy-url and the environment's proxies. */
export const proxyCases: ParityCases = {
  HTTPS_PROXY: (world) => ({ files: behindProxy(world), env: { HTTPS_PROXY: http(world) } }),
  'https_proxy without a scheme': (world) => ({
    files: behindProxy(world),
    env: { https_proxy: `127.0.0.1:${world.proxy.port}` },
  }),
  'HTTPS_PROXY before https_proxy': (world) => ({
    files: behindProxy(world),
    env: { HTTPS_PROXY: http(world), https_proxy: 'http://127.0.0.1:1' },
  }),
  'HTTPS_PROXY with a password': (world) => ({
    files: behindProxy(world),
    env: { HTTPS_PROXY: http(world).replace('//', '//me:s%40cret@') },
  }),
  'HTTP_PROXY is not for https': (world) => ({
    files: home(world, { token: 't' }),
    env: { HTTP_PROXY: 'http://127.0.0.1:1' },
  }),
  'HTTP_PROXY for http': (world) => ({
    files: { '.kube/config': kubeconfigOf({ server: `http://cluster.test:${world.http.port}` }) },
    env: { HTTP_PROXY: http(world) },
  }),
  'loopback goes past the proxy': (world) => ({
    files: home(world, { token: 't' }),
    env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
  }),
  'localhost goes past the proxy': (world) => ({
    files: home(world, { token: 't' }, { server: world.tls.url.replace('127.0.0.1', 'localhost') }),
    env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
  }),
  'NO_PROXY for something else': (world) => ({
    files: behindProxy(world),
    env: {
      HTTPS_PROXY: http(world),
      NO_PROXY: 'luster.test,.cluster.test,10.0.0.0/8,cluster.test:1',
    },
  }),
  'NO_PROXY for its domain': (world) => ({
    files: behindProxy(world, { server: `https://cluster.invalid:${world.tls.port}` }),
    env: { HTTPS_PROXY: http(world), NO_PROXY: 'example.com, .INVALID' },
  }),
  'NO_PROXY=*': (world) => ({
    files: behindProxy(world, { server: `https://cluster.invalid:${world.tls.port}` }),
    env: { HTTPS_PROXY: http(world), no_proxy: '*' },
  }),
  'proxy-url': (world) => ({ files: behindProxy(world, { 'proxy-url': http(world) }) }),
  'proxy-url also for loopback, whatever NO_PROXY': (world) => ({
    files: home(world, { token: 't' }, { 'proxy-url': http(world) }),
    env: { NO_PROXY: '*', HTTPS_PROXY: 'http://127.0.0.1:1' },
  }),
  'proxy-url for http': (world) => ({
    files: {
      '.kube/config': kubeconfigOf({
        server: `http://cluster.test:${world.http.port}`,
        'proxy-url': http(world),
      }),
    },
  }),
  'proxy-url over SOCKS': (world) => ({
    files: behindProxy(world, { 'proxy-url': `socks5://127.0.0.1:${world.socks.port}` }),
  }),
  'server by its address over SOCKS': (world) => ({
    files: behindProxy(world, {
      server: `https://10.9.8.7:${world.tls.port}`,
      'proxy-url': `socks5://127.0.0.1:${world.socks.port}`,
    }),
  }),
  'server by an address of another server over SOCKS': (world) => ({
    files: behindProxy(world, {
      server: `https://10.9.8.8:${world.tls.port}`,
      'proxy-url': `socks5://127.0.0.1:${world.socks.port}`,
    }),
  }),
  'tls-server-name that is an address over a proxy': (world) => ({
    files: behindProxy(world, { 'proxy-url': http(world), 'tls-server-name': '10.9.8.7' }),
  }),
  'HTTPS_PROXY over SOCKS': (world) => ({
    files: behindProxy(world),
    env: { HTTPS_PROXY: `socks5://127.0.0.1:${world.socks.port}` },
  }),
  'SOCKS for http': (world) => ({
    files: {
      '.kube/config': kubeconfigOf({
        server: `http://cluster.test:${world.http.port}`,
        'proxy-url': `socks5://127.0.0.1:${world.socks.port}`,
      }),
    },
  }),
  'proxy-url of another scheme': (world) => ({
    files: behindProxy(world, { 'proxy-url': 'ftp://127.0.0.1' }),
  }),
  'proxy that refuses': (world) => ({
    files: behindProxy(world, { 'proxy-url': `http://127.0.0.1:${world.refusingProxy.port}` }),
  }),
};
