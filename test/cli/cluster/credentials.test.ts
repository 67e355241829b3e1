import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClientEnvironment } from '../../../src/cluster/connection/client-environment.ts';
import type { ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../../src/cluster/connection/connect.ts';
import { resolveConnection } from '../../../src/cluster/connection/connection-settings.ts';
import { openLogin } from '../../../src/cluster/connection/login.ts';
import {
  type Authority,
  certificateAuthority,
  issueCertificate,
} from '../../support/certificates.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { type MockServer, mockTlsServer } from '../../support/mock-cluster.ts';
import { rowsOf } from '../../support/rows.ts';

const authority: Authority = certificateAuthority('ca');
/** What the server lets in; everything else is a 401. */
let accepted: (authorization: string | undefined) => boolean = () => true;
let server: MockServer;
let directory: string;
let client: ClusterClient | undefined;

beforeAll(async () => {
  const certificate = issueCertificate(authority, { commonName: 's', addresses: ['127.0.0.1'] });
  server = await mockTlsServer(certificate, (request, response) => {
    response.statusCode = accepted(request.headers.authorization) ? 200 : 401;
    response.end('{}');
  });
});
afterAll(() => server.close());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-credentials-'));
  mkdirSync(join(directory, '.kube'));
  accepted = () => true;
  server.take();
});
afterEach(() => {
  client?.close();
  rmSync(directory, { recursive: true });
});

async function connectAs(
  user: object,
  asking: Partial<ClientEnvironment> = {},
): Promise<ClusterClient> {
  client = await connect({}, environmentOf(user, asking));
  return client;
}

/** An environment whose kubeconfig names the server and this user. */
function environmentOf(user: object, asking: Partial<ClientEnvironment> = {}): ClientEnvironment {
  const cluster = {
    server: server.url,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  };
  writeKubeconfig(join(directory, '.kube/config'), cluster, user);
  return {
    env: { HOME: directory, PATH: process.env.PATH },
    cwd: directory,
    serviceAccountDirectory: join(directory, 'pod'),
    stdinIsTerminal: false,
    ...asking,
  };
}

const apiVersion = 'client.authentication.k8s.io/v1';

/** A plugin that counts its runs in `$HOME/runs` and prints the n-th status, or the last. */
function plugin(...statuses: readonly object[]): object {
  statuses.forEach((status, index) => {
    const credential = { apiVersion, kind: 'ExecCredential', status };
    writeFileSync(join(directory, `credential-${index + 1}`), JSON.stringify(credential));
  });
  const script = `#!/bin/sh
echo run >> "$HOME/runs"
n=$(grep -c run "$HOME/runs")
[ "$n" -gt ${statuses.length} ] && exit 1
cat "$HOME/credential-$n"`;
  writeFileSync(join(directory, '.kube/plugin'), script, { mode: 0o755 });
  return execOf('./plugin');
}

/** A user of the kubeconfig who logs in by that program. */
const execOf = (command: string, installHint?: string) => ({
  exec: { apiVersion, command, interactiveMode: 'Never', ...(installHint && { installHint }) },
});

const runs = () => readFileSync(join(directory, 'runs'), 'utf8').split('run').length - 1;
const tokensSeen = () => server.take().map(({ authorization }) => authorization);

function certificateOf(commonName: string) {
  const { certificate, key } = issueCertificate(authority, { commonName });
  return { clientCertificateData: certificate, clientKeyData: key };
}

async function get(from: ClusterClient): Promise<number> {
  const { status, body } = await from.request({ path: '/version' });
  for await (const chunk of body) chunk.length;
  return status;
}

const attempts = rowsOf(`
  runs once for many requests                    | one           | any  | 3 | 200 200 200 | 1 | one one one
  runs again when its credential has expired     | old! new      | any  | 2 | 200 200     | 2 | new new
  runs once more when the server refuses         | revoked new   | new  | 1 | 200         | 2 | revoked new
  is not tried again when the new is refused too | one two three | none | 1 | 401         | 2 | one two
  leaves the refusal as the answer when it fails | one           | none | 1 | 401         | 2 | one
`);

describe('an exec plugin', () => {
  /** What it prints in turn (! has expired), whom the server takes; the requests, and what came of them. */
  test.each(attempts)('%s', async (_, prints = '', taken, requests, statuses, ran, tokens = '') => {
    const expirationTimestamp = '2020-01-01T00:00:00Z';
    const printed = prints.split(' ').map((token) => ({
      token: token.replace('!', ''),
      ...(token.endsWith('!') && { expirationTimestamp }),
    }));
    const client = await connectAs(plugin(...printed));
    accepted = (authorization) => taken === 'any' || authorization === `Bearer ${taken}`;
    const seen: number[] = [];
    for (let count = 0; count < Number(requests); count++) seen.push(await get(client));
    expect([seen.join(' '), runs(), tokensSeen()]).toEqual([
      statuses,
      Number(ran),
      tokens.split(' ').map((token) => `Bearer ${token}`),
    ]);
  });

  test('runs once for requests that need it or are refused at the same time', async () => {
    const client = await connectAs(plugin({ token: 'revoked' }, { token: 'new' }));
    await Promise.all([get(client), get(client), get(client)]);
    expect(runs()).toBe(1);
    accepted = (authorization) => authorization === 'Bearer new';
    const statuses = await Promise.all([get(client), get(client), get(client)]);
    expect({ statuses, runs: runs() }).toEqual({ statuses: [200, 200, 200], runs: 2 });
  });

  test('gets new connections for a new certificate', async () => {
    const [alice, bob] = ['alice', 'bob'].map(certificateOf);
    const client = await connectAs(plugin({ ...alice, token: 'one' }, { ...bob, token: 'two' }));
    accepted = (authorization) => authorization === 'Bearer two';
    await get(client);
    expect(server.take().map((seen) => seen.clientCertificate)).toEqual(['alice', 'bob']);
  });

  test('gets them once for all requests that need them at the same time', async () => {
    const [alice, bob] = ['alice', 'bob'].map(certificateOf);
    const expirationTimestamp = '2020-01-01T00:00:00Z';
    const environment = environmentOf(plugin({ ...alice, expirationTimestamp }, { ...bob }));
    const login = await openLogin(await resolveConnection({}, environment), environment);
    const [one, other] = await Promise.all([login.current(), login.current()]);
    login.close();
    expect(one.agent).toBe(other.agent);
    expect(runs()).toBe(2);
  });

  /** A plugin that prints what a line of shell prints. */
  function printing(line: string): object {
    const script = `#!/bin/sh\n${line}\n`;
    writeFileSync(join(directory, '.kube/plugin'), script, { mode: 0o755 });
    return execOf('./plugin');
  }

  const noCredential = /^the output of .* PLUGIN is not an ExecCredential of .*\/v1$/;
  const halfOne = /^the output of .* PLUGIN has neither a token nor a certificate/;
  const unversioned = `printf '{"kind":"ExecCredential","apiVersion":"TOP-SECRET"}'`;

  test.each<[string, () => object, RegExp, unknown[]?]>([
    ['with half a credential', () => plugin({ token: '', clientKeyData: 'TOP-SECRET' }), halfOne],
    ['that prints an alias', () => printing("printf '*TOP-SECRET'"), noCredential],
    ['with a mapping key', () => printing("printf '{? {token: TOP-SECRET} : x}'"), noCredential],
    ['that prints another version', () => printing(unversioned), noCredential],
    [
      'that prints without end',
      () => printing('cat /dev/zero; true'),
      /PLUGIN failed: .* more than 1 MiB$/,
    ],
    ['that exits with 1', () => plugin(), /PLUGIN failed: exit code 1$/],
    [
      'that is missing, with the installHint of the kubeconfig',
      () => execOf('no-such-plugin', 'brew install it'),
      / no-such-plugin failed: .* not found$/,
      [expect.anything(), 'brew install it'],
    ],
  ])('%s is never quoted', async (_, user, message, suggestions) => {
    const error = await connectAs(user()).catch((reason: unknown) => reason);
    const path = join(directory, '.kube/plugin');
    expect(error).toMatchObject({
      ...{ code: 'exec-plugin-failed', exitCode: 3 },
      message: expect.stringMatching(message.source.replace('PLUGIN', path)),
      ...(suggestions && { suggestions }),
    });
    expect(inspect(error)).not.toContain('TOP-SECRET');
  });
});

describe('an oidc auth-provider', () => {
  const jwt = (claims: object) =>
    `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
  const inAMinute = Math.floor(Date.now() / 1000) + 60;
  const connectWith = (config: object) => {
    const named = { 'client-id': 'gc', 'idp-issuer-url': 'https://issuer.invalid' };
    const known = { ...named, 'refresh-token': 'TOP-SECRET', ...config };
    return connectAs({ 'auth-provider': { name: 'oidc', config: known } });
  };

  const valid = { 'id-token': jwt({ exp: inAMinute }) };
  const unusable = ['TOP-SECRET', 'a.TOP-SECRET.c', jwt({}), jwt({ exp: inAMinute - 59 })];
  // A valid one is held beside kubectl by test/live/kubectl-parity.test.ts.
  test.each<[string, object]>([
    ['has no idp-issuer-url', { ...valid, 'idp-issuer-url': '' }],
    ['has no client-id', { ...valid, 'client-id': '' }],
    ['has no id-token', {}],
    ...unusable.map((token): [string, object] => [
      'has an id-token that is',
      { 'id-token': token },
    ]),
  ])('that %s fails, and quotes no token', async (why, config) => {
    const error = await connectWith(config).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'oidc-failed',
      exitCode: 3,
      message: expect.stringContaining(`auth-provider oidc of the kubeconfig ${why}`),
    });
    expect(inspect(error)).not.toContain('TOP-SECRET');
  });
});

test.each(
  rowsOf(`
    a token file is read again when the server refuses its token | old  | new | 200 | old new
    a token file that did not change is not tried twice | old  | old | 401 | old
    a plain token that is refused is not sent twice     | only |     | 401 | only
  `),
)('%s', async (_, token = '', later, status, tokens = '') => {
  const path = join(directory, '.kube/token');
  writeFileSync(path, `${token}\n`);
  const client = await connectAs(later ? { tokenFile: 'token' } : { token });
  accepted = (authorization) => authorization === 'Bearer new';
  if (later) writeFileSync(path, `${later}\n`);
  expect([await get(client), tokensSeen()]).toEqual([
    Number(status),
    tokens.split(' ').map((one) => `Bearer ${one}`),
  ]);
});
