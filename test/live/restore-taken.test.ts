import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Restoration } from '../../src/restore/plan/restoration.ts';
import { gcHere } from '../support/run-here.ts';
import { type Disturbance, proxyOfFile } from './proxy.ts';
import { inNamespace, refTo, restoreStage } from './restore-stage.ts';

/** Names that somebody else takes while a restoration runs. */
const { cluster, backUp, remove, create } = restoreStage('restore-taken');
const configMaps = inNamespace('restore-taken', 'configmaps');

const proxy = await proxyOfFile(cluster);

/** An owner, and what it owns; both were applied by a pipeline, saved and deleted. */
async function lostPair(name: string): Promise<string> {
  const owner = await create(configMaps, { metadata: { name: `${name}-owner` } });
  const path = `${configMaps}/${name}?fieldManager=pipeline`;
  await cluster.request(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: [refTo(owner)] },
      data: { of: 'mine' },
    },
  });
  const owned = await cluster.get<KubeObject>(`${configMaps}/${name}`);
  const directory = await backUp(
    name,
    [owner],
    [{ ...owned, apiVersion: 'v1', kind: 'ConfigMap' }],
  );
  await remove(`${configMaps}/${name}`);
  await remove(`${configMaps}/${name}-owner`);
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
  const { metadata } = await cluster.get<KubeObject>(`${configMaps}/${name}`);
  return { code: run.code, outcome: object?.outcome, message: object?.message, metadata };
}

const managers = ({ managedFields }: KubeObject['metadata']) =>
  (managedFields as { manager: string }[]).map(({ manager }) => manager);

test('an object whose creation was taken, and not answered, is ours', async () => {
  const directory = await lostPair('unheard');
  onceFor('unheard', () => 'lose');
  const { code, outcome, message, metadata } = await restored(directory, 'unheard');
  const owner = await cluster.get<KubeObject>(`${configMaps}/unheard-owner`);
  expect([code, outcome, message]).toEqual([0, 'created', undefined]);
  expect(metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid }]);
  expect(managers(metadata)).toEqual(['pipeline']);
});

test('another object that took its name meanwhile is left as it is', async () => {
  const directory = await lostPair('taken');
  let theirs: KubeObject | undefined;
  onceFor('taken', async (): Promise<Disturbance> => {
    theirs = await create(configMaps, { metadata: { name: 'taken' }, data: { of: 'theirs' } });
    return 'drop';
  });
  const { code, outcome, message, metadata } = await restored(directory, 'taken');
  expect([code, outcome, message]).toEqual([
    0,
    'exists',
    'the answer to its creation was lost, and its name is taken now, with other content',
  ]);
  expect(metadata).toEqual(theirs?.metadata);
});

test('an object of other content that says it waits for its owner gets none', async () => {
  const directory = await lostPair('waiting');
  const annotations = { 'kubectl-gc.io/pending-owners': 'ConfigMap/waiting-owner' };
  const theirs = await create(configMaps, {
    metadata: { name: 'waiting', annotations },
    data: { of: 'theirs' },
  });
  const { code, outcome, metadata } = await restored(directory, 'waiting');
  expect([code, outcome]).toEqual([4, undefined]);
  expect(metadata).toEqual(theirs.metadata);
});
