import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { type Discovery, discover } from '../../src/cluster/list/discover.ts';
import { fromClusterObjects } from '../../src/cluster/list/get-objects.ts';
import { fromFiles } from '../../src/files/from-files.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { groupResourceOf, isMonitored } from '../../src/kube/resource-type.ts';
import { encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { objectsWithFacts } from '../support/objects-with-facts.ts';
import { comparableRecords } from './comparable-records.ts';

let plane: ControlPlane;
let client: ClusterClient;
let discovery: Discovery;
let cluster: Snapshot;

beforeAll(async () => {
  const objects = objectsWithFacts.map(({ object }) => object);
  plane = await startControlPlane({ controllers: 'none', objects });
  client = await connect({ kubeconfig: plane.kubeconfigPath });
  discovery = await discover(client);
  cluster = await fromCluster(client, {}, { discovery, facts: 'all' });
});

afterAll(async () => {
  client.close();
  await plane.stop();
});

function known(kind: string, name: unknown): ObjectRecord | undefined {
  return cluster.records.find((record) => record.type.kind === kind && record.name === name);
}

test.each(objectsWithFacts)('$object.kind: $what', ({ object, facts }) => {
  const record = known(object.kind, object.metadata.name);
  // The API server adds defaults.
  if (facts) expect(record?.facts).toMatchObject(facts);
  else expect([record?.name, record?.facts]).toEqual([object.metadata.name, undefined]);
});

test('files that kubectl get writes of the cluster say the same', async () => {
  const kinds = discovery.types.preferred().filter(isMonitored).map(groupResourceOf).join();
  const { stdout } = await plane.kubectl(['get', kinds, '-A', '-o', 'json']);
  const path = join(plane.directory, 'everything.json');
  writeFileSync(path, stdout);
  const files = await fromFiles([path], { now: () => new Date(), complete: true });
  expect(comparableRecords(cluster.records)).toEqual(comparableRecords(files.records));
});

test('a saved snapshot says the same', () => {
  const saved = [...encodeSnapshot(cluster, crc32)].join('');
  expect(saved).not.toMatch(/hush|aHVza/);
  expect(decodeSnapshot(JSON.parse(saved)).records).toEqual(cluster.records);
});

test('objects that are asked for one by one say the same, but Secrets', async () => {
  const asked = cluster.records.filter(
    ({ type: { kind } }) => kind !== 'Secret' && kind !== 'Lease',
  );
  const { records } = await fromClusterObjects(client, discovery, asked, { facts: 'all' });
  expect(comparableRecords(records)).toEqual(comparableRecords(asked));
});

test('metadata alone has no facts', async () => {
  const { records } = await fromCluster(client, {}, { discovery });
  expect(records.filter(({ facts }) => facts !== undefined)).toEqual([]);
  expect(records.length).toBeGreaterThanOrEqual(objectsWithFacts.length);
});
