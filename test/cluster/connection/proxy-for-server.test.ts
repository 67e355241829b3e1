import { describe, expect, test } from 'vitest';
import { proxyForServer } from '../../../src/cluster/connection/proxy-for-server.ts';
import { rowsOf } from '../../support/rows.ts';

const proxy = 'http://proxy.test:3128';
const proxied = (server: string, noProxy = '') =>
  proxyForServer(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: noProxy }) !== undefined;

describe('proxyForServer', () => {
  // Schemes, ports and loopback are held beside kubectl by test/live/kubectl-parity.test.ts.
  test.each(['me:PASS@10.0.0.1:port', 'http://me:PASS@10.0.0.1:99999', 'me:PASS@a b'])(
    'refuses %s without printing it',
    (value) => {
      const server = new URL('http://a.test');
      const refused = {
        code: 'invalid-proxy',
        exitCode: 3,
        suggestions: [
          'Its value is not shown. It should look like this: http_proxy=http://host:3128',
        ],
      };
      const use = () => proxyForServer(server, { HTTP_PROXY: '', http_proxy: value });
      expect(use).toThrow(expect.objectContaining(refused));
      expect(use).toThrowErrorMatchingInlineSnapshot(
        `[GcError: the proxy in http_proxy cannot be used: it is not an address]`,
      );
      expect(proxyForServer(server, { http_proxy: value, NO_PROXY: 'a.test' })).toBeUndefined();
      expect(proxyForServer(server, { https_proxy: value })).toBeUndefined();
    },
  );

  /** Servers without their scheme, and what NO_PROXY says of them. */
  const exempt = rowsOf(`
    a.example.com       | example.com | .example.com | *.example.com | x, example.com:443
    A.EXAMPLE.com       | Example.COM
    example.com         | example.com
    a.example.com:6443  | example.com:6443
    10.1.2.3            | 10.0.0.0/8 | 10.1.2.3
    10.1.2.3:6443       | 10.1.2.3:6443
    [fd00::1]           | fd00::/8 | fd00:0::1
    [fd00::1]:6443      | [fd00::1]:6443
    anything.test       | *
    localhost:6443      |
    LOCALHOST           |
    127.0.0.1           |
    127.8.8.8           |
    [::1]:6443          |
  `);
  const others = rowsOf(`
    example.com         | .example.com | *.example.com
    badexample.com      | example.com
    a.example.com:6443  | example.com:443
    10.1.2.3            | 10.1.2.4 | 11.0.0.0/8 | 10.0.0.0/99 | 1.2.3
    [fd00::1]           | 10.0.0.0/8
    a.test              | ,,:80
  `);
  test.each([
    ['exempt', exempt],
    ['not exempt', others],
  ])('%s by NO_PROXY', (how, rows) => {
    for (const [host, ...rules] of rows) {
      for (const rule of rules) {
        // Blanks around a rule do not count.
        const isProxied = proxied(`https://${host}`, ` ${rule} `);
        expect([host, rule, isProxied]).toEqual([host, rule, how !== 'exempt']);
      }
    }
  });
});
