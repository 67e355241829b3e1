import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gcHere } from '../support/run-here.ts';

/** A secret in each place that takes one: a real API server, and nothing that is printed or written says it. */
let plane: ControlPlane;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-planted-'));
const hidden = 'planted-Zr4-nowhere-to-be-seen';
const token = 'planted-token-Zr4-of-the-administrator';
const encodings = [hidden, token].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(`jane:${secret}`).toString('base64').replace(/=+$/, ''),
]);

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: [],
    tokens: [{ token, user: 'planted', groups: ['system:masters'] }],
  });
  await plane.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await plane.create('/api/v1/namespaces/shop/configmaps', {
    metadata: {
      name: 'left',
      finalizers: ['example.com/wait'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-gone' }],
    },
  });
});
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

/** The administrator's kubeconfig with these fields of its user and cluster. */
function enter(user: object, cluster: object = {}): string {
  const path = join(folder, 'kubeconfig');
  const server = { server: plane.server, 'insecure-skip-tls-verify': true };
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'here' } }],
    clusters: [{ name: 'here', cluster: { ...server, ...cluster } }],
    users: [{ name: 'here', user }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const exec = (script: string) => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', script],
    env: [{ name: 'PLANTED', value: token }],
    interactiveMode: 'Never',
  },
});
const credential = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$PLANTED'"}}`;
const config = { 'client-secret': hidden, 'id-token': hidden, 'refresh-token': hidden };
const keyData = Buffer.from(hidden).toString('base64');

/** Whether the server, or we, take the login, what says it, and the flags that it needs. */
const logins: Readonly<Record<string, [boolean, user: object, cluster?: object, flags?: string]>> =
  {
    'a token in the kubeconfig': [true, { token }],
    '--token': [true, {}, {}, `--token=${token}`],
    'a plugin with the token in its environment': [true, exec(`echo '${credential}'`)],
    'a plugin that fails': [false, exec('echo no >&2; exit 1')],
    'basic authentication': [false, { username: 'jane', password: hidden }],
    '--password': [false, {}, {}, `--username=jane --password=${hidden}`],
    'key data that is none': [
      false,
      { 'client-certificate-data': keyData, 'client-key-data': keyData },
    ],
    'the password of a proxy': [
      false,
      { token },
      { 'proxy-url': `http://jane:${hidden}@127.0.0.1:1` },
    ],
    'an auth-provider': [false, { 'auth-provider': { name: 'gcp', config } }],
  };

const commands = [
  'invalid-ownerrefs -A',
  'why -A',
  'audit -A -o json --fail-on never',
  'settings',
  'delete configmap/left -n shop --preview',
  `delete configmap/left -n shop --plan ${join(folder, 'plan.json')}`,
  `snapshot save ${join(folder, 'saved')} --force`,
];

test.each(Object.keys(logins))('nothing says the secret: %s', async (name) => {
  const [isTaken, user, cluster, flags = ''] = logins[name] ?? [false, {}];
  const environment = { NO_COLOR: '1', KUBECONFIG: enter(user, cluster) };
  for (const command of commands) {
    const { code, stdout, stderr } = await gcHere(`${command} ${flags} -v=9`.trim(), environment);
    // This server does not know basic authentication: who asks is anonymous, for whom default settings are shown.
    if (isTaken || command !== 'settings') {
      expect([command, code === 0], stderr).toEqual([command, isTaken]);
    }
    for (const encoded of encodings) expect(stdout + stderr).not.toContain(encoded);
  }
  for (const file of readdirSync(folder).filter((one) => one !== 'kubeconfig')) {
    const written = readFileSync(join(folder, file), 'latin1');
    for (const encoded of encodings) expect(written).not.toContain(encoded);
  }
});
