import type { RequestListener } from 'node:http';
import { vi } from 'vitest';
import {
  type Authority,
  type Certificate,
  certificateAuthority,
  issueCertificate,
} from '../../support/certificates.ts';
import {
  type MockServer,
  mockHttp2Server,
  mockHttpServer,
  type SeenRequest,
} from '../../support/mock-cluster.ts';
import { type MockProxy, mockHttpProxy, mockSocksProxy } from '../../support/mock-proxy.ts';

/** The servers, proxies and certificates that the cases are about. */
export interface World {
  readonly authority: Authority;
  readonly otherAuthority: Authority;
  readonly alice: Certificate;
  readonly bob: Certificate;
  /** Its certificate is for 127.0.0.1, 10.9.8.7, localhost, cluster.test and other.test. */
  readonly tls: MockServer;
  readonly http: MockServer;
  /** Its certificate is for elsewhere.test only. */
  readonly misnamed: MockServer;
  readonly expired: MockServer;
  /** Answers 401 to everything. */
  readonly unauthorized: MockServer;
  /** Never answers. */
  readonly silent: MockServer;
  readonly proxy: MockProxy;
  readonly refusingProxy: MockProxy;
  readonly socks: MockProxy;
  /** In which versions of HTTP the servers with TLS were asked. */
  readonly versions: ReadonlySet<string>;
  /** Everything the servers and proxies saw since the last call. */
  take(): Seen;
  close(): Promise<void>;
}

export interface Seen {
  readonly requests: readonly SeenRequest[];
  readonly proxied: readonly string[];
}

export async function startWorld(): Promise<World> {
  const authority = certificateAuthority('cluster-ca');
  const addresses = ['127.0.0.1', '10.9.8.7'];
  const dnsNames = ['localhost', 'cluster.test', 'other.test'];
  const issue = (subject: Parameters<typeof issueCertificate>[1]) =>
    issueCertificate(authority, subject);
  const versions = new Set<string>();
  const mockTls = (certificate: Certificate, answer?: RequestListener) =>
    mockHttp2Server(certificate, answer, (version) => versions.add(version));
  const server = issue({ commonName: 'server', addresses, dnsNames });
  const [tls, http, misnamed, expired, unauthorized, silent] = await Promise.all([
    mockTls(server),
    mockHttpServer(),
    mockTls(issue({ commonName: 'server', dnsNames: ['elsewhere.test'] })),
    mockTls(longAgo(() => issue({ commonName: 'server', addresses }))),
    mockTls(server, (_, response) => {
      response.writeHead(401).end('Unauthorized');
    }),
    mockTls(server, () => {}),
  ]);
  const [proxy, refusingProxy, socks] = await Promise.all([
    mockHttpProxy(),
    mockHttpProxy(true),
    mockSocksProxy(),
  ]);
  const servers = [tls, http, misnamed, expired, unauthorized, silent];
  const proxies = [proxy, refusingProxy, socks];
  return {
    authority,
    otherAuthority: certificateAuthority('other-ca'),
    alice: issue({ commonName: 'alice', organizations: ['dev'] }),
    bob: issue({ commonName: 'bob' }),
    tls,
    http,
    misnamed,
    expired,
    unauthorized,
    silent,
    proxy,
    refusingProxy,
    socks,
    versions,
    take: () => ({
      requests: servers.flatMap((one) => one.take()),
      proxied: proxies.flatMap((one) => one.take()),
    }),
    close: async () => {
      await Promise.all([...servers, ...proxies].map((one) => one.close()));
    },
  };
}

/** Certificates are issued for a day from now; a clock set back makes one that has expired. */
function longAgo<T>(issue: () => T): T {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2020-01-01T00:00:00Z'));
  try {
    return issue();
  } finally {
    clock.mockRestore();
  }
}
