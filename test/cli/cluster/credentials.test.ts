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

/** A plugin that counts its runs in `$HOME/runs` and prints the n-th status, or the last. */
function plugin(...statuses: readonly object[]): object {
  const apiVersion = 'client.authentication.k8s.io/v1';
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
  return { exec: { apiVersion, command: './plugin', interactiveMode: 'Never' } };
}

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

describe('an exec plugin', () => {
  test('runs once for many requests', async () => {
    const client = await connectAs(plugin({ token: 'one' }));
    await Promise.all([get(client), get(client), get(client)]);
    expect({ runs: runs(), seen: tokensSeen() }).toEqual({
      runs: 1,
      seen: ['Bearer one', 'Bearer one', 'Bearer one'],
    });
  });

  test('runs again when its credential has expired', async () => {
    const client = await connectAs(
      plugin({ token: 'old', expirationTimestamp: '2020-01-01T00:00:00Z' }, { token: 'new' }),
    );
    await get(client);
    await get(client);
    expect({ runs: runs(), seen: tokensSeen() }).toEqual({
      runs: 2,
      seen: ['Bearer new', 'Bearer new'],
    });
  });

  test('runs once more when the server refuses, however many requests were refused', async () => {
    const client = await connectAs(plugin({ token: 'revoked' }, { token: 'new' }));
    accepted = (authorization) => authorization === 'Bearer new';
    const statuses = await Promise.all([get(client), get(client), get(client)]);
    expect({ statuses, runs: runs() }).toEqual({ statuses: [200, 200, 200], runs: 2 });
  });

  test('is not tried again when the new credential is refused too', async () => {
    const client = await connectAs(plugin({ token: 'one' }, { token: 'two' }, { token: 'three' }));
    accepted = () => false;
    expect({ status: await get(client), runs: runs() }).toEqual({ status: 401, runs: 2 });
  });

  test('leaves the refusal as the answer when it fails to get another credential', async () => {
    const client = await connectAs(plugin({ token: 'one' }));
    accepted = () => false;
    expect({ status: await get(client), seen: tokensSeen() }).toEqual({
      status: 401,
      seen: ['Bearer one'],
    });
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

  test('never has its output repeated in an error', async () => {
    const broken = plugin({ token: '', clientKeyData: 'TOP-SECRET' });
    const error = await connectAs(broken).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'exec-plugin-failed',
      message: `the output of the credential plugin ${join(directory, '.kube/plugin')} has neither a token nor a certificate with its key`,
    });
  });

  /** A plugin that prints what a line of shell prints. */
  function printing(line: string): object {
    const script = `#!/bin/sh\n${line}\n`;
    writeFileSync(join(directory, '.kube/plugin'), script, { mode: 0o755 });
    const apiVersion = 'client.authentication.k8s.io/v1';
    return { exec: { apiVersion, command: './plugin', interactiveMode: 'Never' } };
  }

  test.each([
    [
      'an alias',
      "printf '*TOP-SECRET'",
      'is not an ExecCredential of client.authentication.k8s.io/v1',
    ],
    [
      'a mapping as a key',
      "printf '{? {token: TOP-SECRET} : x}'",
      'is not an ExecCredential of client.authentication.k8s.io/v1',
    ],
    [
      'another version',
      `printf '{"kind":"ExecCredential","apiVersion":"TOP-SECRET"}'`,
      'is not an ExecCredential of client.authentication.k8s.io/v1',
    ],
  ])('that prints %s is not quoted', async (_, line, fault) => {
    const error = await connectAs(printing(line)).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      code: 'exec-plugin-failed',
      exitCode: 3,
      message: `the output of the credential plugin ${join(directory, '.kube/plugin')} ${fault}`,
    });
    expect(inspect(error)).not.toContain('TOP-SECRET');
  });

  test('that prints without end is ended, with what it has started', async () => {
    await expect(connectAs(printing('cat /dev/zero; true'))).rejects.toMatchObject({
      code: 'exec-plugin-failed',
      exitCode: 3,
      message: `the credential plugin ${join(directory, '.kube/plugin')} failed: it printed more than 1 MiB`,
    });
  });

  test('that is missing comes with the hint of the kubeconfig', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'no-such-plugin',
      interactiveMode: 'Never',
      installHint: 'brew install it',
    };
    await expect(connectAs({ exec })).rejects.toMatchObject({
      code: 'exec-plugin-failed',
      message: 'the credential plugin no-such-plugin failed: the executable was not found',
      suggestions: [
        'Install it, or correct the command of the user in the kubeconfig.',
        'brew install it',
      ],
    });
  });

  test('that fails is told apart from one that is missing', async () => {
    const user = plugin();
    await expect(connectAs(user)).rejects.toMatchObject({
      code: 'exec-plugin-failed',
      message: `the credential plugin ${join(directory, '.kube/plugin')} failed: exit code 1`,
    });
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

  test('gives its id-token while that is valid', async () => {
    const token = jwt({ exp: inAMinute });
    await get(await connectWith({ 'id-token': token }));
    expect(tokensSeen()).toEqual([`Bearer ${token}`]);
  });

  test.each([
    ['has no idp-issuer-url', { 'id-token': jwt({ exp: inAMinute }), 'idp-issuer-url': '' }],
    ['has no client-id', { 'id-token': jwt({ exp: inAMinute }), 'client-id': '' }],
    ['has no id-token', {}],
    ['has an id-token that is not a JWT, or has expired', { 'id-token': 'TOP-SECRET' }],
    ['has an id-token that is not a JWT, or has expired', { 'id-token': 'a.TOP-SECRET.c' }],
    ['has an id-token that is not a JWT, or has expired', { 'id-token': jwt({}) }],
    [
      'has an id-token that is not a JWT, or has expired',
      { 'id-token': jwt({ exp: inAMinute - 59 }) },
    ],
  ])('that %s leaves the login to kubectl, and quotes no token', async (why, config) => {
    const error = await connectWith(config).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'oidc-failed',
      exitCode: 3,
      message: `the auth-provider oidc of the kubeconfig ${why}`,
    });
    expect(inspect(error)).not.toContain('TOP-SECRET');
  });
});

describe('a token file', () => {
  test('is read again when the server refuses its token', async () => {
    writeFileSync(join(directory, '.kube/token'), 'old\n');
    const client = await connectAs({ tokenFile: 'token' });
    accepted = (authorization) => authorization === 'Bearer new';
    writeFileSync(join(directory, '.kube/token'), 'new\n');
    expect({ status: await get(client), seen: tokensSeen() }).toEqual({
      status: 200,
      seen: ['Bearer old', 'Bearer new'],
    });
  });

  test('that did not change is not tried twice', async () => {
    writeFileSync(join(directory, '.kube/token'), 'old');
    const client = await connectAs({ tokenFile: 'token' });
    accepted = () => false;
    expect({ status: await get(client), seen: tokensSeen() }).toEqual({
      status: 401,
      seen: ['Bearer old'],
    });
  });
});

describe('a plain token', () => {
  test('that is refused is not sent twice', async () => {
    const client = await connectAs({ token: 'only' });
    accepted = () => false;
    expect({ status: await get(client), seen: tokensSeen() }).toEqual({
      status: 401,
      seen: ['Bearer only'],
    });
  });
});
