import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ConnectionOptions } from '../../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../../src/cluster/connection/connect.ts';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';
import { type MockServer, mockTlsServer } from '../../support/mock-cluster.ts';
import { type MockProxy, mockHttpProxy, mockSocksProxy } from '../../support/mock-proxy.ts';
import { nowhere } from '../../support/nowhere.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let server: MockServer;
let proxies: Readonly<Record<string, MockProxy>>;
beforeAll(async () => {
  const authority = certificateAuthority('ca');
  server = await mockTlsServer(issueCertificate(authority, { commonName: 'server' }));
  proxies = { http: await mockHttpProxy(), socks5: await mockSocksProxy() };
});
afterAll(() => Promise.all([server, ...Object.values(proxies)].map((one) => one.close())));

/** A client that asks over that kind of proxy, or over none. */
function connectOver(scheme: string, server: string, more: ConnectionOptions = {}) {
  const port = proxies[scheme]?.port;
  const proxy = port === undefined ? {} : { HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` };
  const environment = { ...nowhere, env: { ...nowhere.env, ...proxy } };
  return connect({ server, token: 'secret', ...more }, environment);
}

/** By this name every proxy leads to this machine. */
const hostFor = (scheme: string) => (scheme === 'no proxy' ? '127.0.0.1' : 'cluster.test');

test.each(['http', 'socks5'])('opens one tunnel for many requests over %s', async (scheme) => {
  const address = `https://cluster.test:${server.port}`;
  const client = await connectOver(scheme, address, { 'insecure-skip-tls-verify': true });
  for (let count = 0; count < 3; count++) {
    const { body } = await client.request({ path: '/version' });
    for await (const chunk of body) chunk.length;
  }
  client.close();
  expect([server.take().length, proxies[scheme]?.take().length]).toEqual([3, 1]);
});

test.each(['no proxy', 'http', 'socks5'])(
  'verifies the server through %s although NODE_TLS_REJECT_UNAUTHORIZED is 0, as kubectl does',
  async (scheme) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const client = await connectOver(scheme, `https://${hostFor(scheme)}:${server.port}`);
    const answer = client.request({ path: '/version' });
    await expect(answer).rejects.toMatchObject({ code: 'tls-unknown-authority' });
    client.close();
    vi.unstubAllEnvs();
    expect(server.take()).toEqual([]);
  },
);

describe('an IP address', () => {
  const address = '10.9.8.7';
  let named: MockServer;
  const directory = temporaryFolder();
  beforeAll(async () => {
    const authority = certificateAuthority('ca');
    named = await mockTlsServer(
      issueCertificate(authority, { commonName: 'server', addresses: [address] }),
    );
    writeFileSync(join(directory, 'ca.crt'), authority.certificate);
  });
  afterAll(() => named.close());

  async function versionFrom(scheme: string, host: string, tlsServerName?: string) {
    const client = await connectOver(scheme, `https://${host}:${named.port}`, {
      'certificate-authority': join(directory, 'ca.crt'),
      'tls-server-name': tlsServerName,
    });
    try {
      const answers = [false, true].map((prefersHttp2) =>
        client.request({ path: '/version', prefersHttp2 }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    } finally {
      client.close();
    }
  }

  test.each(['http', 'socks5'])('of the server is held against it through %s', async (scheme) => {
    expect(await versionFrom(scheme, address)).toEqual([200, 200]);
    await expect(versionFrom(scheme, '10.9.8.8')).rejects.toMatchObject({
      code: 'tls-hostname-mismatch',
    });
  });

  test.each(['no proxy', 'http', 'socks5'])(
    'is that of --tls-server-name through %s, which is not sent',
    async (scheme) => {
      const host = hostFor(scheme);
      named.take();
      expect(await versionFrom(scheme, host, address)).toEqual([200, 200]);
      expect(named.take().map(({ serverName }) => serverName)).toEqual([false, false]);
      await expect(versionFrom(scheme, host, '10.9.8.8')).rejects.toMatchObject({
        code: 'tls-hostname-mismatch',
      });
    },
  );
});
