import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';

const plane = await ownControlPlane({
  controllers: ['deployment-controller', 'replicaset-controller'],
});

const namespace = '/api/v1/namespaces/default';
const sets = '/apis/apps/v1/namespaces/default/replicasets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const protection = 'resource.kubernetes.io/delete-protection';

async function namesAt(path: string): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => String(metadata.name)).sort();
}

const forecast = async () => {
  const line = 'forecast -n default --collector replicaset-history,resourceclaim -o json';
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { items } = JSON.parse(stdout) as {
    items: { object: { name: string }; action: string }[];
  };
  return items.flatMap(({ object, action }) => (action === 'delete' ? object.name : [])).sort();
};

const podSpec = (image: string) => ({
  containers: [{ name: 'main', image: `example.com/${image}` }],
});

test('a paused Deployment whose template is new, and claims that nothing uses, end as forecast', async () => {
  const labels = { app: 'web' };
  const template = (image: string) => ({
    spec: { template: { metadata: { labels }, spec: podSpec(image) } },
  });
  await plane.create(deployments, {
    metadata: { name: 'web' },
    spec: { replicas: 0, selector: { matchLabels: labels }, ...template('a').spec },
  });
  const haveSets = (count: number) =>
    eventually(
      `${count} ReplicaSets`,
      async () => (await namesAt(sets)).length === count || undefined,
    );
  await haveSets(1);
  await plane.patch(`${deployments}/web`, template('b'));
  await haveSets(2);
  await plane.stopControllers();
  const [first, second] = await namesAt(sets);
  const paused = { paused: true, revisionHistoryLimit: 1, ...template('c').spec };
  await plane.patch(`${deployments}/web`, { spec: paused });

  const made = await plane.create<KubeObject>(`${namespace}/pods`, {
    metadata: { name: 'done' },
    spec: { nodeName: 'w1', ...podSpec('a') },
  });
  await plane.patch(`${namespace}/pods/done/status`, { status: { phase: 'Succeeded' } });
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'done', uid: made.metadata.uid };
  const spec = { devices: {} };
  await plane.create(claims, {
    metadata: { name: 'of-done', ownerReferences: [{ ...owner, controller: true }] },
    spec,
  });
  await plane.create(claims, { metadata: { name: 'idle', finalizers: [protection] }, spec });
  await plane.patch(`${claims}/idle/status`, { status: { allocation: { devices: {} } } });
  await plane.request(`${claims}/idle`, { method: 'DELETE' });

  const before = [first, second, 'idle', 'of-done'];
  const expected = await forecast();
  await plane.startControllers([
    'deployment-controller',
    'replicaset-controller',
    'resourceclaim-controller',
  ]);
  const left = async () => [...(await namesAt(sets)), ...(await namesAt(claims))];
  await eventually('three are gone', async () => (await left()).length === 1 || undefined);
  const stays = await left();
  const gone = before.filter((name) => !stays.includes(String(name)));
  expect([...expected, 'idle'].sort()).toEqual(gone.sort());
});
