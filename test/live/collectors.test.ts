import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/client/cluster-client.ts';
import { connect } from '../../src/client/connect.ts';
import { viewOf } from '../../src/collectors/cluster-view.ts';
import type { CollectorId } from '../../src/collectors/collector-ids.ts';
import { collectors } from '../../src/collectors/index.ts';
import type { ForecastItem, ForecastReport } from '../../src/reports/forecast.ts';
import type { PodGcPreview } from '../../src/reports/podgc-preview.ts';
import { defaultCollectorSettings } from '../../src/settings/collector-settings.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { fromCluster } from '../../src/sources/from-cluster.ts';
import { gcHere } from '../cli/run-here.ts';
import { validatorOf } from '../contract/schemas.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { cleanupCluster } from './cleanup-cluster.ts';

/** A random cluster is cleaned up by the real controllers; what, in which state and when is compared. */
const seed = 7;
const threshold = 4;
const controllers = [
  'pod-garbage-collector-controller',
  'ttl-after-finished-controller',
  'cronjob-controller',
  'certificatesigningrequest-cleaner-controller',
  'deployment-controller',
  'token-cleaner-controller',
  'serviceaccount-token-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'endpoints-controller',
  'garbage-collector-controller',
];
const kinds = [
  '/api/v1/pods',
  '/api/v1/secrets',
  '/api/v1/endpoints',
  '/api/v1/persistentvolumes',
  '/apis/batch/v1/jobs',
  '/apis/apps/v1/replicasets',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/coordination.k8s.io/v1/leases',
];
/** Controllers start 4 to 8 s late, so that the CSR cleaner sees something at once (CSR-2). */
const startsLate = 9000;
const seen = 95_000;

let plane: ControlPlane;
let client: ClusterClient;
let before: Snapshot;
let started = 0;
let report: ForecastReport;
let preview: PodGcPreview;
/** When an object was first seen changed or gone, by its uid. */
const acted = new Map<string, number>();
const left = new Map<string, Listed>();
/** The Node that goes while the controllers run. */
let nodeGone = 0;

interface Listed {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly phase?: string };
}

async function listAll(): Promise<Map<string, Listed>> {
  const lists = await Promise.all(kinds.map((path) => plane.get<{ items: Listed[] }>(path)));
  return new Map(lists.flatMap(({ items }) => items).map((item) => [item.metadata.uid, item]));
}

const stateOf = (item: Listed | undefined) =>
  item && `${item.metadata.deletionTimestamp} ${item.status?.phase}`;

async function ask<T>(command: 'forecast' | 'podgc-preview'): Promise<T> {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout, stderr, code } = await gcHere(`${command} -o json`, env);
  expect(code, stderr).toBe(0);
  const document = JSON.parse(stdout);
  const validate = validatorOf(command);
  validate(document);
  expect(validate.errors).toBe(null);
  return document;
}

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: 'none',
    objects: [
      ...cleanupCluster(seed, Date.now()),
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'leaving' } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'left-behind', namespace: 'clean-a', uid: 'left-behind' },
        spec: { nodeName: 'leaving', containers: [{ name: 'c', image: 'i' }] },
        status: { phase: 'Running' },
      } as never,
      // Where a cluster tells how its controllers were started.
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'kube-controller-manager-control-plane',
          namespace: 'kube-system',
          labels: { component: 'kube-controller-manager' },
        },
        spec: {
          containers: [
            {
              name: 'kube-controller-manager',
              image: 'registry.k8s.io/kube-controller-manager:v1.36.3',
              command: ['kube-controller-manager', `--terminated-pod-gc-threshold=${threshold}`],
            },
          ],
        },
        status: { phase: 'Running' },
      } as never,
    ],
  });
  client = await connect({ kubeconfig: plane.kubeconfigPath });
  before = await fromCluster(client, {}, { facts: true });
  report = await ask('forecast');
  preview = await ask('podgc-preview');
  const first = await listAll();
  started = Date.now();
  await plane.startControllers(controllers, [
    `--terminated-pod-gc-threshold=${threshold}`,
    '--controller-start-interval=4s',
  ]);
  while (Date.now() < started + seen) {
    if (nodeGone === 0 && Date.now() > started + startsLate) {
      await plane.request('/api/v1/nodes/leaving', { method: 'DELETE' });
      nodeGone = Date.now();
    }
    const now = await listAll();
    for (const [uid, item] of first) {
      if (!acted.has(uid) && stateOf(now.get(uid)) !== stateOf(item)) acted.set(uid, Date.now());
    }
    left.clear();
    for (const [uid, item] of now) left.set(uid, item);
    await sleep(500);
  }
});

afterAll(async () => {
  client?.close();
  await plane?.stop();
});

const settings = { ...defaultCollectorSettings, terminatedPodGCThreshold: threshold, controllers };

function decisionsOf(id: CollectorId) {
  const collector = collectors.find((one) => one.id === id);
  // The hourly pass begins with the controllers.
  const lastPasses = new Map([['csr-cleaner' as const, started - 3_600_000]]);
  return collector?.decide(viewOf(before), settings, started, { lastPasses }) ?? [];
}

test.each<[CollectorId, string, number]>([
  ['pod-garbage-collector', 'Pod', 80_000],
  ['ttl-after-finished', 'Job', 0],
  ['cronjob-history', 'Job', 0],
  ['replicaset-history', 'ReplicaSet', 0],
  ['csr-cleaner', 'CertificateSigningRequest', 0],
  ['bootstrap-token-cleaner', 'Secret', 0],
  ['serviceaccount-token', 'Secret', 0],
  ['endpointslice', 'Endpoints', 0],
])('%s acts on what was foretold, when it was foretold', (id) => {
  const due = decisionsOf(id).filter(({ notBefore }) => notBefore <= started + seen - startsLate);
  expect(due.length).toBeGreaterThan(0);
  const visible = due.filter(
    ({ object, patch }) =>
      object.finalizers.length === 0 ||
      patch !== undefined ||
      object.deletionTimestamp === undefined,
  );
  const wrong = visible.flatMap(({ object, notBefore, notAfter, because }) => {
    const at = acted.get(object.uid);
    const latest = Math.min(notAfter ?? Number.POSITIVE_INFINITY, started + seen) + startsLate;
    const isRight = at !== undefined && at >= notBefore - 1500 && at <= latest;
    return isRight ? [] : [[object.name, at && at - started, notBefore - started, because]];
  });
  expect(wrong).toEqual([]);
});

test('nothing else is touched', () => {
  const foretold = new Set(
    collectors.flatMap(({ id }) => decisionsOf(id)).map(({ object }) => object.uid),
  );
  const untold = [...acted.keys()].filter((uid) => !foretold.has(uid) && uid !== 'left-behind');
  const names = new Map(
    before.records.map((record) => [record.uid, `${record.type.kind} ${record.name}`]),
  );
  expect(untold.map((uid) => names.get(uid) ?? uid)).toEqual([]);
});

test('pods end in the state that was foretold', () => {
  const decisions = new Map(
    decisionsOf('pod-garbage-collector').map((one) => [one.object.uid, one]),
  );
  const foretold = before.records
    .filter(({ type, uid, name, finalizers }) => {
      return (
        type.kind === 'Pod' &&
        name.startsWith('pod-') &&
        (!decisions.has(uid) || finalizers.length > 0)
      );
    })
    .map(({ uid, name, facts }) => [name, decisions.get(uid)?.patch ? 'Failed' : facts?.phase]);
  const found = [...left.values()]
    .filter(({ metadata }) => metadata.name.startsWith('pod-'))
    .map(({ metadata, status }) => [metadata.name, status?.phase]);
  expect(found.sort()).toEqual(foretold.sort());
});

test('a second wave follows the first (PG-8)', () => {
  const decisions = decisionsOf('pod-garbage-collector');
  const timesOf = (wanted: string) =>
    decisions.flatMap(({ object, rule }) => (rule === wanted ? (acted.get(object.uid) ?? []) : []));
  const [first, second] = [timesOf('PG-5'), timesOf('PG-8')];
  expect([first.length > 0, second.length > 0]).toEqual([true, true]);
  // Passes are 20 s apart, and the cluster is looked at twice a second.
  expect(Math.min(...second) - Math.max(...first)).toBeGreaterThan(15_000);
});

test('a pod goes 40 to 80 seconds after its Node (PG-15)', () => {
  const after = ((acted.get('left-behind') ?? Number.NaN) - nodeGone) / 1000;
  expect(after).toBeGreaterThan(39);
  expect(after).toBeLessThan(82);
});

test('volumes: deleted, Failed, or left to their provisioner', () => {
  const volumes = [...left.values()].flatMap(({ metadata, status }) =>
    ['retained', 'undeletable', 'misplaced', 'external', 'deletable'].includes(metadata.name)
      ? [[metadata.name, status?.phase]]
      : [],
  );
  expect(volumes.sort()).toEqual([
    ['external', 'Released'],
    ['misplaced', 'Failed'],
    ['retained', 'Released'],
    ['undeletable', 'Failed'],
  ]);
});

test('the API server drops the Lease of one that is gone, and no other', () => {
  const names = [...left.values()].map(({ metadata }) => metadata.name);
  expect(names).toContain('apiserver-young');
  expect(names).toContain('leader-old');
  expect(names).not.toContain('apiserver-old');
});

test('podgc-preview reads the threshold from the cluster, and says the same as its collector', () => {
  expect(preview.settings).toEqual({
    enabled: true,
    terminatedPodGCThreshold: threshold,
    source: 'cluster',
  });
  expect(preview.items.map(({ object }) => object.uid)).toEqual(
    decisionsOf('pod-garbage-collector').map(({ object }) => object.uid),
  );
});

test('forecast says the same as the collectors', () => {
  const uidsOf = (id: string) =>
    report.items
      .filter(({ collector }: ForecastItem) => collector === id)
      .map(({ object }) => object.uid)
      .sort();
  for (const id of ['ttl-after-finished', 'cronjob-history', 'replicaset-history'] as const) {
    expect(uidsOf(id)).toEqual(
      decisionsOf(id)
        .map(({ object }) => object.uid)
        .sort(),
    );
  }
});
