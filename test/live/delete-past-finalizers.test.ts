import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Backup } from '../../src/restore/backup/backup.ts';
import type { Restoration } from '../../src/restore/plan/restoration.ts';
import { validDocument } from '../contract/valid-document.ts';
import { blockerOf } from '../deletion/plan/planned.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { playground, referenceTo } from './delete-playground.ts';

/** Deletions that a finalizer blocks until it is removed: by a small operator, played by the test, or by Kubernetes. */
const plane = sharedControlPlane();
const namespace = 'delete-past-finalizers';
const { folder, env, run, tell, familyIn, namesIn, release, remove } = playground(plane);
const shop = 'delete-claims-in-use';
afterAll(async () => {
  await remove();
  await plane.remove(`Namespace ${shop}`);
  await plane.remove(`Node ${shop}-worker`);
});

let path: string;
beforeAll(async () => {
  await plane.make(`Namespace ${shop}`);
  await makeNode();
  path = await familyIn(namespace, ['ex.com/data']);
  await plane.patch(`${path}/top`, { metadata: { finalizers: ['ex.com/cleanup'] } });
});

test('the plan goes on past the finalizers, and says what waits for which', async () => {
  const { code, stdout } = await run(`cm/top -n ${namespace} --preview -o json`);
  const { objects } = validDocument('plan', stdout) as Plan;
  expect(code).toBe(0);
  const told = objects.map(({ name, fate, then, waitsFor = [] }) => {
    const waits = waitsFor.map((wait) => 'finalizer' in wait && wait.finalizer);
    return [name, fate, then, ...waits].join(' ');
  });
  expect(told).toEqual([
    'top terminating deleted ex.com/cleanup',
    'left kept deleted ex.com/cleanup',
    'right kept deleted ex.com/cleanup',
    'bottom kept deleted ex.com/data ex.com/cleanup',
  ]);
  const table = await run(`cm/top -n ${namespace} --preview`);
  expect(table.stdout).toContain(
    '4 objects will be deleted: 4 ConfigMaps.\nAll wait for finalizer ex.com/cleanup of ConfigMap/top, finalizer ex.com/data of ConfigMap/bottom.\n',
  );
});

test('objects deleted after their finalizers count, are followed until the operator has removed the finalizers, and are in the backup', async () => {
  const directory = join(folder, 'kept');
  await tell(`
cm/top -n ${namespace} --yes --max-deletes 3
  3
  ^error: 4 objects would be deleted, and --max-deletes allows 3`);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
  const operator = new AbortController();
  const working = operate(operator.signal);
  await tell(String.raw`
cm/top -n ${namespace} --yes --timeout 60s --backup ${directory}
  0
  > configmap "top" deleted from ${namespace} namespace
  ^Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n$`);
  operator.abort();
  await working;
  expect(existsSync(join(directory, 'backup.json'))).toBe(true);
});

/** Removes the finalizers of what is being deleted, a second after it was first seen so. */
async function operate(signal: AbortSignal): Promise<void> {
  const since = new Map<unknown, number>();
  while (!signal.aborted) {
    for (const { metadata } of await plane.list(path)) {
      if (metadata.deletionTimestamp === undefined) continue;
      const first = since.get(metadata.uid) ?? performance.now();
      since.set(metadata.uid, first);
      if (performance.now() - first > 1000)
        await release(path, String(metadata.name)).catch(() => undefined);
    }
    await sleep(100);
  }
}

/** `Secret key: kept, then deleted (ex.com/cleanup of top)`, for each object of the plan to delete this. */
async function endsOf(line: string): Promise<string[]> {
  const { stdout } = await run(`${line} --preview -o json`);
  const { objects } = validDocument('plan', stdout) as Plan;
  return objects.map(({ kind, name, fate, then, waitsFor = [] }) => {
    const waits = waitsFor.map((wait) => `${blockerOf(wait)} of ${wait.object.name}`);
    return `${kind} ${name}: ${fate}${then ? `, then ${then} (${waits.join(', ')})` : ''}`;
  });
}

const at = (kind: string, name: string) => `${kind} ${shop}/${name}`;

/** A claim that is bound to a volume which is deleted after it. */
async function boundClaim(name: string, metadata: object = {}): Promise<KubeObject> {
  const claimRef = { namespace: shop, name };
  const spec = volumeSpec(`kubectl-gc-${shop}/${name}`, {
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef,
  });
  await plane.make(`PersistentVolume ${shop}-${name}`, { spec });
  await plane.make(at('PersistentVolumeClaim', name), { metadata, spec: claimSpec });
  return eventually(`${name} is bound`, async () => {
    const claim = await plane.get<KubeObject & { readonly status: { readonly phase: string } }>(
      at('PersistentVolumeClaim', name),
    );
    return claim.status.phase === 'Bound' && claim;
  });
}

const mounting = (claimName: string) => ({
  automountServiceAccountToken: false,
  containers: [{ name: 'main', image: 'example.com/main:1' }],
  volumes: [{ name: 'disk', persistentVolumeClaim: { claimName } }],
});

/** Does what a scheduler does. */
async function bind(pod: string): Promise<void> {
  await plane.create(`/api/v1/namespaces/${shop}/pods/${pod}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: pod },
    target: { apiVersion: 'v1', kind: 'Node', name: `${shop}-worker` },
  });
}

/** A Node whose kubelet does not act. */
async function makeNode(): Promise<void> {
  await plane.make(`Node ${shop}-worker`);
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
  await plane.report(`Node ${shop}-worker`, { conditions: [ready] });
}

test('what is deleted after a claim in use, at the next restart of its pod, is counted, limited and saved', async () => {
  const claim = await boundClaim('disk');
  const { name, uid } = claim.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid }];
  await plane.make(at('Secret', 'key'), { metadata: { ownerReferences } });
  const { spec, metadata } = workload('web');
  const template = { ...spec.template, spec: mounting('disk') };
  await plane.make(at('Deployment', 'web'), { metadata, spec: { ...spec, template } });
  const pods = at('Pod', '');
  const pod = await eventually('a pod of the Deployment', async () => (await plane.names(pods))[0]);
  await bind(pod);

  const waits = 'then deleted (kubernetes.io/pvc-protection of disk)';
  expect(await endsOf(`pvc/disk -n ${shop}`)).toEqual([
    `PersistentVolumeClaim disk: terminating, ${waits}`,
    `Secret key: kept, ${waits}`,
    `PersistentVolume ${shop}-disk: kept, ${waits}`,
  ]);
  const directory = join(folder, 'claim');
  const saved = join(folder, 'claim.json');
  expect((await run(`pvc/disk -n ${shop} --plan ${saved}`)).code).toBe(0);
  await tell(`
pvc/disk -n ${shop} --yes --max-deletes 1
  3
  ^error: 3 objects would be deleted, and --max-deletes allows 1
--plan ${saved} --yes --max-deletes 2
  3
  ^error: 3 objects would be deleted, and --max-deletes allows 2`);
  const { metadata: before } = await plane.get(at('PersistentVolumeClaim', 'disk'));
  expect(before.deletionTimestamp).toBeUndefined();
  await tell(`
--plan ${saved} --yes --timeout 2s --backup ${directory}
  4
  > persistentvolumeclaim "disk" deleted from ${shop} namespace
  ^Backup of 3 objects: ${directory}`);

  // The pod that takes its place is not bound to a Node, as its claim is being deleted.
  await plane.remove(at('Pod', pod), { gracePeriodSeconds: 0 });
  await untilGone(plane, at('PersistentVolumeClaim', 'disk'));
  await untilGone(plane, at('Secret', 'key'));
  await untilGone(plane, `PersistentVolume ${shop}-disk`);
  const restored = await gc(`restore ${directory} --yes -o json`, { env });
  const { objects } = JSON.parse(restored.stdout) as Restoration;
  expect(objects.map(({ kind, action, outcome }) => `${kind} ${outcome ?? action}`)).toEqual([
    'PersistentVolumeClaim created',
    'Secret created',
    // Its storage was deleted with it.
    'PersistentVolume cannot',
  ]);
});

test('a claim is deleted once the finalizer is removed that its pod waits for, and counts once', async () => {
  const top = await plane.make(at('ConfigMap', 'top'));
  const below = (owner: KubeObject) => ({
    ownerReferences: [{ ...referenceTo(owner), blockOwnerDeletion: true }],
  });
  const part = await plane.make(at('ConfigMap', 'part'), {
    metadata: { ...below(top), finalizers: ['ex.com/cleanup'] },
  });
  await boundClaim('shared', below(top));
  await plane.make(at('Pod', 'reader'), { metadata: below(part), spec: mounting('shared') });
  await bind('reader');

  const waits = 'then deleted (ex.com/cleanup of part)';
  expect(await endsOf(`cm/top -n ${shop}`)).toEqual([
    'ConfigMap top: deleted',
    `ConfigMap part: terminating, ${waits}`,
    `PersistentVolumeClaim shared: terminating, ${waits}`,
    `Pod reader: kept, ${waits}`,
    `PersistentVolume ${shop}-shared: kept, ${waits}`,
  ]);
  const directory = join(folder, 'shared');
  await tell(`
cm/top -n ${shop} --yes --max-deletes 4
  3
  ^error: 5 objects would be deleted, and --max-deletes allows 4
cm/top -n ${shop} --yes --timeout 2s --backup ${directory}
  4
  > configmap "top" deleted from ${shop} namespace
  ^Backup of 5 objects: ${directory}`);

  await release(`/api/v1/namespaces/${shop}/configmaps`, 'part');
  await eventually('the terminating pod', async () => {
    const { metadata } = await plane.get(at('Pod', 'reader'));
    return metadata.deletionTimestamp !== undefined;
  });
  await plane.remove(at('Pod', 'reader'), { gracePeriodSeconds: 0 });
  await untilGone(plane, at('PersistentVolumeClaim', 'shared'));
  await untilGone(plane, `PersistentVolume ${shop}-shared`);
});

test('what a Namespace owns is counted where the Namespace waits for an API that does not answer', async () => {
  const home = 'delete-namespace-waits';
  const { metadata } = await plane.make(`Namespace ${home}`);
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: home, uid: metadata.uid };
  const role = `ClusterRole ${home}`;
  await plane.make(role, { metadata: { ownerReferences: [owner] }, rules: [] });
  const group = 'silent.example.com';
  await plane.make(`APIService v1.${group}`, {
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: home, name: 'nothing' },
    },
  });
  const waits = `then deleted (v1.${group} of delete-namespace-waits)`;
  const preview = () => endsOf(`ns/${home} --allow-incomplete`);
  await eventually('the unavailable API', async () =>
    (await preview()).includes(`ClusterRole ${home}: kept, ${waits}`),
  );
  const directory = join(folder, 'namespace');
  await tell(`
ns/${home} --yes --allow-incomplete --timeout 12s --backup ${directory}
  4
  > namespace "${home}" deleted
  ^Backup of [0-9]+ objects: `);
  expect((await plane.get(role)).metadata.deletionTimestamp).toBeUndefined();
  await plane.remove(`APIService v1.${group}`);
  await untilGone(plane, `Namespace ${home}`);
  await untilGone(plane, role);
  const backup = JSON.parse(readFileSync(join(directory, 'backup.json'), 'utf8')) as Backup;
  expect(backup.objects.map(({ kind, file }) => file !== undefined && kind)).toContain(
    'ClusterRole',
  );
});
