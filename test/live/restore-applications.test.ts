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
const collections: Readonly<Record<string, string>> = {
  Application: `/apis/${group}/v1/namespaces/${namespace}/applications`,
  ConfigMap: `/api/v1/namespaces/${namespace}/configmaps`,
  ControllerRevision: `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`,
  Deployment: `/apis/apps/v1/namespaces/${namespace}/deployments`,
  Job: `/apis/batch/v1/namespaces/${namespace}/jobs`,
  PersistentVolumeClaim: `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  ReplicaSet: `/apis/apps/v1/namespaces/${namespace}/replicasets`,
  Secret: `/api/v1/namespaces/${namespace}/secrets`,
  Service: `/api/v1/namespaces/${namespace}/services`,
  ServiceAccount: `/api/v1/namespaces/${namespace}/serviceaccounts`,
  StatefulSet: `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
};

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

const create = (kind: string, object: object) =>
  cluster.create<KubeObject>(collections[kind] ?? '', object);

const createVolume = (name: string) =>
  cluster.make(`PersistentVolume ${name}`, {
    metadata: { labels: { test: namespace } },
    spec: volumeSpec(name),
  });

/** An Application, its parts, and what their controllers make of them. */
async function plant(name: string, random: Random): Promise<void> {
  const root = await create('Application', {
    apiVersion: `${group}/v1`,
    kind: 'Application',
    metadata: { name },
    spec: { size: random(9) },
  });
  const owners = [{ apiVersion: `${group}/v1`, kind: 'Application', of: root }];
  /** Owned by the Application, named in any of its versions, or by a ConfigMap or Secret of it. */
  const metadataOf = (part: string) => {
    const { of, ...owner } = owners[random(owners.length)] ?? { of: root };
    const apiVersion = of === root ? `${group}/${random(2) === 0 ? 'v1' : 'v1beta1'}` : 'v1';
    const { name: ownerName, uid } = of.metadata;
    const isController = random(2) === 0;
    const reference = { ...owner, apiVersion, name: ownerName, uid };
    return {
      name: `${name}-${part}`,
      ownerReferences: [
        { ...reference, blockOwnerDeletion: random(2) === 0, controller: isController },
      ],
    };
  };
  for (let index = 0; index <= random(3); index++) {
    const kind = random(2) === 0 ? 'ConfigMap' : 'Secret';
    const of = await create(kind, { metadata: metadataOf(`part-${index}`) });
    owners.push({ apiVersion: 'v1', kind, of });
  }
  await create('ServiceAccount', { metadata: metadataOf('account') });
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
  };
  if (random(2) === 0) {
    const spec = { selector: labels, ports: [{ port: 80 }] };
    await create('Service', { metadata: metadataOf('service'), spec });
  }
  if (random(2) === 0) {
    const spec = { replicas: random(3), selector: { matchLabels: { ...labels, d: 'y' } } };
    const podLabels = { metadata: { labels: { ...labels, d: 'y' } } };
    await create('Deployment', {
      metadata: metadataOf('deployment'),
      spec: { ...spec, template: { ...template, ...podLabels } },
    });
  }
  if (random(3) === 0) {
    const spec = { ...template.spec, restartPolicy: 'Never' };
    await create('Job', {
      metadata: metadataOf('job'),
      spec: { suspend: random(2) === 0, template: { spec } },
    });
  }
  if (random(3) > 0) {
    const replicas = 1 + random(2);
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      await createVolume(`${name}-disk-${ordinal}`);
      await create('PersistentVolumeClaim', {
        metadata: { name: `data-${name}-set-${ordinal}` },
        spec: { ...claimSpec, volumeName: `${name}-disk-${ordinal}` },
      });
    }
    await create('StatefulSet', {
      metadata: metadataOf('set'),
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: 'Parallel',
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: random(4) > 0 ? 'Delete' : 'Retain',
          whenScaled: 'Retain',
        },
        selector: { matchLabels: { ...labels, s: 'y' } },
        template: { ...template, metadata: { labels: { ...labels, s: 'y' } } },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
      },
    });
  }
}

interface World {
  /** `Kind name`: its owners, the volume of a claim. */
  readonly objects: Readonly<Record<string, string>>;
  readonly uids: Readonly<Record<string, string>>;
  /** References whose owner has another uid, or is not there. */
  readonly unsound: readonly string[];
}

/** What is in the namespace, apart from pods, which come and go. */
async function look(): Promise<World> {
  const live: [string, KubeObject][] = [];
  for (const [kind, path] of Object.entries(collections)) {
    const items = await cluster.list(path);
    for (const item of items) live.push([`${kind} ${item.metadata.name}`, item]);
  }
  const uids = Object.fromEntries(live.map(([id, { metadata }]) => [id, String(metadata.uid)]));
  const unsound: string[] = [];
  const objects: Record<string, string> = {};
  for (const [id, { metadata, spec, status }] of live) {
    const references = (metadata.ownerReferences ?? []) as Record<string, unknown>[];
    for (const { kind, name, uid } of references) {
      if (uids[`${kind} ${name}`] !== uid) unsound.push(`${id} → ${kind} ${name}`);
    }
    const owners = references.map(({ uid: _, ...rest }) => JSON.stringify(rest)).sort();
    const volume = (spec as { volumeName?: string } | undefined)?.volumeName ?? '';
    const phase = (status as { phase?: string } | undefined)?.phase ?? '';
    objects[id] = [
      ...owners,
      ...(id.startsWith('PersistentVolumeClaim') ? [volume, phase] : []),
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
  `random applications come back whole, seed ${seed}`,
  async () => {
    const kubeconfig = `--kubeconfig ${cluster.kubeconfigPath}`;
    const [random, cut] = [randomFrom(seed), randomFrom(seed + 1)];
    for (let skip = 0; skip < 5; skip++) random(2);
    const told: string[] = [];
    for (let index = 0; index < count; index++) {
      const name = `app${index}`;
      await plant(name, random);
      const before = await settled('an application');
      expect(before.unsound).toEqual([]);
      const policy = ['background', 'foreground', 'orphan'][random(3)];
      told.push(`${name}: ${policy}`);
      const backup = join(folder, name);
      const deletion = await gcHere(
        `delete application/${name} -n ${namespace} --cascade=${policy} --yes --backup ${backup} ${kubeconfig}`,
      );
      expect([told, deletion.code, deletion.stderr]).toEqual([told, 0, expect.anything()]);
      await settled('what is left of it');
      for (let cuts = cut(3); cuts > 0; cuts--) await restoreCutOff(backup, cut);
      const restoration = await gcHere(`restore ${backup} --yes ${kubeconfig}`);
      expect([told, restoration.code, restoration.stderr]).toEqual([told, 0, expect.anything()]);
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
