import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { workload } from '../support/workload.ts';
import { playground } from './delete-playground.ts';
import { isWatch, type ProxiedRequest, proxyOfFile } from './proxy.ts';

/** How many requests a deletion sends. */
const plane = sharedControlPlane();
const proxy = await proxyOfFile(plane);
const { run, familyIn, remove } = playground(plane);
const namespace = 'delete-requests';
const replicas = 8;
beforeAll(async () => {
  await familyIn(namespace);
});
afterAll(remove);

/** A Deployment with its ReplicaSet and Pods: ten objects. */
async function deploymentOfTen(): Promise<void> {
  await plane.make(`Deployment ${namespace}/web`, workload('web', { replicas }));
  await eventually('the Deployment has its Pods, and its status says so', async () => {
    const { status } = await plane.get(`Deployment ${namespace}/web`);
    const { updatedReplicas, observedGeneration } = Object(status);
    return updatedReplicas === replicas && observedGeneration !== undefined;
  });
}

/** Requests up to the first DELETE, without it. */
function beforeDelete(requests: readonly ProxiedRequest[]): readonly ProxiedRequest[] {
  return requests.slice(
    0,
    requests.findIndex(({ method }) => method === 'DELETE'),
  );
}

/** Paths of lists: `/apis/apps/v1/namespaces/shop/deployments`. */
function listsIn(requests: readonly ProxiedRequest[]): string[] {
  return requests
    .filter((request) => request.method === 'GET' && !isWatch(request))
    .map(({ path }) => path.replace(/\?.*/, ''))
    .filter((path) => /^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/.test(path));
}

test('a script that deletes ten objects lists no kind twice before the DELETE', async () => {
  await deploymentOfTen();
  proxy.forget();
  const line = `deployment/web -n ${namespace} --yes -s ${proxy.address}`;
  const { code, stderr } = await run(line);
  expect([code, stderr.split(':')[0]], stderr).toEqual([0, 'Backup of 10 objects']);
  const lists = listsIn(beforeDelete(proxy.requests));
  expect(lists.filter((path, index) => lists.indexOf(path) !== index)).toEqual([]);
  const kinds = new Set(lists).size;
  expect(proxy.requests.length - kinds, JSON.stringify(proxy.requests)).toBeLessThanOrEqual(23);
});

test('a deletion is planned again where an object has changed while the backup was written', async () => {
  await deploymentOfTen();
  proxy.forget();
  let isChanged = false;
  proxy.before = async ({ path }) => {
    if (isChanged || !/replicasets\/web-[^/]+$/.test(path)) return undefined;
    isChanged = true;
    await plane.merge(path.replace(/\?.*/, ''), { metadata: { annotations: { late: 'yes' } } });
    return undefined;
  };
  const line = `deployment/web -n ${namespace} --yes -s ${proxy.address}`;
  const { code, stderr } = await run(line);
  expect([code, stderr.split(':')[0]], stderr).toEqual([0, 'Backup of 10 objects']);
  const lists = listsIn(beforeDelete(proxy.requests));
  expect(lists.filter((path) => path.endsWith('/replicasets'))).toHaveLength(2);
});
