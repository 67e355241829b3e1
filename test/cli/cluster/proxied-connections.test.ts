import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

test.each(['http', 'socks5'])(
  'opens one tunnel over %s for request after request',
  async (scheme) => {
    const proxy = proxies[scheme];
    const env = { ...nowhere.env, HTTPS_PROXY: `${scheme}://127.0.0.1:${proxy?.port}` };
    const client = await connect(
      {
        server: `https://cluster.test:${server.port}`,
        'insecure-skip-tls-verify': true,
        token: 't',
      },
      { ...nowhere, env },
    );
    for (let count = 0; count < 3; count++) {
      const { body } = await client.request({ path: '/version' });
      for await (const chunk of body) chunk.length;
    }
    client.close();
    expect({ requests: server.take().length, tunnels: proxy?.take().length }).toEqual({
      requests: 3,
      tunnels: 1,
    });
  },
);

test.each(['no proxy', 'http', 'socks5'])(
  'verifies the server through %s although NODE_TLS_REJECT_UNAUTHORIZED is 0, as kubectl does',
  async (scheme) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const port = proxies[scheme]?.port;
    const env = {
      ...nowhere.env,
      ...(port !== undefined && { HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` }),
    };
    const host = port === undefined ? '127.0.0.1' : 'cluster.test';
    const client = await connect(
      {
        server: `https://${host}:${server.port}`,
        token: 'secret',
      },
      { ...nowhere, env },
    );
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
    const port = proxies[scheme]?.port;
    const proxy = port === undefined ? {} : { HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` };
    const client = await connect(
      {
        server: `https://${host}:${named.port}`,
        'certificate-authority': join(directory, 'ca.crt'),
        token: 'secret',
        'tls-server-name': tlsServerName,
      },
      { ...nowhere, env: { ...nowhere.env, ...proxy } },
    );
    try {
      const answers = [false, true].map((isLarge) => client.request({ path: '/version', isLarge }));
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
    'as --tls-server-name goes before the address of the server through %s, and is not sent',
    async (scheme) => {
      const host = scheme === 'no proxy' ? '127.0.0.1' : 'cluster.test';
      named.take();
      expect(await versionFrom(scheme, host, address)).toEqual([200, 200]);
      expect(named.take().map(({ serverName }) => serverName)).toEqual([false, false]);
      await expect(versionFrom(scheme, host, '10.9.8.8')).rejects.toMatchObject({
        code: 'tls-hostname-mismatch',
      });
    },
  );
});
