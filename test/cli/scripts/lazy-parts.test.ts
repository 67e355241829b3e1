import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';
import { root } from '../../support/command-line.ts';
import { type MockServer, mockTlsServer } from '../../support/mock-cluster.ts';
import { mockSocksProxy } from '../../support/mock-proxy.ts';
import { gc } from '../../support/run-gc.ts';

/** What the built command line loads on first use: its own chunks, and packages that stand behind stand-ins. */
const chunks = join(root, 'dist', 'chunks');
const names = readdirSync(chunks);
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-lazy-'));
let server: MockServer;
beforeAll(async () => {
  server = await mockTlsServer(
    issueCertificate(certificateAuthority('ca'), { commonName: 'server' }),
  );
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('every chunk of the bundle loads by itself, and no export is missing', () => {
  const load = `
    const [folder, ...names] = process.argv.slice(1);
    const missing = names.flatMap((name) => {
      const exported = require(folder + '/' + name);
      return Object.keys(exported).filter((key) => exported[key] === undefined).map((key) => name + ' ' + key);
    });
    console.log(JSON.stringify({ loaded: names.length, missing }));`;
  const output = execFileSync(process.execPath, ['-e', load, chunks, ...names], {
    encoding: 'utf8',
  });
  expect(JSON.parse(output.split('\n').at(-2) ?? '')).toEqual({
    loaded: names.length,
    missing: [],
  });
});

/** Stand-ins as `lazy-dependencies.mjs` writes them: the package, and what the bundle uses of it. */
function standIns(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const text = readFileSync(join(chunks, name), 'utf8');
    const pieces = text.split(/\(__filename\)\(/).slice(1);
    for (const piece of pieces) {
      const [, specifier = ''] = /^["'`]([^"'`]+)/.exec(piece) ?? [];
      const used = piece.matchAll(/\(\(\)=>\$load(?:\$\d+)?\(\)\.(\w+)\)/g);
      found.set(specifier, Array.from(used, ([, key = '']) => key).sort());
    }
  }
  return found;
}

/** A symbol cannot be stood in for; only client-node's own oidc uses it, of which ours takes the place. */
const noFunctions = ['openid-client customFetch'];

test('every stand-in of the bundle stands for a function or class of an installed package', async () => {
  const found = standIns();
  expect([...found.keys()].sort()).toEqual([
    'hpagent',
    'js-yaml',
    'jsonpath-plus',
    'openid-client',
    'socks',
    'socks-proxy-agent',
    'undici',
  ]);
  const wrong: string[] = [];
  for (const [name, used] of found) {
    const real = await import(name);
    expect([name, used.length > 0]).toEqual([name, true]);
    wrong.push(
      ...used.filter((key) => typeof real[key] !== 'function').map((key) => `${name} ${key}`),
    );
  }
  expect(wrong).toEqual(noFunctions);
});

function kubeconfig(user: object, cluster: object = {}): string {
  const path = join(folder, `config-${Math.random()}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'here',
        cluster: { server: server.url, 'insecure-skip-tls-verify': true, ...cluster },
      },
    ],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'both', context: { cluster: 'here', user: 'me' } }],
    'current-context': 'both',
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

test.each(['gcp', 'azure'])('the auth-provider %s works in the bundle', async (name) => {
  const answer = join(folder, `${name}.json`);
  writeFileSync(answer, '{"credential":{"token":"fresh","expiry":"2200-01-01T00:00:00Z"}}');
  const config = {
    'cmd-path': '/bin/cat',
    'cmd-args': answer,
    'token-key': '{.credential.token}',
    'expiry-key': '{.credential.expiry}',
    ...(name === 'azure' && { 'access-token': 'old', 'expires-on': '0' }),
  };
  const path = kubeconfig({ 'auth-provider': { name, config } });
  server.take();
  const { stderr } = await gc('orphans', { env: { KUBECONFIG: path } });
  const [first] = server.take();
  // Both are asked for at once.
  const [told = ''] = stderr.split('\n', 1);
  expect([[told.replace('/apis:', '/api:')], first?.authorization]).toEqual([
    [
      `error: the server at ${server.url} does not answer as a Kubernetes API server: /api: the answer is no list of APIs`,
    ],
    'Bearer fresh',
  ]);
});

test('a SOCKS proxy works in the bundle', async () => {
  const proxy = await mockSocksProxy();
  const path = kubeconfig(
    { token: 't' },
    {
      server: `https://cluster.test:${server.port}`,
      'proxy-url': `socks5://127.0.0.1:${proxy.port}`,
    },
  );
  server.take();
  await gc('orphans', { env: { KUBECONFIG: path } });
  const [first] = server.take();
  expect([first?.authorization, proxy.take()[0]]).toEqual([
    'Bearer t',
    `SOCKS cluster.test:${server.port}`,
  ]);
  await proxy.close();
});
