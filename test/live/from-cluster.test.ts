import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { type Discovery, discover } from '../../src/cluster/list/discover.ts';
import { fromClusterObjects } from '../../src/cluster/list/get-objects.ts';
import { listObjects } from '../../src/cluster/list/list-objects.ts';
import { fromFiles } from '../../src/files/from-files.ts';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import {
  apiVersionOf,
  groupResourceOf,
  isMonitored,
  type ResourceType,
} from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { postToEtcd } from '../support/etcd-storage.ts';
import { eventually } from '../support/eventually.ts';
import { objectsWithFacts } from '../support/objects-with-facts.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { makeDeadApi } from '../support/served-kinds.ts';
import { podsPerTeam, teamObjects, teams } from './team-objects.ts';

let client: ClusterClient;
let discovery: Discovery;
let cluster: Snapshot;
const podsWithFacts = objectsWithFacts.filter(({ object: { kind } }) => kind === 'Pod');
const podCount = teams.length * podsPerTeam + 2 + podsWithFacts.length;

const plane = await ownControlPlane({
  controllers: 'none',
  // Pages then come from etcd, as on servers before v1.34, and can expire.
  apiServerArgs: ['--feature-gates=ListFromCacheSnapshot=false'],
  definitions: exampleDefinitions,
  objects: [...teamObjects, ...objectsWithFacts.map(({ object }) => object)],
});
beforeAll(async () => {
  await makeDeadApi(plane, 'metrics.k8s.io', 'v1beta1');
  client = await connect({ kubeconfig: plane.kubeconfigPath });
  discovery = await eventually('the broken API', async () => {
    const found = await discover(client);
    return found.types.failed.length > 0 ? found : undefined;
  });
  cluster = await fromCluster(client, {}, { discovery, facts: 'all' });
});

afterAll(async () => {
  client.close();
});

test('discovery agrees with kubectl api-resources', async () => {
  const { stdout } = await plane.kubectl(['api-resources', '-o', 'json']);
  const { resources } = JSON.parse(stdout) as { resources: ApiResource[] };
  const known = resources.map(({ name, singularName, group = '', ...resource }) => {
    const { version, kind, namespaced, verbs, shortNames = [], categories = [] } = resource;
    const names = { kind, resource: name, singular: singularName, shortNames, categories };
    return { group, version, namespaced, verbs, ...names };
  });
  const { types, serverVersion } = discovery;
  expect(known.length).toBeGreaterThan(60);
  expect(types.preferred().toSorted(byResource)).toEqual(known.toSorted(byResource));
  expect(types.failed).toEqual([
    {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      message:
        'the API metrics.k8s.io/v1beta1 is not answering, so the kinds it serves are unknown',
    },
  ]);
  expect(serverVersion).toBe(plane.serverVersion);
});

test('the cluster reads like the files that kubectl get writes of it', async () => {
  const types = discovery.types.preferred().filter(isMonitored);
  const kinds = types.map(groupResourceOf).join();
  const { stdout } = await plane.kubectl(['get', kinds, '-A', '-o', 'json']);
  const path = join(plane.directory, 'everything.json');
  writeFileSync(path, stdout);
  const now = () => new Date();
  const files = await fromFiles([path], { now, complete: true });
  expect(cluster.records.length).toBeGreaterThan(teamObjects.length);
  expect(comparableRecords(cluster.records)).toEqual(comparableRecords(files.records));
  expect(cluster.coverage).toEqual({
    read: expect.toSatisfy((read: unknown[]) => read.length === types.length),
    asked: [],
    problems: [
      {
        reason: 'discovery-failed',
        apiVersion: 'metrics.k8s.io/v1beta1',
        message:
          'the API metrics.k8s.io/v1beta1 is not answering, so the kinds it serves are unknown',
      },
    ],
  });
});

test('a saved snapshot says the same', () => {
  const saved = [...encodeSnapshot(cluster, crc32)].join('');
  expect(saved).not.toMatch(/hush|aHVza/);
  expect(decodeSnapshot(JSON.parse(saved)).records).toEqual(cluster.records);
});

test('objects that are asked for one by one say the same, but Secrets', async () => {
  const told = new Set(
    objectsWithFacts.map(({ object }) => `${object.kind} ${object.metadata.name}`),
  );
  const asked = cluster.records.filter(
    ({ type: { kind }, name }) =>
      told.has(`${kind} ${name}`) && kind !== 'Secret' && kind !== 'Lease',
  );
  expect(asked.length).toBeGreaterThan(objectsWithFacts.length / 2);
  const { records } = await fromClusterObjects(client, discovery, asked, { facts: 'all' });
  expect(comparableRecords(records)).toEqual(comparableRecords(asked));
});

test('metadata alone has no facts', async () => {
  const { records } = await fromCluster(client, {}, { discovery });
  expect(records.filter(({ facts }) => facts !== undefined)).toEqual([]);
  expect(records.length).toBeGreaterThanOrEqual(objectsWithFacts.length);
});

test('pages, one piece, cache and newest state give the same objects', async () => {
  const pods = typeOf('v1', 'Pod');
  const whole = await listObjects(client, pods, undefined);
  expect(whole.records).toHaveLength(podCount);
  for (const options of [
    { pageSize: 300 },
    { freshness: 'latest' },
    { freshness: 'latest', pageSize: 100 },
    { uncompressed: true },
  ] as const) {
    const { records } = await listObjects(client, pods, undefined, options);
    expect(records).toEqual(whole.records);
  }
});

test('a list that expires between two pages is complete all the same', async () => {
  const pods = typeOf('v1', 'Pod');
  const statuses: number[] = [];
  const compacting: ClusterClient = {
    ...client,
    request: async (request) => {
      if (statuses.length === 1) {
        await plane.make('ConfigMap team-d/later');
        await compact(plane.etcd);
      }
      const response = await client.request(request);
      statuses.push(response.status);
      return response;
    },
  };
  const { records } = await listObjects(compacting, pods, undefined, { pageSize: 300 });
  expect(statuses).toEqual([200, 410, 200, 200]);
  const names = records.map(({ namespace, name }) => `${namespace}/${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(podCount);
});

/** Has the etcd at this address forget everything but its present state, as it does every five minutes. */
async function compact(etcd: string): Promise<void> {
  const key = Buffer.from('none').toString('base64');
  const { header } = await postToEtcd<{ header: { revision: string } }>(etcd, 'range', { key });
  await postToEtcd(etcd, 'compaction', { revision: header.revision, physical: true });
}

interface ApiResource extends Omit<ResourceType, 'resource' | 'singular'> {
  readonly name: string;
  readonly singularName: string;
}

function typeOf(apiVersion: string, kind: string): ResourceType {
  const type = discovery.types.find(apiVersion, kind);
  if (!type) throw new Error(`nobody serves ${apiVersion} ${kind}`);
  return type;
}

function byResource(a: ResourceType, b: ResourceType): number {
  return groupResourceOf(a) < groupResourceOf(b) ? -1 : 1;
}

/** Records in an order of their own, without what depends on where and when they were read. */
function comparableRecords(records: readonly ObjectRecord[]): object[] {
  return records
    .map((one) => {
      const { type, place: _, ...record } = one;
      const kind = `${apiVersionOf(type)} ${type.kind} ${type.resource} ${type.namespaced}`;
      const key = `${kind} ${record.namespace}/${record.name}`;
      // The cluster is asked for the types of tokens alone.
      const isToken = record.facts?.secretType?.endsWith('token');
      if (type.kind === 'Secret' && !isToken) return { key, ...record, facts: undefined };
      if (type.kind !== 'Lease') return { key, ...record };
      // The API server keeps renewing its own lease.
      const facts = { ...record.facts, renewTime: undefined };
      return { key, ...record, resourceVersion: undefined, facts };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
