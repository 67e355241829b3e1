import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { noMore, refTo, restoreStage } from './restore-stage.ts';

/** Claims get the volumes that hold their data, while controllers make claims and bind whatever is free. */
const namespace = 'restore-claims';
const { cluster, backUp, restoreOf, remove } = restoreStage(namespace);
const at = (kind: string, name = '') => `${kind} ${namespace}/${name}`;
const claims = at('PersistentVolumeClaim');
const specOf = (object: KubeObject) => object.spec as Record<string, unknown>;
const phaseOf = (object: KubeObject) => (object.status as { phase?: string } | undefined)?.phase;

const createVolume = (name: string, more: object = {}) =>
  cluster.make(`PersistentVolume ${name}`, {
    metadata: { labels: { test: namespace } },
    spec: volumeSpec(name, more),
  });
const createClaim = (name: string, volumeName: string) =>
  cluster.make(`${claims}${name}`, { spec: { ...claimSpec, volumeName } });

/** Until these claims are bound to these volumes. */
const untilBound = (volumes: Readonly<Record<string, string>>) =>
  eventually(`bound claims ${Object.keys(volumes)}`, async () => {
    const bound = (await cluster.list(claims)).filter((claim) => phaseOf(claim) === 'Bound');
    const found = bound.map((claim) => [claim.metadata.name, specOf(claim).volumeName].join());
    return Object.entries(volumes).every((pair) => found.includes(pair.join()));
  });
/** Until each claim is owned by this object of now alone. */
const untilOwned = (names: readonly string[], owner: string) =>
  eventually(`claims of ${owner}`, async () => {
    const { uid } = (await cluster.get(owner)).metadata;
    const owners = (await cluster.list(claims)).flatMap(({ metadata }) =>
      names.includes(`${metadata.name}`)
        ? [(metadata.ownerReferences as { uid: string }[] | undefined)?.map((one) => one.uid)]
        : [],
    );
    return owners.length === names.length && owners.every((uids) => `${uids}` === uid);
  });
/** A claim template whose claims go when their StatefulSet does. */
const claimsOfSet = {
  persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
  volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
};

beforeAll(async () => {
  // Free volumes that suit every claim.
  for (let index = 0; index < 6; index++) await createVolume(`claims-spare-${index}`);
  return () => cluster.remove(`/api/v1/persistentvolumes?labelSelector=test%3D${namespace}`);
});

test('a volume is restored before its claim, and a StatefulSet that is refused leaves the claim to a later run', async () => {
  const db = at('StatefulSet', 'db');
  await createVolume('claims-kept');
  const claim = await createClaim('data-db-0', 'claims-kept');
  await untilBound({ 'data-db-0': 'claims-kept' });
  const spec = { replicas: 1, serviceName: 'db', ...claimsOfSet };
  const set = await cluster.make(db, workload('db', spec));
  await untilOwned(['data-db-0'], db);
  const owned = await cluster.get(`${claims}data-db-0`);
  expect(owned.metadata.uid).toBe(claim.metadata.uid);
  const bound = await cluster.get('PersistentVolume claims-kept');
  const directory = await backUp('db', [set], [owned], [bound]);
  await remove(db);
  await untilGone(cluster, `${claims}data-db-0`);
  await remove('PersistentVolume claims-kept');
  const allow = await noMore(cluster, namespace, 'count/statefulsets.apps');
  const refused = await restoreOf(`${directory} --yes`, 4);
  expect(refused.ends).toEqual({
    'PersistentVolume claims-kept': 'created',
    'PersistentVolumeClaim data-db-0': 'faulty',
    'StatefulSet db': 'refused',
  });
  expect(refused.document.objects.find(({ outcome }) => outcome === 'faulty')?.message).toBe(
    'it is there, but not owned by StatefulSet db, which was not restored: run this again',
  );
  await allow();
  const again = await restoreOf(`${directory} --yes`);
  expect(again.ends).toEqual({
    'PersistentVolume claims-kept': 'exists',
    'PersistentVolumeClaim data-db-0': 'relinked',
    'StatefulSet db': 'created',
  });
  await untilBound({ 'data-db-0': 'claims-kept' });
  await untilOwned(['data-db-0'], db);
  const { metadata } = await cluster.get(`${claims}data-db-0`);
  expect(metadata.annotations).not.toHaveProperty(['kubectl-gc.io/pending-owners']);
  await remove(db);
});

test('the claim that a Pod has for itself alone', async () => {
  const alone = at('Pod', 'alone');
  await createVolume('claims-scratch', { claimRef: { namespace, name: 'alone-scratch' } });
  const volumeClaimTemplate = { spec: { ...claimSpec, volumeName: 'claims-scratch' } };
  const pod = await cluster.make(alone, {
    spec: {
      containers: [{ name: 'main', image: 'example.com/alone:1' }],
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }],
    },
  });
  await untilBound({ 'alone-scratch': 'claims-scratch' });
  const claim = await cluster.get(`${claims}alone-scratch`);
  const directory = await backUp('alone', [pod], [claim]);
  await remove(alone);
  await untilGone(cluster, `${claims}alone-scratch`);
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({
    'PersistentVolumeClaim alone-scratch': 'created',
    'Pod alone': 'created',
  });
  const after = await cluster.get(`${claims}alone-scratch`);
  expect([phaseOf(after), specOf(after).volumeName]).toEqual(['Bound', 'claims-scratch']);
  await untilOwned(['alone-scratch'], alone);
  await remove(alone);
});

test('a claim with another volume than the saved one is a failure that names both', async () => {
  await createVolume('claims-data');
  const claim = await createClaim('moved', 'claims-data');
  await untilBound({ moved: 'claims-data' });
  const directory = await backUp('moved', [claim]);
  await remove(`${claims}moved`);
  await createVolume('claims-empty');
  await createClaim('moved', 'claims-empty');
  await untilBound({ moved: 'claims-empty' });
  const there = await restoreOf(`${directory} --yes`, 4);
  expect(there.document.objects.map(({ action, because }) => `${action}: ${because}`)).toEqual([
    'cannot: it is there, but with the volume claims-empty, while the data is in its saved volume claims-data',
  ]);

  await remove(`${claims}moved`);
  const claimRef = { namespace, name: 'taker', uid: null };
  await cluster.patch('PersistentVolume claims-data', { spec: { claimRef } });
  await createClaim('taker', 'claims-data');
  await untilBound({ taker: 'claims-data' });
  const taken = await restoreOf(`${directory} --yes`, 4);
  const [one] = taken.document.objects;
  expect([one?.outcome, one?.notes]).toEqual([
    'faulty',
    [
      `its volume claims-data is used by PersistentVolumeClaim taker in namespace ${namespace}: the claim gets another volume, without its data`,
    ],
  ]);
  expect(one?.message).toMatch(
    /^it is there, but (without a volume|with the volume [a-z0-9-]+), while the data is in its saved volume claims-data$/,
  );
  expect(taken.stderr).toContain(
    'persistentvolumeclaim/moved in namespace restore-claims restored with a problem: ',
  );
  await remove(`${claims}moved`);
  await remove(`${claims}taker`);
});

test('a claim is not restored on an empty volume while the volume with its data can be restored', async () => {
  const root = await cluster.make('Gadget claims-root');
  await cluster.make('PersistentVolume claims-owned', {
    metadata: { labels: { test: namespace }, ownerReferences: [refTo(root)] },
    spec: volumeSpec('claims-owned'),
  });
  await createClaim('precious', 'claims-owned');
  await untilBound({ precious: 'claims-owned' });
  const [claim, volume] = [
    await cluster.get(`${claims}precious`),
    await cluster.get('PersistentVolume claims-owned'),
  ];
  const directory = await backUp('precious', [claim], [volume]);
  await remove(`${claims}precious`);
  await remove('Gadget claims-root');
  await untilGone(cluster, 'PersistentVolume claims-owned');
  const { ends } = await restoreOf(`${directory} --yes`, 4);
  expect(ends).toEqual({
    'PersistentVolume claims-owned': 'cannot',
    'PersistentVolumeClaim precious': 'cannot',
  });
  const again = await restoreOf(`${directory} --yes --without-owners`);
  expect(new Set(Object.values(again.ends))).toEqual(new Set(['created']));
  await untilBound({ precious: 'claims-owned' });
});
