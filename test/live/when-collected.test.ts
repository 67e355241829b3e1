import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

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
    await plane.create('/api/v1/namespaces', { metadata: { name } });
  }
  ownerUid = uidOf(await plane.create<Created>(configMaps, { metadata: { name: 'owner' } }));
  const there = `/api/v1/namespaces/${elsewhere}/configmaps`;
  uidElsewhere = uidOf(
    await plane.create<Created>(there, { metadata: { name: 'owner-elsewhere' } }),
  );
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
  const gone = async () => ((await statusOf(name)) === 404 ? true : undefined);
  return eventually(`${name} is deleted`, gone);
}

function uidOf(object: Created): string {
  return object.metadata.uid;
}
