import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { InvalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** When the garbage collector acts on a wrong reference that is written while it runs. */
const collector = ['garbage-collector-controller'];
const unknownUid = '6d1f3a52-0c58-4d0b-9c3e-1a2b3c4d5e02';
const plane = await ownControlPlane({ controllers: collector });
const { json } = askingOf(plane);

const at = (name: string) => `ConfigMap when-collected/${name}`;
let ownerUid: unknown;
let uidElsewhere: unknown;

const reference = (changes: { kind?: string; name?: string; uid?: unknown }) => {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: ownerUid, ...changes };
};
const write = (name: string, ...ownerReferences: object[]) =>
  plane.make(at(name), { metadata: { ownerReferences } });
const change = (name: string, ...ownerReferences: object[]) =>
  plane.patch(at(name), { metadata: { ownerReferences } });
const toNobody = () => reference({ name: 'never-existed', uid: unknownUid });

beforeAll(async () => {
  for (const name of ['when-collected', 'elsewhere']) await plane.make(`Namespace ${name}`);
  ownerUid = (await plane.make(at('owner'))).metadata.uid;
  uidElsewhere = (await plane.make('ConfigMap elsewhere/owner-elsewhere')).metadata.uid;
  // What is written from here on is written long after the garbage collector has read everything.
  await write('first', toNobody());
  await untilGone(plane, at('first'));
});

const wrongReferences = [
  ['missing-owner', toNobody],
  ['owner-uid-mismatch', () => reference({ uid: unknownUid })],
  ['owner-name-mismatch', () => reference({ name: 'another-name' })],
  ['owner-kind-mismatch', () => reference({ kind: 'Secret' })],
  ['cross-namespace-owner', () => reference({ name: 'owner-elsewhere', uid: uidElsewhere })],
] as const;

test.each(wrongReferences)(
  'a garbage collector deletes an object created with a reference of class %s within seconds',
  async (rule, wrong) => {
    await write(rule, wrong());
    await untilGone(plane, at(rule));
  },
);

test.each(wrongReferences)(
  'a garbage collector deletes an object given a first reference of class %s within seconds',
  async (rule, wrong) => {
    await write(`${rule}-later`);
    await change(`${rule}-later`, wrong());
    await untilGone(plane, at(`${rule}-later`));
  },
);

test('a reference that is changed but keeps its uid is not looked at before kube-controller-manager restarts', async () => {
  await write('changed', reference({}));
  await change('changed', reference({ name: 'another-name' }));
  // Written later and deleted: the garbage collector has seen the change by then.
  await write('written-later', toNobody());
  await untilGone(plane, at('written-later'));
  expect(await plane.isHealthy(at('changed'))).toBe(true);
  await plane.stopControllers();
  await plane.startControllers(collector);
  await untilGone(plane, at('changed'));
});

/** An Event or a Secret that is being deleted in the foreground, and a ConfigMap that it owns. */
function mailOf(kind: 'Event' | 'Secret'): KubeObject[] {
  const namespace = 'event-owners';
  const uid = `mail-${kind}`;
  const name = `of-${kind.toLowerCase()}`;
  const owner = { apiVersion: 'v1', kind, name: 'mail', uid, blockOwnerDeletion: true };
  const mail = {
    apiVersion: 'v1',
    kind,
    metadata: {
      ...{ name: 'mail', namespace, uid },
      ...{ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
      finalizers: ['foregroundDeletion', 'example.com/wait'],
    },
    ...(kind === 'Event' && { involvedObject: { namespace } }),
  };
  const metadata = { name, namespace, uid: name, ownerReferences: [owner] };
  return [mail, { apiVersion: 'v1', kind: 'ConfigMap', metadata }];
}

// The garbage collector does not watch Events: what it does with their dependents, and what commands say of them.
test('what an Event in foreground deletion owns stays while the Event is there, and all commands say so', async () => {
  // An owner that the garbage collector saw before its dependents would be let go without them.
  await plane.stopControllers();
  await plane.make('Namespace event-owners');
  await plane.putObjects([...mailOf('Event'), ...mailOf('Secret')]);
  await plane.startControllers(collector);
  await untilGone(plane, 'ConfigMap event-owners/of-secret');
  const ask = <T>(line: string) => json<T>(`${line} -n event-owners`);
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
  await sleep(5_000);
  const left = await plane.names('ConfigMap event-owners/');
  expect(left.filter((name) => name.startsWith('of-'))).toEqual(['of-event']);
});
