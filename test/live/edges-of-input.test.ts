import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startControlPlane } from '../support/control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Files, logins and servers at the edge of what people give, beside a real cluster. */
const plane = sharedControlPlane();
const namespace = 'edges-of-input';
const env = { KUBECONFIG: plane.kubeconfigPath };
const folder = temporaryFolder();
beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const name of ['one', 'two']) {
    await plane.create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
  }
  return () => plane.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
});

/** The kubeconfig of the administrator with another user, or another cluster. */
function kubeconfigWith(name: string, user: object | undefined, cluster: object = {}): string {
  const config = JSON.parse(readFileSync(plane.kubeconfigPath, 'utf8'));
  if (user) config.users[0].user = user;
  Object.assign(config.clusters[0].cluster, cluster);
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

test('a snapshot is written through no link, neither of its own name nor of a name beside it', async () => {
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'mine');
  const file = join(folder, 'cluster.json');
  symlinkSync(victim, `${file}.partial`);
  const saved = await gc(`snapshot save ${file} -n ${namespace}`, { env });
  expect([saved.code, readFileSync(victim, 'utf8')]).toEqual([0, 'mine']);
  expect(readlinkSync(`${file}.partial`)).toBe(victim);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'Snapshot' });
});

test('a snapshot replaces no file of somebody else without --force', async () => {
  const file = join(folder, 'manifest.yaml');
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n';
  writeFileSync(file, manifest);
  const refused = await gc(`snapshot save ${file} -n ${namespace}`, { env });
  expect([refused.code, refused.stdout, readFileSync(file, 'utf8')]).toEqual([2, '', manifest]);
  expect(refused.stderr).toMatch(/--force/);
  const forced = await gc(`snapshot save ${file} -n ${namespace} --force`, { env });
  expect([forced.code, readFileSync(file, 'utf8')]).toEqual([
    0,
    expect.stringMatching(/^(\{"apiVersion":"kubectl-gc|apiVersion: kubectl-gc)/),
  ]);
});

test('folders that link to each other are read once each', async () => {
  const root = join(folder, 'folders');
  const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
  for (const name of names) mkdirSync(join(root, name), { recursive: true });
  for (const from of names) {
    for (const to of names) if (from !== to) symlinkSync(join(root, to), join(root, from, to));
  }
  const { stdout } = await plane.kubectl(['get', 'cm', '-n', namespace, '-o', 'json']);
  writeFileSync(join(root, 'f3', 'maps.json'), stdout);
  const read = await gc(`snapshot info --from ${root} -o json`);
  expect([read.code, JSON.parse(read.stdout).coverage.objects]).toEqual([0, 3]);
});

test('what kubectl printed and was cut is not complete, and nothing is certain of it', async () => {
  const { stdout } = await plane.kubectl(['get', 'cm', '-n', namespace, '-o', 'yaml']);
  const cut = stdout.slice(0, stdout.lastIndexOf('kind: List'));
  const read = await gc('audit -A --from - -o json', { input: cut });
  const { coverage } = JSON.parse(read.stdout);
  expect([read.code, coverage.complete, coverage.problems.length]).toEqual([3, false, 1]);
  const whole = await gc('snapshot info --from - -o json', { input: stdout });
  expect(JSON.parse(whole.stdout).coverage).toMatchObject({ complete: true, objects: 3 });
});

test('wrong settings are named for what they are', async () => {
  const settings = join(folder, 'settings.yaml');
  writeFileSync(settings, 'terminatedPodGCThreshold: {a: 1}\n');
  const { code, stderr } = await gc(`forecast -n ${namespace} --settings ${settings}`, { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/terminatedPodGCThreshold/)]);
  expect(stderr).not.toMatch(/object Object|undefined|bug/);
});

test('a login plugin without an end is ended, and the command says so', async () => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'yes',
    args: ['x'.repeat(1000)],
    interactiveMode: 'Never',
  };
  const KUBECONFIG = kubeconfigWith('endless', { exec });
  const { code, stdout, stderr } = await gc(`audit -n ${namespace}`, { env: { KUBECONFIG } });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/yes/);
  expect(stderr.length).toBeLessThan(1000);
  expect(stderr).not.toMatch(/bug|RangeError/);
});

test.each([
  ['gcp', 'gke-gcloud-auth-plugin'],
  ['azure', 'kubelogin'],
])(
  'of the auth-provider %s, which kubectl dropped, the successor is named',
  async (name, plugin) => {
    const KUBECONFIG = kubeconfigWith(name, { 'auth-provider': { name, config: {} } });
    const { code, stderr } = await gc(`owners cm/one -n ${namespace}`, { env: { KUBECONFIG } });
    expect([code, stderr]).toEqual([
      3,
      `error: the kubeconfig's auth-provider "${name}" is not known\n  Use the exec credential plugin ${plugin}, as for kubectl since v1.26.\n`,
    ]);
  },
);

test('no variable of Node turns the verification of the server off', async () => {
  const other = { 'certificate-authority-data': undefined, server: plane.server };
  const KUBECONFIG = kubeconfigWith('unverified', undefined, other);
  const { code, stdout, stderr } = await gc(`owners cm/one -n ${namespace}`, {
    env: { KUBECONFIG, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/certificate/);
});

test('the password of an address that cannot be used is not printed', async () => {
  const KUBECONFIG = kubeconfigWith('address', undefined, {
    server: 'https://admin:s3cret@host:99999',
  });
  const { code, stdout, stderr } = await gc('orphans -A', { env: { KUBECONFIG } });
  expect([code === 0, `${stdout}${stderr}`.includes('s3cret')]).toEqual([false, false]);
});

test('a hung etcd ends a command at its limits of time', async () => {
  const own = await startControlPlane({ controllers: ['garbage-collector-controller'] });
  try {
    const maps = '/api/v1/namespaces/default/configmaps';
    await own.create(maps, { metadata: { name: 'held' } });
    const [etcd = 0] = own.pids();
    process.kill(etcd, 'SIGSTOP');
    try {
      const ownEnv = { KUBECONFIG: own.kubeconfigPath };
      const began = performance.now();
      const [deletion, question] = await Promise.all([
        gc('delete cm/held --yes --no-backup --timeout 5s --request-timeout 5s', { env: ownEnv }),
        gc('owners cm/held --request-timeout 5s', { env: ownEnv }),
      ]);
      expect((performance.now() - began) / 1000).toBeLessThan(90);
      expect([3, 4]).toContain(deletion.code);
      expect(question.code).toBe(3);
      for (const { stderr } of [deletion, question]) expect(stderr).not.toMatch(/bug/);
    } finally {
      process.kill(etcd, 'SIGCONT');
    }
  } finally {
    await own.stop();
  }
});
