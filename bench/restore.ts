import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../src/cluster/connection/connect.ts';
import { discover } from '../src/cluster/list/discover.ts';
import type { PlannedObject } from '../src/deletion/plan/plan.ts';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { writeBackup } from '../src/restore/backup/write-backup.ts';
import { startProxy } from '../test/live/proxy.ts';
import { startControlPlane } from '../test/support/control-plane.ts';
import { inTurns, report } from './in-turns.ts';

/**
 * Restores 10,000 objects of four kinds, a third of them with an owner, beside a bare script that creates the same objects in
 * the same order, eight at a time. `--objects 10000 --rounds 3 --managers 1`: how many field managers each object has.
 */
const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    managers: { type: 'string', default: '1' },
  },
});
const namespace = 'restored';
const kinds = ['configmaps', 'secrets', 'serviceaccounts', 'deployments'] as const;
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const bare = new URL('only-requests.mjs', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-bench-'));

const plane = await startControlPlane({ controllers: 'none' });
await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
const pathOf = (resource: string) =>
  `${resource === 'deployments' ? '/apis/apps/v1' : '/api/v1'}/namespaces/${namespace}/${resource}`;

let last: KubeObject | undefined;
const queue = Array.from({ length: Number(values.objects) }, (_, index) => index).values();
async function make(): Promise<void> {
  for (const index of queue) {
    const resource = kinds[index % kinds.length] ?? 'configmaps';
    const made = await plane.create<KubeObject>(
      `${pathOf(resource)}?fieldManager=kubectl-create`,
      bodyOf(resource, index),
    );
    const path = `${pathOf(resource)}/${made.metadata.name}`;
    for (let manager = 1; manager < Number(values.managers); manager++) {
      await plane.merge(`${path}?fieldManager=manager-${manager}`, {
        metadata: { annotations: { [`example.com/${manager}`]: 'x' } },
      });
    }
    if (resource === 'configmaps') last = made;
  }
}
await Promise.all(Array.from({ length: 8 }, make));

function bodyOf(resource: string, index: number): object {
  const owner = index % 3 === 0 ? last : undefined;
  const metadata = {
    name: `part-${index}`,
    labels: { app: 'bench', part: `${index % 50}` },
    ...(owner && {
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid },
      ],
    }),
  };
  const data = { 'settings.yaml': 'a: 1\nb: [1, 2, 3]\n'.repeat(10) };
  if (resource === 'configmaps') return { metadata, data };
  if (resource === 'secrets') return { metadata, stringData: data };
  if (resource === 'serviceaccounts') return { metadata };
  const labels = { app: `part-${index}` };
  const containers = [
    { name: 'main', image: 'example.com/main:1', env: [{ name: 'A', value: 'b' }] },
  ];
  const template = { metadata: { labels }, spec: { containers } };
  return { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
}

const client = await connect({ kubeconfig: plane.kubeconfigPath });
const { types } = await discover(client);
const system = await plane.get<KubeObject>('/api/v1/namespaces/kube-system');
const objects: PlannedObject[] = [];
for (const resource of kinds) {
  for (const { apiVersion, kind, metadata } of await plane.list(pathOf(resource))) {
    objects.push({
      ...{ apiVersion, kind, namespace, name: `${metadata.name}`, uid: `${metadata.uid}` },
      ...{ wave: 1, fate: 'deleted', because: '', rule: '', blockedBy: [] },
    });
  }
}
const directory = join(folder, 'backup');
await writeBackup(
  {
    ...{ apiVersion: 'kubectl-gc/v1', kind: 'Plan', createdAt: new Date().toISOString() },
    cluster: { server: client.server, uid: `${system.metadata.uid}` },
    ...{ requests: [], objects, remarks: [], undetermined: [] },
    coverage: { complete: true, kinds: kinds.length, objects: objects.length, problems: [] },
  },
  client,
  types,
  { directory },
);
client.close();

async function wipe(): Promise<void> {
  for (const resource of kinds) await plane.remove(pathOf(resource));
}

/** The creations of one restoration, in their order. */
async function recorded(): Promise<string> {
  const proxy = await startProxy(plane);
  const requests: object[] = [];
  proxy.before = ({ method, path: url }, body) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    if (method === 'POST') requests.push({ method, url, headers, body });
    return undefined;
  };
  await wipe();
  const argv = [process.execPath, bin, 'restore', directory, '--yes', '-o', 'name', '-s'] as const;
  await inTurns([{ name: 'recorded', argv: [...argv, proxy.address] }], 0);
  await proxy.close();
  const { server, authority, adminToken: token } = plane;
  const steps = [{ requests, atOnce: 8 }];
  const file = join(folder, 'creations.json');
  writeFileSync(
    file,
    JSON.stringify({ server, ca: authority.certificate, token, steps, deletions: 0 }),
  );
  console.log(`${objects.length} objects, ${requests.length} creations`);
  return file;
}

const file = await recorded();
const env = { KUBECONFIG: plane.kubeconfigPath };
const argv = [process.execPath, bin, 'restore', directory, '--yes', '-o', 'name'] as const;
report(
  await inTurns(
    [
      { name: 'kubectl gc restore', argv, env, prepare: wipe },
      { name: 'a bare script', argv: [process.execPath, bare, file], prepare: wipe },
    ],
    Number(values.rounds),
  ),
);
await plane.stop();
rmSync(folder, { recursive: true });
process.exit();
