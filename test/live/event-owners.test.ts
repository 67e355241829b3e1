import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import type { InvalidReferencesReport } from '../../src/output/documents/invalid-references.ts';
import type { OrphansReport } from '../../src/output/documents/orphans.ts';
import type { DiagnosisReport } from '../../src/output/documents/why.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';

/** The garbage collector does not watch Events: what it does with their dependents, and what commands say of them. */
let plane: ControlPlane;
const namespace = 'event-owners';

beforeAll(async () => {
  plane = await startControlPlane({ controllers: 'none' });
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.putObjects([owner('Event'), owner('Secret'), owned('Event'), owned('Secret')]);
  // An owner that the garbage collector saw before its dependents would be let go without them.
  await plane.startControllers(['garbage-collector-controller']);
});
afterAll(() => plane?.stop());

function owner(kind: 'Event' | 'Secret'): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: 'mail',
      namespace,
      uid: `mail-${kind}`,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['foregroundDeletion', 'example.com/wait'],
    },
    ...(kind === 'Event' && { involvedObject: { namespace } }),
  };
}

function owned(kind: 'Event' | 'Secret'): KubeObject {
  const reference = {
    apiVersion: 'v1',
    kind,
    name: 'mail',
    uid: `mail-${kind}`,
    blockOwnerDeletion: true,
  };
  const name = `of-${kind.toLowerCase()}`;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid: name, ownerReferences: [reference] },
  };
}

async function ask<T>(line: string): Promise<T> {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout, stderr } = await gcHere(`${line} -n ${namespace} -o json`, env);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const left = async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { items } = await plane.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => metadata.name).filter((name) => `${name}`.startsWith('of-'));
};

test('what an Event in foreground deletion owns stays while the Event is there, and all commands say so', async () => {
  await eventually('the end of the ConfigMap of the Secret', async () => {
    const names = await left();
    return names.includes('of-secret') ? undefined : true;
  });
  const { items: due } = await ask<ForecastReport>('forecast --within 1h');
  const { items: lost } = await ask<OrphansReport>('orphans');
  const { items: wrong } = await ask<InvalidReferencesReport>('invalid-ownerrefs');
  const { items: said } = await ask<DiagnosisReport>('why configmap/of-event');
  expect([due, lost]).toEqual([[], []]);
  expect(wrong.map((one) => [one.class, one.consequences])).toEqual([['event-owner', ['none']]]);
  expect(said.map(({ state, chain }) => [state, chain.cause, chain.because])).toEqual([
    [
      'alive',
      'owned',
      'Event mail is being deleted in the foreground; the garbage collector does not watch Events: it notices the end of this one late, and looks at the object then',
    ],
  ]);
  // Ten polls of the garbage collector, which doubles its pause from 5 ms on.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await left()).toEqual(['of-event']);
});
