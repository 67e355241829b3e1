import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClientEnvironment } from '../../../src/cluster/connection/client-environment.ts';
import type { ConnectionOptions } from '../../../src/cluster/connection/cluster-client.ts';
import { resolveConnection } from '../../../src/cluster/connection/connection-settings.ts';
import { rowsOf } from '../../support/rows.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-resolve-'));
  mkdirSync(join(directory, '.kube'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function environment(env: Record<string, string> = {}): ClientEnvironment {
  return {
    env: { HOME: directory, ...env },
    cwd: directory,
    serviceAccountDirectory: join(directory, 'pod'),
    stdinIsTerminal: false,
  };
}

function writeConfig(config: unknown): void {
  writeFileSync(join(directory, '.kube', 'config'), JSON.stringify(config));
}

const resolve = (options: ConnectionOptions = {}, env: Record<string, string> = {}) =>
  resolveConnection(options, environment(env));

const podEnv = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

function enterPod(namespace?: string): void {
  mkdirSync(join(directory, 'pod'));
  writeFileSync(join(directory, 'pod', 'token'), 'pod-token');
  writeFileSync(join(directory, 'pod', 'ca.crt'), 'pod-ca');
  if (namespace) writeFileSync(join(directory, 'pod', 'namespace'), namespace);
}

const config = {
  clusters: [{ name: 'c', cluster: { server: 'https://one.test:6443/k8s/clusters/x/' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
  'current-context': 'x',
};

describe('resolveConnection', () => {
  // What is sent, and how it fails, is held beside kubectl by test/live/kubectl-parity.test.ts.
  test.each([
    ['little', (text: Buffer) => text],
    ['big', (text: Buffer) => text.swap16()],
  ])('reads a kubeconfig in UTF-16, %s end first, as PowerShell saves it', async (_, ordered) => {
    const utf16 = Buffer.from(`\ufeff${JSON.stringify(config)}`, 'utf16le');
    writeFileSync(join(directory, '.kube', 'config'), ordered(utf16));
    expect((await resolve()).server).toBe('https://one.test:6443/k8s/clusters/x');
  });

  test('takes an extra for the user that is called as every object has it', async () => {
    writeConfig(config);
    const { impersonation } = await resolve({
      as: 'ann',
      'as-user-extra': ['constructor=a', 'constructor=b', 'toString=c'],
    });
    expect(Object.entries(impersonation['as-user-extra'])).toEqual([
      ['constructor', ['a', 'b']],
      ['toString', ['c']],
    ]);
  });

  test.each([
    [{ namespace: 'flag' }, 'flag'],
    [{}, 'team'],
    [{ context: 'bare' }, 'default'],
  ])('takes its namespace from %o', async (options, namespace) => {
    const bare = { name: 'bare', context: { cluster: 'c', user: 'u' } };
    writeConfig({ ...config, contexts: [...config.contexts, bare] });
    expect((await resolve(options)).namespace).toBe(namespace);
  });

  test.each([
    [{ namespace: '..' }, `invalid namespace "..": [may not be '..']`],
    [{ context: 'parent' }, `invalid namespace "a/..": [may not contain '/']`],
  ])('refuses an invalid namespace: %o', async (options, message) => {
    const parent = { name: 'parent', context: { cluster: 'c', user: 'u', namespace: 'a/..' } };
    writeConfig({ ...config, contexts: [...config.contexts, parent] });
    await expect(resolve(options)).rejects.toMatchObject({ exitCode: 2, message });
  });

  test('does not take the default server for a cluster that its context misspells', async () => {
    writeConfig({ ...config, clusters: [] });
    await expect(resolve()).rejects.toMatchObject({
      code: 'unknown-cluster',
      suggestions: ['The kubeconfig has no cluster; check --kubeconfig and $KUBECONFIG.'],
    });
  });

  test('lists every problem of the entries in one error', async () => {
    writeConfig({
      ...config,
      clusters: [{ name: 'c', cluster: { server: 'https://x', 'proxy-url': 'ftp://p' } }],
      users: [{ name: 'u', user: { token: 'secret', username: 'ann', 'as-uid': '1' } }],
    });
    const error = await resolve().catch((reason: Error & { code?: string }) => reason);
    const { code, message } = error as { code?: string; message?: string };
    expect(code).toBe('connection-invalid');
    expect(message?.replaceAll('; ', ';\n')).toMatchInlineSnapshot(`
      "the connection (cluster "c", user "u") cannot be used: proxy-url is not an http, https or socks5 address;
      a token and a username or password are both set, only one is allowed;
      a uid, groups or extras are to be impersonated without a user (--as)"
    `);
  });

  test('never repeats a value of the kubeconfig that has the wrong type', async () => {
    writeConfig({ ...config, users: [{ name: 'u', user: { token: 123456 } }] });
    await expect(resolve()).rejects.toMatchObject({
      code: 'kubeconfig-invalid',
      message: expect.stringMatching(/ cannot be used: users\[0\]\.user\.token .*, not a number$/),
    });
  });

  test.each([
    ['ftp://me:secret@host', 'ftp://host'],
    ['https://me:se@cret@host:99999', 'https://host:99999'],
    ['https://me:se/cret@host:99999', 'https://host:99999'],
    ['me:secret@host:99999/x', 'host:99999/x'],
    ['https:/me:secret@host:xx', 'https:/host:xx'],
    ['https://me:%zzsecret@host', 'https://host/'],
  ])('keeps passwords out of errors: %s', async (server, shown) => {
    await expect(resolve({ server })).rejects.toMatchObject({
      code: 'invalid-server',
      message: expect.stringContaining(` "${shown}" `),
    });
  });
});

describe('in a pod', () => {
  /** The namespace of its service account, if it has one; what else is set; where that leads. */
  const places = rowsOf(`
    system |            | https://10.96.0.1                    | system
    none   |            | https://10.96.0.1                    | default
    system | POD_NAMESPACE=downward KUBERNETES_SERVICE_HOST=fd00::1 | https://[fd00::1]                    | downward
    system | kubeconfig | https://one.test:6443/k8s/clusters/x | team
    no pod |            | http://localhost:8080                | default
  `);
  test.each(places)(
    'with the namespace %s and %j: %s in %s',
    async (own = '', set = '', ...told) => {
      if (own !== 'no pod') enterPod(own === 'none' ? undefined : `${own}\n`);
      if (set === 'kubeconfig') writeConfig(config);
      const env = Object.fromEntries(set.split(' ').map((one) => one.split('=')));
      const { server, namespace } = await resolve({}, { ...podEnv, ...env });
      expect([server, namespace]).toEqual(told);
    },
  );

  test('uses the service account, and prefers flags', async () => {
    enterPod('system');
    const { user, cluster } = await resolve({}, podEnv);
    expect([user?.tokenFile, cluster['certificate-authority']]).toEqual([
      join(directory, 'pod/token'),
      join(directory, 'pod/ca.crt'),
    ]);
    const flags = { token: 'flag', as: 'ann', 'as-group': ['dev'] };
    const { user: named, impersonation } = await resolve(flags, podEnv);
    expect([named?.token, named?.tokenFile]).toEqual(['flag', '']);
    const as = { as: 'ann', 'as-uid': '', 'as-groups': ['dev'], 'as-user-extra': {} };
    expect(impersonation).toMatchObject(as);
  });
});
