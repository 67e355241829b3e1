import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readManifest } from '../../scripts/record-example/manifests.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, objectOf, recordOf } from '../../src/kube/record-codec.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { apiPath } from '../support/api-path.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** Times of the file are as long ago as they were when it was recorded. */
function exampleFile(name: string): Snapshot {
  const path = new URL(`../../examples/clusters/${name}.json.gz`, import.meta.url);
  const text = gunzipSync(readFileSync(path)).toString();
  const { observedAt } = JSON.parse(text) as { observedAt: string };
  const later = Date.now() - Date.parse(observedAt);
  const moved = text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z/g, (time) => {
    const at = new Date(Date.parse(time) + later).toISOString();
    return time.includes('.') ? at.replace('Z', '000Z') : at.replace(/\.\d+Z/, 'Z');
  });
  return decodeSnapshot(JSON.parse(moved));
}

const before = exampleFile('shop');
const after = exampleFile('shop-later');

/** What the API server makes and deletes by itself, and definitions, of which a snapshot has only a part. */
const made =
  /^(APIService|CustomResourceDefinition|FlowSchema|PriorityLevelConfiguration|IPAddress)$/;
/** What needs a kubelet or the controllers of workloads: the rollout, the runs of the CronJob, a Pod that is recreated. */
const ofWorkloads = /^(web-[0-9a-f]{8,}|abandoned-carts-|search-1$)/;

const loaded = before.records.filter(
  ({ type, namespace, name }) =>
    !made.test(type.kind) && !/^(kube-.*|default)$/.test(namespace || name),
);
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: readManifest('cluster.yaml').filter(
    ({ kind }) => kind === 'CustomResourceDefinition',
  ),
});

test('five minutes later, the cluster of the examples is as the real controllers leave it', async () => {
  await plane.putObjects(loaded.map((record) => patchable(objectOf(record))));
  await plane.startControllers([
    'garbage-collector-controller',
    'pod-garbage-collector-controller',
    'namespace-controller',
    'ttl-after-finished-controller',
    'certificatesigningrequest-cleaner-controller',
  ]);
  await sendRequests();

  const expected = left(after.records);
  await expect.poll(leftOnCluster, { timeout: 120_000, interval: 500 }).toEqual(expected);
  await sleep(10_000);
  expect(await leftOnCluster()).toEqual(expected);
  const secret = 'web-session-keys';
  const { metadata } = await plane.get(`Secret shop/${secret}`);
  expect(metadata.ownerReferences).toEqual(
    after.records.find(({ name }) => name === secret)?.ownerReferences,
  );
}, 180_000);

/** What people and kubelets did in these minutes. */
async function sendRequests(): Promise<void> {
  const pod = before.records.find(({ name }) => name.startsWith('recommendations-575c7ff47-'));
  await plane.patch(`Pod shop/${pod?.name}`, { metadata: { finalizers: null } });
  await plane.remove('Job payments/orders-migration', { propagationPolicy: 'Foreground' });
  await plane.remove('ConfigMap shop/web-settings');
  await plane.remove('Pod shop/load-test', { gracePeriodSeconds: 0 });
}

/** Those objects of the first file that are among these, by kind and name. */
function left(records: readonly ObjectRecord[]): string[] {
  const uids = new Set(loaded.map(({ uid }) => uid));
  return records
    .filter(({ uid, name }) => uids.has(uid) && !ofWorkloads.test(name))
    .map(({ type, namespace, name }) => `${type.kind} ${namespace}/${name}`)
    .sort();
}

async function leftOnCluster(): Promise<string[]> {
  const types = [...new Set(loaded.map(({ type }) => type))];
  const lists = await Promise.all(
    types.map(async (type) => {
      const { items } = await plane.get<{ items: KubeObject[] }>(apiPath(type));
      return items.map((item) => recordOf(item, type));
    }),
  );
  return left(lists.flat());
}

/** With what a snapshot leaves out of a workload, and the API server asks for when its finalizers change. */
function patchable(object: KubeObject): KubeObject {
  if (!['Deployment', 'ReplicaSet', 'Job'].includes(String(object.kind))) return object;
  const labels = { app: 'any' };
  const containers = [
    {
      name: 'app',
      image: 'example.com/app:1',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePolicy: 'File',
    },
  ];
  const restartPolicy = object.kind === 'Job' ? 'Never' : 'Always';
  const spec = { containers, restartPolicy, dnsPolicy: 'ClusterFirst' };
  const needed = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec },
    ...(object.kind === 'Job' && { manualSelector: true }),
  };
  return { ...object, spec: { ...(object.spec as object), ...needed } };
}
