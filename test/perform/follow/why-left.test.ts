import { expect, test } from 'vitest';
import { whyLeft } from '../../../src/perform/follow/left-objects.ts';
import { defaultPace, type Execution } from '../../../src/perform/run-context.ts';
import { builderOf, configMap, pod, servedTypes } from '../../support/builders.ts';
import { FakeCluster } from '../send/fake-cluster.ts';

const deletionTimestamp = '2026-01-03T00:00:00Z';
const finalizers = ['kubernetes.io/pvc-protection'];
const shop = builderOf('v1', 'Namespace')('shop');
const claimOf = (name: string) =>
  builderOf('v1', 'PersistentVolumeClaim')(name, { deletionTimestamp, finalizers });
const used = claimOf('data');
const user = pod('user', {
  facts: { nodeName: 'w1', phase: 'Running', volumes: [{ name: 'disk', claimName: 'data' }] },
});
const worker = builderOf('v1', 'Node')('w1', {
  facts: { conditions: [{ type: 'Ready', status: 'True' }] },
});
const alive = configMap('alive');
const all = [shop, used, user, worker, alive];

async function explained(
  { evidence = defaultPace.evidence, signal }: { evidence?: number; signal?: AbortSignal },
  answers = true,
) {
  const cluster = new FakeCluster(all);
  if (!answers) cluster.before = () => new Promise<undefined>(() => {});
  const execution = {
    client: cluster.client,
    types: servedTypes,
    pace: { ...defaultPace, evidence },
    options: signal ? { signal } : {},
  } as unknown as Execution;
  return [...(await whyLeft(execution, [used, alive])).keys()];
}

test('what is blocked is explained, and what is not being deleted is not', async () => {
  expect(await explained({})).toEqual([used.uid]);
});

test('nothing is explained where the server does not answer in time, or after an interruption', async () => {
  expect(await explained({ evidence: 20 }, false)).toEqual([]);
  expect(await explained({ signal: AbortSignal.timeout(20) }, false)).toEqual([]);
});
