import type { ParityRow, ParityRows } from '../kubeconfig-of.ts';
import type { World } from '../parity-world.ts';

const user = { token: 't' };
const closedPort = 'http://127.0.0.1:1';

/** A cluster that only the proxies know the way to. */
const behindProxy = ({ tls }: World, cluster: ParityRow['cluster'] = {}) => ({
  user,
  cluster: { server: `https://cluster.test:${tls.port}`, ...cluster },
});

const http = ({ proxy }: World) => `http://127.0.0.1:${proxy.port}`;
const socks = ({ socks: { port } }: World) => `socks5://127.0.0.1:${port}`;

/** proxy-url and the environment's proxies. */
export const proxyCases: ParityRows = {
  HTTPS_PROXY: (world) => ({ ...behindProxy(world), env: { HTTPS_PROXY: http(world) } }),
  'https_proxy without a scheme': (world) => ({
    ...behindProxy(world),
    env: { https_proxy: `127.0.0.1:${world.proxy.port}` },
  }),
  'HTTPS_PROXY before https_proxy': (world) => ({
    ...behindProxy(world),
    env: { HTTPS_PROXY: http(world), https_proxy: closedPort },
  }),
  'HTTPS_PROXY with a password': (world) => ({
    ...behindProxy(world),
    env: { HTTPS_PROXY: http(world).replace('//', '//me:s%40cret@') },
  }),
  'HTTP_PROXY is not for https': { user, env: { HTTP_PROXY: closedPort } },
  'HTTP_PROXY for http': (world) => ({
    otherCluster: { server: `http://cluster.test:${world.http.port}` },
    env: { HTTP_PROXY: http(world) },
  }),
  'loopback goes past the proxy': { user, env: { HTTPS_PROXY: closedPort } },
  'localhost goes past the proxy': ({ tls }) => ({
    user,
    cluster: { server: tls.url.replace('127.0.0.1', 'localhost') },
    env: { HTTPS_PROXY: closedPort },
  }),
  'NO_PROXY for something else': (world) => ({
    ...behindProxy(world),
    env: {
      HTTPS_PROXY: http(world),
      NO_PROXY: 'luster.test,.cluster.test,10.0.0.0/8,cluster.test:1',
    },
  }),
  'NO_PROXY for its domain': (world) => ({
    ...behindProxy(world, { server: `https://cluster.invalid:${world.tls.port}` }),
    env: { HTTPS_PROXY: http(world), NO_PROXY: 'example.com, .INVALID' },
  }),
  'NO_PROXY=*': (world) => ({
    ...behindProxy(world, { server: `https://cluster.invalid:${world.tls.port}` }),
    env: { HTTPS_PROXY: http(world), no_proxy: '*' },
  }),
  'proxy-url': (world) => behindProxy(world, { 'proxy-url': http(world) }),
  'proxy-url also for loopback, whatever NO_PROXY': (world) => ({
    user,
    cluster: { 'proxy-url': http(world) },
    env: { NO_PROXY: '*', HTTPS_PROXY: closedPort },
  }),
  'proxy-url for http': (world) => ({
    otherCluster: {
      server: `http://cluster.test:${world.http.port}`,
      'proxy-url': http(world),
    },
  }),
  'proxy-url over SOCKS': (world) => behindProxy(world, { 'proxy-url': socks(world) }),
  'server by its address over SOCKS': (world) => ({
    user,
    cluster: { server: `https://10.9.8.7:${world.tls.port}`, 'proxy-url': socks(world) },
  }),
  'server by an address of another server over SOCKS': (world) => ({
    user,
    cluster: { server: `https://10.9.8.8:${world.tls.port}`, 'proxy-url': socks(world) },
  }),
  'tls-server-name that is an address over a proxy': (world) =>
    behindProxy(world, { 'proxy-url': http(world), 'tls-server-name': '10.9.8.7' }),
  'HTTPS_PROXY over SOCKS': (world) => ({
    ...behindProxy(world),
    env: { HTTPS_PROXY: socks(world) },
  }),
  'SOCKS for http': (world) => ({
    otherCluster: {
      server: `http://cluster.test:${world.http.port}`,
      'proxy-url': socks(world),
    },
  }),
  'proxy-url of another scheme': (world) => behindProxy(world, { 'proxy-url': 'ftp://127.0.0.1' }),
  'proxy that refuses': (world) =>
    behindProxy(world, { 'proxy-url': `http://127.0.0.1:${world.refusingProxy.port}` }),
};
