import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Restoration } from '../../src/restore/plan/restoration.ts';
import { pathOf } from '../support/object-address.ts';
import { gcHere } from '../support/run-here.ts';
import { type Disturbance, proxyOfFile } from './proxy.ts';
import { refTo, restoreStage } from './restore-stage.ts';

/** Whose an object is: names that somebody else takes while a restoration runs, and who manages its fields. */
const { cluster, backUp, restoreOf, remove } = restoreStage('restore-taken');
const configMap = (name: string) => `ConfigMap restore-taken/${name}`;

const proxy = await proxyOfFile(cluster);

/** Server-side apply, as a manager who does not force it. */
const apply = (manager: string, path: string, object: object) =>
  cluster.request(`${path}?fieldManager=${manager}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: object,
  });

/** An owner, and what it owns; both were applied by a pipeline, saved and deleted. */
async function lostPair(name: string): Promise<string> {
  const owner = await cluster.make(configMap(`${name}-owner`));
  await apply('pipeline', pathOf(configMap(name)), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ownerReferences: [refTo(owner)] },
    data: { of: 'mine' },
  });
  const directory = await backUp(name, [owner], [await cluster.get(configMap(name))]);
  await remove(configMap(name));
  await remove(configMap(`${name}-owner`));
  return directory;
}

/** The first request that creates this object meets a fault. */
function onceFor(name: string, fault: () => Promise<Disturbance> | Disturbance): void {
  let isMet = false;
  proxy.before = ({ method }, body) => {
    if (isMet || method !== 'POST' || !body.includes(`"name":"${name}"`)) return undefined;
    isMet = true;
    return fault();
  };
}

async function restored(directory: string, name: string) {
  const run = await gcHere(`restore ${directory} --yes -o json --server ${proxy.address}`);
  const { objects } = JSON.parse(run.stdout) as Restoration;
  const object = objects.find((one) => one.name === name);
  const { metadata } = await cluster.get(configMap(name));
  return { code: run.code, outcome: object?.outcome, message: object?.message, metadata };
}

type Entry = { manager: string; operation: string; subresource?: string; fieldsV1: object };
const managedFields = (metadata: KubeObject['metadata']) => metadata.managedFields as Entry[];

test('an object whose creation was taken, and not answered, is ours', async () => {
  const directory = await lostPair('unheard');
  onceFor('unheard', () => 'lose');
  const { code, outcome, message, metadata } = await restored(directory, 'unheard');
  const owner = await cluster.get(configMap('unheard-owner'));
  expect([code, outcome, message]).toEqual([0, 'created', undefined]);
  expect(metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid }]);
  expect(managedFields(metadata).map(({ manager }) => manager)).toEqual(['pipeline']);
});

test('another object that took its name meanwhile is left as it is, which is a failure', async () => {
  const directory = await lostPair('taken');
  let theirs: KubeObject | undefined;
  onceFor('taken', async (): Promise<Disturbance> => {
    theirs = await cluster.make(configMap('taken'), { data: { of: 'theirs' } });
    return 'drop';
  });
  const { code, outcome, message, metadata } = await restored(directory, 'taken');
  expect([code, outcome, message]).toEqual([
    4,
    'faulty',
    'the answer to its creation was lost, and its name is taken now, with other content',
  ]);
  expect(metadata).toEqual(theirs?.metadata);
});

test('an object of other content that says it waits for its owner gets none', async () => {
  const directory = await lostPair('waiting');
  const annotations = { 'kubectl-gc.io/pending-owners': 'ConfigMap/waiting-owner' };
  const theirs = await cluster.make(configMap('waiting'), {
    metadata: { annotations },
    data: { of: 'theirs' },
  });
  const { code, outcome, metadata } = await restored(directory, 'waiting');
  expect([code, outcome]).toEqual([4, undefined]);
  expect(metadata).toEqual(theirs.metadata);
});

test('a restored object has its field managers, and the next server-side apply is no conflict', async () => {
  const web = 'Deployment restore-taken/web';
  const labels = { app: 'web' };
  const applied = (manager: string, spec: object) =>
    apply(manager, pathOf(web), {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
      spec,
    });
  const wanted = (image: string) => ({
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
  });
  const managers = async () =>
    managedFields((await cluster.get(web)).metadata)
      .filter(({ subresource }) => subresource === undefined)
      .map((one) => `${one.manager} ${one.operation} ${JSON.stringify(one.fieldsV1)}`)
      .sort();
  expect((await applied('pipeline', wanted('shop/web:1'))).status).toBe(201);
  expect((await applied('autoscaler', { replicas: 0 })).status).toBe(200);
  const before = await managers();
  const directory = await backUp('web', [await cluster.get(web)]);
  await remove(web);
  expect((await restoreOf(`${directory} --yes`)).ends).toEqual({ 'Deployment web': 'created' });
  const after = await managers();
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after.filter((one) => one.startsWith('kubectl-gc'))).toEqual([]);
  const again = await applied('pipeline', wanted('shop/web:2'));
  expect([again.status, again.body]).toEqual([200, expect.stringContaining('shop/web:2')]);
  const other = await applied('intruder', wanted('shop/web:3'));
  expect([other.status, other.body]).toEqual([409, expect.stringContaining('pipeline')]);
});
