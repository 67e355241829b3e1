import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Evicted and finished pods on a real API server. */
const plane = sharedControlPlane();
const env = { KUBECONFIG: plane.kubeconfigPath, KUBECTL_GC_BACKUP_DIR: temporaryFolder() };
const namespace = '/api/v1/namespaces/clean-up';
const pods = `${namespace}/pods`;

async function pod(name: string, status: object): Promise<void> {
  await plane.make(`Pod clean-up/${name}`, {
    spec: { containers: [{ name: 'main', image: 'example.com/main' }] },
  });
  await plane.patch(`${pods}/${name}/status`, { status });
}

async function names(): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(pods);
  return items.map(({ metadata }) => String(metadata.name)).sort();
}

beforeAll(async () => {
  await plane.make('Namespace clean-up');
  // Where the controller of them runs, it may have made it.
  const account = { metadata: { name: 'default' } };
  await plane.request(`${namespace}/serviceaccounts`, { method: 'POST', body: account });
  await pod('evicted', { phase: 'Failed', reason: 'Evicted' });
  await pod('done', { phase: 'Succeeded' });
  await pod('waiting', { phase: 'Pending' });
});

test('evicted pods go, then finished ones, and what may still run stays', async () => {
  const young = await gc('delete pods --evicted --older-than 1h -n clean-up --yes', { env });
  expect([young.code, young.stdout]).toEqual([0, 'No resources found\n']);
  const unasked = await gc('delete pods --evicted -n clean-up', { env });
  expect(unasked.code).toBe(2);
  expect(await names()).toEqual(['done', 'evicted', 'waiting']);

  const evicted = await gc('delete pods --evicted -n clean-up --yes', { env });
  expect([evicted.code, evicted.stdout], evicted.stderr).toEqual([
    0,
    'pod "evicted" deleted from clean-up namespace\n',
  ]);
  const finished = await gc('delete pods,jobs --finished -n clean-up --yes', { env });
  expect([finished.code, finished.stdout], finished.stderr).toEqual([
    0,
    'pod "done" deleted from clean-up namespace\n',
  ]);
  expect(await names()).toEqual(['waiting']);
});
