import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, kubeconfig } from '../support/cluster.ts';
import { root } from '../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { bareEnvironment, bin, gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** Two real API servers, the second behind a proxy, so that it can hang; in the end it goes away. */
const first = sharedControlPlane();
let second: ControlPlane;
let proxy: TestProxy;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-fleets-'));
const KUBECONFIG = join(folder, 'kubeconfig.json');
const namespace = 'fleets';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

beforeAll(async () => {
  second = await startControlPlane({ controllers: 'none' });
  proxy = await startProxy(second);
  writeFileSync(KUBECONFIG, JSON.stringify(configOfBoth()));
  await Promise.all([first, second].map(plant));
});
afterEach(() => {
  proxy.before = () => undefined;
});
afterAll(async () => {
  await first.patch(`${configMaps}/held`, { metadata: { finalizers: null } });
  await first.request(`${roles}/fleets`, { method: 'DELETE' });
  await first.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
  first.disconnect();
  await proxy.close();
  await second.stop();
  rmSync(folder, { recursive: true });
});

/** Contexts `first` and `second`; `empty` names no cluster. */
function configOfBoth() {
  const config = JSON.parse(kubeconfig(first, { token: first.adminToken }));
  const [{ cluster }, user] = [config.clusters[0], config.users[0].name];
  return {
    ...config,
    clusters: [
      { name: 'first', cluster },
      { name: 'second', cluster: { server: proxy.address } },
    ],
    contexts: [
      { name: 'first', context: { cluster: 'first', user } },
      { name: 'second', context: { cluster: 'second', user } },
      { name: 'empty', context: { user } },
    ],
    'current-context': 'first',
  };
}

/** What stays as it is, with or without controllers: a reference that cannot be looked up, a finalizer. */
async function plant(cluster: Cluster): Promise<void> {
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'held', uid: 'fleets-uid' };
  await cluster.create(roles, {
    metadata: { name: 'fleets', ownerReferences: [owner] },
    rules: [],
  });
  const held = { metadata: { name: 'held', finalizers: ['fleets.example.com/hold'] } };
  await cluster.create(configMaps, held);
  await cluster.request(`${configMaps}/held`, { method: 'DELETE' });
}

const env = { KUBECONFIG };
const both = '--context first,second';

async function asked(line: string) {
  const { code, stdout, stderr } = await gc(`${line} -o json`, { env });
  const { kind, of, coverage, clusters, items } = JSON.parse(stdout);
  // Other tests leave objects behind in the shared cluster.
  const own = items.filter(({ object }: { object: { namespace: string; name: string } }) =>
    [object.namespace, object.name].includes(namespace),
  );
  const statuses = clusters.map((one: { context: string; status: string; exitCode: number }) =>
    [one.context, one.status, one.exitCode].join(' '),
  );
  const found = own.map(
    (item: { cluster: string; object: { kind: string; name: string } }) =>
      `${item.cluster} ${item.object.kind}/${item.object.name}`,
  );
  return { code, kind, of, coverage, clusters, statuses, found: [...new Set(found)], stderr };
}

const role = 'ClusterRole/fleets';
const held = 'ConfigMap/held';

test.each([
  { line: 'orphans -A', of: 'Orphans', code: 0, found: [role] },
  { line: 'audit -A --fail-on warning', of: 'Audit', code: 1, found: [role] },
  { line: 'why -A', of: 'StuckDeletions', code: 0, found: [held] },
  { line: 'forecast', of: 'Forecast', code: 0, found: [] },
])('$line asks both clusters, and answers one document', async ({ line, of, code, found }) => {
  const answer = await asked(`${line} ${both}`);
  expect({ ...answer, found: answer.found.sort() }).toMatchObject({
    code,
    kind: 'Fleet',
    of,
    statuses: [`first read ${code}`, `second read ${code}`],
    found: ['first', 'second'].flatMap((cluster) => found.map((name) => `${cluster} ${name}`)),
  });
  const [one, two] = answer.clusters;
  expect([one.server, two.server]).toEqual([first.server, proxy.address]);
  expect(answer.coverage).toMatchObject({
    complete: true,
    objects: one.report.coverage.objects + two.report.coverage.objects,
  });
});

test('the table has the cluster as its first column', async () => {
  const { code, stdout } = await gc(`orphans clusterroles -A ${both}`, { env });
  const rows = stdout.split('\n').filter((row) => /^CLUSTER|fleets/.test(row));
  expect([code, ...rows.map((row) => row.split(/ {2,}/).slice(0, 2).join(' '))]).toEqual([
    0,
    'CLUSTER NAMESPACE',
    'first ClusterRole/fleets',
    'second ClusterRole/fleets',
  ]);
});

test('snapshot save writes a file for each cluster, which answers as the cluster does', async () => {
  const saved = join(folder, 'saved');
  const { code } = await gc(['snapshot', 'save', saved, ...both.split(' ')], { env });
  expect([code, readdirSync(saved).sort()]).toEqual([0, ['first.json.gz', 'second.json.gz']]);
  for (const name of ['first', 'second']) {
    const { stdout } = await gc(`orphans -A -o name --from ${saved}/${name}.json.gz`);
    expect(stdout).toContain('clusterrole.rbac.authorization.k8s.io/fleets');
  }
  const onto = `${saved}/first.json.gz`;
  const refused = await gc(['snapshot', 'save', onto, ...both.split(' ')], { env });
  expect([refused.code, refused.stderr.split('\n', 1)[0]]).toEqual([
    2,
    `error: ${onto} is a file, and --context names several clusters`,
  ]);
});

test('a context without a cluster fails alone', async () => {
  const { code, statuses, clusters } = await asked('orphans -A --context all');
  expect([code, statuses]).toEqual([3, ['empty not-read 3', 'first read 0', 'second read 0']]);
  expect(clusters[0].failure.message).toContain('localhost:8080');
});

test('a cluster that hangs is given up after --request-timeout, and the other is shown', async () => {
  proxy.before = () => new Promise(() => undefined);
  const { code, statuses, coverage } = await asked(`orphans -A ${both} --request-timeout 2s`);
  expect({ code, statuses }).toEqual({ code: 3, statuses: ['first read 0', 'second not-read 3'] });
  expect(coverage.problems).toEqual([
    {
      cluster: 'second',
      reason: 'timed-out',
      message: `the API server ${proxy.address} did not answer within 2 s`,
    },
  ]);
});

test('Ctrl-C ends all of them at once, with nothing on stdout', async () => {
  let hanging = 0;
  proxy.before = () => {
    hanging += 1;
    return new Promise(() => undefined);
  };
  const child = spawn(process.execPath, [bin, 'audit', '-A', ...both.split(' ')], {
    cwd: root,
    env: { ...bareEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  await eventually('the second cluster is asked', async () => hanging > 0 || undefined);
  child.kill('SIGINT');
  // For which shells say 130.
  expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  expect(stdout).toBe('');
});

test('a cluster that goes away while it is read leaves gaps that name it', async () => {
  let stopped: Promise<void> | undefined;
  proxy.before = async ({ path }) => {
    if (!path.startsWith('/api/v1/configmaps')) return;
    stopped ??= second.stop();
    await stopped;
  };
  const { code, statuses, coverage } = await asked(`orphans -A ${both}`);
  expect(statuses[0]).toBe('first read 0');
  // The lists that had come by then count; without any the cluster is not read.
  expect([statuses[1], code]).toEqual(
    statuses[1] === 'second partly-read 0' ? ['second partly-read 0', 0] : ['second not-read 3', 3],
  );
  const clusters = coverage.problems.map(({ cluster }: { cluster: string }) => cluster);
  expect([coverage.complete, ...new Set(clusters)]).toEqual([false, 'second']);
});

test('every command shows one cluster when the other is gone, and ends with 3', async () => {
  await second.stop();
  const lines = {
    'orphans -A': [`first ${role}`],
    'audit -A --fail-on warning': [`first ${role}`],
    'why -A': [`first ${held}`],
    forecast: [],
  };
  const asking = Object.entries(lines).map(async ([line, found]) => {
    const {
      code,
      statuses,
      found: own,
      clusters,
      coverage,
      stderr,
    } = await asked(`${line} ${both}`);
    const [, { context, server, failure }] = clusters;
    expect([line, code, statuses[1], own]).toEqual([line, 3, 'second not-read 3', found]);
    expect([context, server]).toEqual(['second', proxy.address]);
    expect(coverage.problems[0]).toMatchObject({ cluster: 'second', message: failure.message });
    expect(stderr).toContain(`Warning: second: ${failure.message}`.slice(0, 40));
    expect(stderr).toContain('Read 1 of 2 clusters; not read: second.');
  });
  await Promise.all(asking);
});

test('snapshot save keeps the file of the cluster that is gone, and says how old it is', async () => {
  await second.stop();
  const saved = join(folder, 'saved');
  const { code, stderr } = await gc(['snapshot', 'save', saved, ...both.split(' ')], { env });
  expect([code, readdirSync(saved).sort()]).toEqual([3, ['first.json.gz', 'second.json.gz']]);
  expect(stderr).toContain('is of an earlier run');
});
