import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { proxyOfFile } from './proxy.ts';
import { type Random, randomFrom } from './seeded-random.ts';

/**
 * Random applications, as an operator would own them, are deleted with every policy and restored, while
 * all controllers run and empty volumes lie about that suit every claim. Before a restoration ends as it should,
 * others lose the connection at one of their writes. RESTORE_SEED and RESTORE_CASES
 * repeat a run, RESTORE_WATCH_SECONDS says how long the controllers are watched afterwards.
 */
const seed = Number(process.env.RESTORE_SEED ?? 1);
const count = Number(process.env.RESTORE_CASES ?? 5);
const watched = Number(process.env.RESTORE_WATCH_SECONDS ?? 45);

const cluster = sharedControlPlane();
const folder = temporaryFolder();
const proxy = await proxyOfFile(cluster);
const namespace = 'restore-applications';
const group = 'applications.example.com';
const volumes = '/api/v1/persistentvolumes';
const kinds = [
  ...['ConfigMap', 'ControllerRevision', 'CronJob', 'DaemonSet', 'Deployment', 'Job', 'Secret'],
  ...['PersistentVolumeClaim', 'ReplicaSet', 'Service', 'ServiceAccount', 'StatefulSet'],
];
/** What controllers make again under other names, and for whom it is there in any case. */
const madeAgain: Readonly<Record<string, RegExp>> = {
  Pod: /^(Job|StatefulSet) /,
  EndpointSlice: /^Service /,
};
const placeOf = (kind: string) =>
  `${kind === 'Application' ? `${group}/v1 ` : ''}${kind} ${namespace}/`;
type Content = Parameters<typeof cluster.make>[1];
const create = (kind: string, name: string, content?: Content) =>
  cluster.make(`${placeOf(kind)}${name}`, content);

beforeAll(async () => {
  await cluster.make(`Namespace ${namespace}`);
  const versions = ['v1', 'v1beta1'];
  const definition = await serveKind(cluster, customDefinition('Application', group, { versions }));
  for (let index = 0; index < 6; index++) await createVolume(`apps-spare-${index}`);
  return async () => {
    await cluster.remove(`/api/v1/namespaces/${namespace}`);
    await cluster.remove(definition);
    await cluster.remove(`${volumes}?labelSelector=test%3D${namespace}`);
  };
});

const createVolume = (name: string) =>
  cluster.make(`PersistentVolume ${name}`, {
    metadata: { labels: { test: namespace } },
    spec: volumeSpec(name),
  });

/** An Application, its parts, and what their controllers make of them; a whole one has a part of every kind. */
async function plant(name: string, random: Random, isWhole: boolean): Promise<void> {
  const has = (one: number) => random(one) === 0 || isWhole;
  const root = await create('Application', name, { spec: { size: random(9) } });
  const owners = [{ apiVersion: `${group}/v1`, kind: 'Application', of: root }];
  /** Owned by the Application, named in any of its versions, or by a ConfigMap or Secret of it. */
  const grow = (kind: string, part: string, content?: Content) => {
    const { of, ...owner } = owners[random(owners.length)] ?? { of: root };
    const apiVersion = of === root ? `${group}/${random(2) === 0 ? 'v1' : 'v1beta1'}` : 'v1';
    const { name: ownerName, uid } = of.metadata;
    const flags = { controller: random(2) === 0, blockOwnerDeletion: random(2) === 0 };
    const ownerReferences = [{ ...owner, apiVersion, name: ownerName, uid, ...flags }];
    return create(kind, `${name}-${part}`, { metadata: { ownerReferences }, ...content });
  };
  const template = (part: string, image = 1) => ({
    metadata: { labels: { app: name, part } },
    spec: { containers: [{ name: 'main', image: `example.com/main:${image}` }] },
  });
  const selecting = (part: string) => ({
    selector: { matchLabels: { app: name, part } },
    template: template(part),
  });
  const once = { template: { spec: { ...template('').spec, restartPolicy: 'Never' } } };
  const histories: string[] = [];
  const workload = async (kind: string, part: string, spec: object) => {
    await grow(kind, part, { spec: { ...selecting(part), ...spec } });
    histories.push(`${kind} ${part}`);
  };
  for (let index = 0; index <= random(3); index++) {
    const kind = random(2) === 0 ? 'ConfigMap' : 'Secret';
    owners.push({ apiVersion: 'v1', kind, of: await grow(kind, `part-${index}`) });
  }
  await grow('ServiceAccount', 'account');
  if (has(2))
    await grow('Service', 'service', { spec: { selector: { app: name }, ports: [{ port: 80 }] } });
  if (has(2)) await workload('Deployment', 'deployment', { replicas: random(3) });
  if (has(3)) await workload('DaemonSet', 'daemon', {});
  if (has(3)) await grow('Job', 'job', { spec: { suspend: random(2) === 0, ...once } });
  if (has(3)) {
    const schedule = '0 3 1 1 *';
    const { metadata } = await grow('CronJob', 'cron', {
      spec: { schedule, jobTemplate: { spec: once } },
    });
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: metadata.name };
    const ownerReferences = [{ ...owner, uid: metadata.uid, controller: true }];
    await create('Job', `${name}-tonight`, { metadata: { ownerReferences }, spec: once });
  }
  if (isWhole || random(3) > 0) {
    const replicas = 1 + random(2);
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      await createVolume(`${name}-disk-${ordinal}`);
      await create('PersistentVolumeClaim', `data-${name}-set-${ordinal}`, {
        spec: { ...claimSpec, volumeName: `${name}-disk-${ordinal}` },
      });
    }
    const whenDeleted = random(4) > 0 ? 'Delete' : 'Retain';
    await workload('StatefulSet', 'set', {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    });
  }
  await settled('the first revisions');
  for (const one of histories) {
    const [kind = '', part = ''] = one.split(' ');
    await cluster.patch(`${placeOf(kind)}${name}-${part}`, {
      spec: { template: template(part, 2) },
    });
  }
}

interface World {
  /** `Kind name`: its owners, its number among revisions, the address of a Service, the volume of a claim. */
  readonly objects: Readonly<Record<string, string>>;
  readonly uids: Readonly<Record<string, string>>;
  /** References whose owner has another uid, or is not there. */
  readonly unsound: readonly string[];
}

/** What is in the namespace, and for whom controllers have made what has another name each time. */
async function look(): Promise<World> {
  const live: [string, KubeObject][] = [];
  for (const kind of ['Application', ...kinds, ...Object.keys(madeAgain)]) {
    const items = await cluster.list(placeOf(kind));
    for (const item of items) live.push([`${kind} ${item.metadata.name}`, item]);
  }
  const uids: Record<string, string> = {};
  for (const [id, { metadata }] of live) uids[id] = String(metadata.uid);
  const unsound: string[] = [];
  const objects: Record<string, string> = {};
  for (const [id, object] of live) {
    const { kind, metadata, spec, status } = object;
    const references = (metadata.ownerReferences ?? []) as Record<string, unknown>[];
    for (const { kind, name, uid } of references) {
      if (uids[`${kind} ${name}`] !== uid) unsound.push(`${id} → ${kind} ${name}`);
    }
    const annotations = metadata.annotations as Record<string, string> | undefined;
    if (annotations?.['kubectl-gc.io/pending-owners']) unsound.push(`${id} waits for owners`);
    const again = madeAgain[kind];
    if (again) {
      const owners = references.map((owner) => `${owner.kind} ${owner.name}`);
      for (const owner of owners) if (again.test(owner)) objects[`${kind} of ${owner}`] = '';
      delete uids[id];
      continue;
    }
    const { volumeName, clusterIP } = (spec ?? {}) as { volumeName?: string; clusterIP?: string };
    const { phase } = (status ?? {}) as { phase?: string };
    objects[id] = [
      ...references.map(({ uid: _, ...rest }) => JSON.stringify(rest)).sort(),
      object.revision ?? annotations?.['deployment.kubernetes.io/revision'],
      clusterIP,
      ...(kind === 'PersistentVolumeClaim' ? [volumeName, phase] : []),
    ].join();
  }
  return { objects, uids, unsound };
}

/** The same for two seconds, and every claim has its volume: the controllers have nothing more to do. */
async function settled(what: string): Promise<World> {
  let before = '';
  let since = performance.now();
  return eventually(
    what,
    async () => {
      const world = await look();
      const now = JSON.stringify([world.objects, world.uids]);
      const isBinding = Object.values(world.objects).some((what) => what.endsWith(',Pending'));
      if (now !== before || isBinding) {
        before = now;
        since = performance.now();
      }
      await delay(200);
      return performance.now() - since > 2_000 ? world : undefined;
    },
    60,
  );
}

/** The connection breaks at one write, before it is sent or before it is answered, and for good. */
async function restoreCutOff(backup: string, random: Random): Promise<void> {
  let writes = random(8);
  const isSent = random(2) === 0;
  proxy.before = ({ method }) => {
    if (method === 'GET' && writes >= 0) return undefined;
    writes -= 1;
    return writes >= 0 ? undefined : writes === -1 && isSent ? 'lose' : 'drop';
  };
  await gcHere(`restore ${backup} --yes --server ${proxy.address}`);
  proxy.before = () => undefined;
}

test(
  `random applications are restored, seed ${seed}`,
  async () => {
    const kubeconfig = `--kubeconfig ${cluster.kubeconfigPath}`;
    const [random, cut] = [randomFrom(seed), randomFrom(seed + 1)];
    for (let skip = 0; skip < 5; skip++) random(2);
    const told: string[] = [];
    for (let index = 0; index < count; index++) {
      const name = `app${index}`;
      await plant(name, random, index === 0);
      const before = await settled('an application');
      expect(before.unsound).toEqual([]);
      const policy = ['background', 'foreground', 'orphan'][random(3)];
      told.push(`${name}: ${policy}`);
      const backup = join(folder, name);
      const deletion = await gcHere(
        `delete application/${name} -n ${namespace} --cascade=${policy} --yes --backup ${backup} ${kubeconfig}`,
      );
      expect([told, deletion.code, deletion.stderr]).toEqual([told, 0, expect.anything()]);
      await settled('the remaining objects');
      for (let cuts = index && cut(3); cuts > 0; cuts--) await restoreCutOff(backup, cut);
      const restoration = await gcHere(`restore ${backup} --yes ${kubeconfig}`);
      expect([told, restoration.code, restoration.stderr]).toEqual([told, 0, expect.anything()]);
      // Claims are bound when the command ends, not some time later.
      const { objects } = await look();
      expect(Object.values(objects).filter((what) => what.endsWith(',Pending'))).toEqual([]);
      const after = await settled('the restored application');
      expect([told, after.objects]).toEqual([told, before.objects]);
      expect([told, after.unsound]).toEqual([told, []]);
    }
    const restored = await look();
    await delay(watched * 1_000);
    expect(await look()).toEqual(restored);
    const claims = Object.entries(restored.objects).flatMap(([id, what]) =>
      id.startsWith('PersistentVolumeClaim ') ? [what.split(',').slice(-2)] : [],
    );
    expect(new Set(claims.map(([volume]) => volume)).size).toBe(claims.length);
    expect(claims.filter(([, phase]) => phase !== 'Bound')).toEqual([]);
    console.log(
      `restored: seed ${seed}, ${told.join(', ')}; ${Object.keys(restored.objects).length} objects, ${claims.length} claims, watched for ${watched} s`,
    );
  },
  120_000 + count * 60_000 + watched * 1_000,
);
