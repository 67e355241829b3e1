import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import type { InvalidReferencesReport } from '../../src/output/documents/invalid-references.ts';
import type { OrphansReport } from '../../src/output/documents/orphans.ts';
import type { DiagnosisReport } from '../../src/output/documents/why.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';

/** When the garbage collector acts on a wrong reference that is written while it runs. */
const namespace = 'when-collected';
const elsewhere = 'when-collected-elsewhere';
const collector = ['garbage-collector-controller'];
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const unknownUid = '6d1f3a52-0c58-4d0b-9c3e-1a2b3c4d5e02';

interface Created {
  readonly metadata: { readonly uid: string };
}

let ownerUid: string;
let uidElsewhere: string;

const plane = await ownControlPlane({ controllers: collector });
beforeAll(async () => {
  for (const name of [namespace, elsewhere]) {
    await plane.make(`Namespace ${name}`);
  }
  ownerUid = uidOf(await plane.make<Created>(`ConfigMap ${namespace}/owner`));
  uidElsewhere = uidOf(await plane.make<Created>(`ConfigMap ${elsewhere}/owner-elsewhere`));
  // What is written from here on is written long after the garbage collector has read everything.
  await write('first', reference({ name: 'never-existed', uid: unknownUid }));
  await goes('first');
});

const wrongReferences = [
  ['missing-owner', () => reference({ name: 'never-existed', uid: unknownUid })],
  ['owner-uid-mismatch', () => reference({ uid: unknownUid })],
  ['owner-name-mismatch', () => reference({ name: 'another-name' })],
  ['owner-kind-mismatch', () => reference({ kind: 'Secret' })],
  ['cross-namespace-owner', () => reference({ name: 'owner-elsewhere', uid: uidElsewhere })],
] as const;

test.each(wrongReferences)(
  'a running garbage collector deletes an object that is created with a reference of class %s within seconds',
  async (rule, wrong) => {
    await write(rule, wrong());
    await goes(rule);
  },
);

test.each(wrongReferences)(
  'a running garbage collector deletes an object that gets a reference of class %s as its first within seconds',
  async (rule, wrong) => {
    await write(`${rule}-later`);
    await plane.patch(`${configMaps}/${rule}-later`, {
      metadata: { ownerReferences: [wrong()] },
    });
    await goes(`${rule}-later`);
  },
);

test('a reference that is changed but keeps its uid is not looked at before kube-controller-manager restarts', async () => {
  await write('changed', reference({}));
  await plane.patch(`${configMaps}/changed`, {
    metadata: { ownerReferences: [reference({ name: 'another-name' })] },
  });
  // Written later and deleted: the garbage collector has seen the change by then.
  await write('written-later', reference({ name: 'never-existed', uid: unknownUid }));
  await goes('written-later');
  expect(await statusOf('changed')).toBe(200);
  await plane.stopControllers();
  await plane.startControllers(collector);
  await goes('changed');
});

// The garbage collector does not watch Events: what it does with their dependents, and what commands say of them.
test('what an Event in foreground deletion owns stays while the Event is there, and all commands say so', async () => {
  // An owner that the garbage collector saw before its dependents would be let go without them.
  await plane.stopControllers();
  await plane.make('Namespace event-owners');
  await plane.putObjects([mail('Event'), mail('Secret'), ofMail('Event'), ofMail('Secret')]);
  await plane.startControllers(collector);
  await eventually('the end of the ConfigMap of the Secret', async () => {
    const names = await left();
    return !names.includes('of-secret');
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

function reference(changes: { kind?: string; name?: string; uid?: string }) {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: ownerUid, ...changes };
}

async function write(name: string, owner?: ReturnType<typeof reference>): Promise<void> {
  const metadata = { name, ...(owner && { ownerReferences: [owner] }) };
  await plane.create(configMaps, { metadata });
}

async function statusOf(name: string): Promise<number> {
  return (await plane.request(`${configMaps}/${name}`)).status;
}

function goes(name: string): Promise<true> {
  const gone = async () => (await statusOf(name)) === 404;
  return eventually(`${name} is deleted`, gone);
}

function uidOf(object: Created): string {
  return object.metadata.uid;
}

function mail(kind: 'Event' | 'Secret'): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: 'mail',
      namespace: 'event-owners',
      uid: `mail-${kind}`,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['foregroundDeletion', 'example.com/wait'],
    },
    ...(kind === 'Event' && { involvedObject: { namespace: 'event-owners' } }),
  };
}

function ofMail(kind: 'Event' | 'Secret'): KubeObject {
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
    metadata: { name, namespace: 'event-owners', uid: name, ownerReferences: [reference] },
  };
}

async function ask<T>(line: string): Promise<T> {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout, stderr } = await gcHere(`${line} -n event-owners -o json`, env);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const left = async () => {
  const path = '/api/v1/namespaces/event-owners/configmaps';
  const { items } = await plane.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => metadata.name).filter((name) => `${name}`.startsWith('of-'));
};
