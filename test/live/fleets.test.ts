import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, kubeconfig } from '../support/cluster.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** Two real API servers, the second behind a proxy, so that it can hang; in the end it goes away. */
const first = sharedControlPlane();
let second: ControlPlane;
let proxy: TestProxy;
const folder = temporaryFolder();
const KUBECONFIG = join(folder, 'kubeconfig.json');
const namespace = 'fleets';

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
  await first.patch('ConfigMap fleets/held', { metadata: { finalizers: null } });
  await first.remove('ClusterRole fleets');
  await first.remove('Namespace fleets');
  await proxy.close();
  await second.stop();
});

/** Contexts `first` and `second`. */
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
    ],
    'current-context': 'first',
  };
}

/** What stays as it is, with or without controllers: a reference that cannot be looked up, a finalizer. */
async function plant(cluster: Cluster): Promise<void> {
  await cluster.make(`Namespace ${namespace}`);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'held', uid: 'fleets-uid' };
  await cluster.make('ClusterRole fleets', { metadata: { ownerReferences: [owner] }, rules: [] });
  const metadata = { finalizers: ['fleets.example.com/hold'] };
  await cluster.make('ConfigMap fleets/held', { metadata });
  await cluster.remove('ConfigMap fleets/held');
}

const env = { KUBECONFIG };
const both = '--context first,second';

interface Answered {
  readonly context: string;
  readonly failure?: { readonly message: string };
  readonly report?: {
    readonly kind: string;
    readonly items: { readonly object: { kind: string; namespace: string; name: string } }[];
    readonly coverage: { readonly complete: boolean; readonly objects: number };
  };
}

async function asked(line: string) {
  const { code, stdout, stderr } = await gc(`${line} -o json`, { env });
  const { kind, coverage, clusters } = JSON.parse(stdout) as {
    kind: string;
    coverage: { complete: boolean; objects: number; problems: { cluster: string }[] };
    clusters: Answered[];
  };
  // Other tests leave objects behind in the shared cluster.
  const found = clusters.flatMap(({ context, report }) =>
    (report?.items ?? [])
      .filter(({ object }) => [object.namespace, object.name].includes(namespace))
      .map(({ object }) => `${context} ${object.kind}/${object.name}`),
  );
  const read = clusters.map(({ context, report }) => `${context} ${report?.kind ?? 'not read'}`);
  return { code, kind, coverage, clusters, read, found: [...new Set(found)], stderr };
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
    read: [`first ${of}`, `second ${of}`],
    found: ['first', 'second'].flatMap((cluster) => found.map((name) => `${cluster} ${name}`)),
  });
  const objects = answer.clusters.map(({ report }) => report?.coverage.objects ?? 0);
  expect(answer.coverage).toMatchObject({
    complete: true,
    objects: objects.reduce((sum, some) => sum + some, 0),
  });
});

test('a cluster that does not answer is given up after --request-timeout, and the other is shown', async () => {
  proxy.before = () => new Promise(() => undefined);
  const { code, read, coverage } = await asked(`orphans -A ${both} --request-timeout 2s`);
  expect({ code, read }).toEqual({ code: 3, read: ['first Orphans', 'second not read'] });
  expect(coverage.problems).toEqual([
    {
      cluster: 'second',
      reason: 'timed-out',
      message: `the API server ${proxy.address} did not answer within 2 s`,
    },
  ]);
});

test('a cluster that stops while it is read leaves gaps that name it', async () => {
  let stopped: Promise<void> | undefined;
  proxy.before = async ({ path }) => {
    if (!path.startsWith('/api/v1/configmaps')) return;
    stopped ??= second.stop();
    await stopped;
  };
  const { code, read, clusters, coverage } = await asked(`orphans -A ${both}`);
  expect(read[0]).toBe('first Orphans');
  // The lists that had come by then count; without any the cluster is not read.
  const isPartly = clusters[1]?.report !== undefined;
  expect([read[1], code]).toEqual(isPartly ? ['second Orphans', 0] : ['second not read', 3]);
  const named = coverage.problems.map(({ cluster }) => cluster);
  expect([coverage.complete, ...new Set(named)]).toEqual([false, 'second']);
});
