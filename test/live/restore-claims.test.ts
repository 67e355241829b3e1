import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { inNamespace, refTo, restoreStage } from './restore-stage.ts';

/** Claims get the volumes that hold their data, while controllers make claims and bind whatever is free. */
const namespace = 'restore-claims';
const { cluster, folder, backUp, restoreOf, remove, create } = restoreStage(namespace);
const volumes = '/api/v1/persistentvolumes';
const claims = inNamespace(namespace, 'persistentvolumeclaims');
const sets = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;

type List = { readonly items: readonly KubeObject[] };
const specOf = (object: KubeObject) => object.spec as Record<string, unknown>;
const phaseOf = (object: KubeObject) => (object.status as { phase?: string } | undefined)?.phase;

const createVolume = (name: string) =>
  create(volumes, { metadata: { name, labels: { test: namespace } }, spec: volumeSpec(name) });
const createClaim = (name: string, volumeName: string) =>
  create(claims, { metadata: { name }, spec: { ...claimSpec, volumeName } });

/** The volume of each claim, when all are bound. */
const boundVolumes = (names: readonly string[]) =>
  eventually(`bound claims ${names.join(', ')}`, async () => {
    const { items } = await cluster.get<List>(claims);
    const bound = items.filter(
      (claim) => names.includes(String(claim.metadata.name)) && phaseOf(claim) === 'Bound',
    );
    return bound.length === names.length
      ? Object.fromEntries(bound.map((claim) => [claim.metadata.name, specOf(claim).volumeName]))
      : undefined;
  });

beforeAll(async () => {
  // Free volumes that suit every claim.
  for (let index = 0; index < 6; index++) await createVolume(`claims-spare-${index}`);
  return async () => {
    await cluster.request(`${volumes}?labelSelector=test%3D${namespace}`, { method: 'DELETE' });
  };
});

const replicas = [0, 1, 2];
const dataClaims = replicas.map((ordinal) => `data-web-${ordinal}`);

test('the claims of a StatefulSet are bound to their volumes again, time after time', async () => {
  for (const ordinal of replicas) {
    await createVolume(`claims-disk-${ordinal}`);
    await createClaim(`data-web-${ordinal}`, `claims-disk-${ordinal}`);
  }
  const set = {
    replicas: replicas.length,
    serviceName: 'web',
    podManagementPolicy: 'Parallel',
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
  };
  await create(sets, workload('web', set));
  // All of them belong to the StatefulSet of now.
  const owned = () =>
    eventually('claims of the StatefulSet', async () => {
      const set = await cluster.get<KubeObject>(`${sets}/web`);
      const wanted = [
        { ...refTo({ ...set, apiVersion: 'apps/v1', kind: 'StatefulSet' }), controller: true },
      ];
      const { items } = await cluster.get<List>(claims);
      const ours = items.filter(({ metadata }) => dataClaims.includes(String(metadata.name)));
      const references = ours.map(({ metadata }) => metadata.ownerReferences as object[]);
      const isOwned = (list: readonly object[] | undefined) =>
        JSON.stringify(list?.map((reference) => ({ ...reference, blockOwnerDeletion: true }))) ===
        JSON.stringify(wanted.map((reference) => ({ ...reference, blockOwnerDeletion: true })));
      return references.length === replicas.length && references.every(isOwned);
    });
  await owned();
  const before = await boundVolumes(dataClaims);
  expect(before).toEqual({
    'data-web-0': 'claims-disk-0',
    'data-web-1': 'claims-disk-1',
    'data-web-2': 'claims-disk-2',
  });
  const kubeconfig = `--kubeconfig ${cluster.kubeconfigPath}`;
  for (let round = 1; round <= 6; round++) {
    const directory = join(folder, `web-${round}`);
    const deletion = await gcHere(
      `delete statefulset/web -n ${namespace} --yes --backup ${directory} ${kubeconfig}`,
    );
    expect(deletion.code, deletion.stderr).toBe(0);
    expect((await cluster.get<List>(claims)).items).toEqual([]);

    const { document, ends } = await restoreOf(`${directory} --yes`);
    const endOf = (kind: string) =>
      Object.entries(ends).flatMap(([name, end]) => (name.startsWith(`${kind} `) ? end : []));
    expect(endOf('StatefulSet')).toEqual(['created']);
    expect(endOf('PersistentVolumeClaim')).toEqual(['created', 'created', 'created']);
    expect(endOf('ControllerRevision')).toEqual(['created']);
    expect(endOf('Pod')).toEqual(['skip', 'skip', 'skip']);
    const waveOf = (kind: string) =>
      Math.max(...document.objects.flatMap((one) => (one.kind === kind ? one.wave : [])));
    expect(waveOf('PersistentVolumeClaim')).toBeLessThan(waveOf('StatefulSet'));
    // Bound when the command ends, not some time later.
    const { items } = await cluster.get<List>(claims);
    expect(items.map(phaseOf)).toEqual(['Bound', 'Bound', 'Bound']);
    expect(await boundVolumes(dataClaims)).toEqual(before);
    await owned();
    expect(items.map(({ metadata }) => metadata.annotations)).not.toContainEqual(
      expect.objectContaining({ 'kubectl-gc.io/pending-owners': expect.anything() }),
    );
  }
  const uids = async () => {
    const lists = [claims, sets, `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`];
    const all = await Promise.all(lists.map((path) => cluster.get<List>(path)));
    return all.map(({ items }) => items.map(({ metadata }) => metadata.uid));
  };
  const restored = await uids();
  expect(restored.map((list) => list.length)).toEqual([3, 1, 1]);
  await delay(60_000);
  expect(await uids()).toEqual(restored);
  expect(await boundVolumes(dataClaims)).toEqual(before);
  await remove(`${sets}/web`);
});

test('a volume comes back before its claim, and a StatefulSet that is refused leaves the claim to a later run', async () => {
  const volume = await createVolume('claims-kept');
  const claim = await createClaim('data-db-0', 'claims-kept');
  await boundVolumes(['data-db-0']);
  const spec = {
    replicas: 1,
    serviceName: 'db',
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
  };
  const set = await create(sets, workload('db', spec));
  const owned = await eventually('an owned claim', async () => {
    const live = await cluster.get<KubeObject>(`${claims}/data-db-0`);
    return live.metadata.ownerReferences ? live : undefined;
  });
  expect(owned.metadata.uid).toBe(claim.metadata.uid);
  const bound = await cluster.get<KubeObject>(`${volumes}/${volume.metadata.name}`);
  const directory = await backUp('db', [set], [owned], [bound]);
  await remove(`${sets}/db`);
  await untilGone(cluster, `${claims}/data-db-0`);
  await remove(`${volumes}/claims-kept`);
  const quotas = inNamespace(namespace, 'resourcequotas');
  await create(quotas, {
    metadata: { name: 'none' },
    spec: { hard: { 'count/statefulsets.apps': '0' } },
  });
  await eventually('the quota', async () => {
    const quota = await cluster.get<{ status?: { hard?: object } }>(`${quotas}/none`);
    return quota.status?.hard;
  });
  const refused = await restoreOf(`${directory} --yes`, 4);
  expect(refused.ends).toEqual({
    'PersistentVolume claims-kept': 'created',
    'PersistentVolumeClaim data-db-0': 'faulty',
    'StatefulSet db': 'refused',
  });
  expect(refused.document.objects.find(({ outcome }) => outcome === 'faulty')?.message).toBe(
    'it is there, but not owned by StatefulSet db, which was not restored: run this again',
  );
  await remove(`${quotas}/none`);
  const again = await restoreOf(`${directory} --yes`);
  expect(again.ends).toEqual({
    'PersistentVolume claims-kept': 'exists',
    'PersistentVolumeClaim data-db-0': 'relinked',
    'StatefulSet db': 'created',
  });
  expect(await boundVolumes(['data-db-0'])).toEqual({ 'data-db-0': 'claims-kept' });
  const { metadata } = await cluster.get<KubeObject>(`${claims}/data-db-0`);
  const live = await cluster.get<KubeObject>(`${sets}/db`);
  expect(metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'StatefulSet', uid: live.metadata.uid }),
  ]);
  expect(metadata.annotations).not.toHaveProperty(['kubectl-gc.io/pending-owners']);
  await remove(`${sets}/db`);
});

test('the claim that a Pod has for itself alone', async () => {
  const pods = inNamespace(namespace, 'pods');
  await createVolume('claims-scratch');
  await cluster.patch(`${volumes}/claims-scratch`, {
    spec: { claimRef: { namespace, name: 'alone-scratch' } },
  });
  const volumeClaimTemplate = { spec: { ...claimSpec, volumeName: 'claims-scratch' } };
  const pod = await create(pods, {
    metadata: { name: 'alone' },
    spec: {
      containers: [{ name: 'main', image: 'example.com/alone:1' }],
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }],
    },
  });
  expect(await boundVolumes(['alone-scratch'])).toEqual({ 'alone-scratch': 'claims-scratch' });
  const claim = await cluster.get<KubeObject>(`${claims}/alone-scratch`);
  const directory = await backUp('alone', [pod], [claim]);
  await remove(`${pods}/alone`);
  await untilGone(cluster, `${claims}/alone-scratch`);
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({
    'PersistentVolumeClaim alone-scratch': 'created',
    'Pod alone': 'created',
  });
  const { metadata } = await cluster.get<KubeObject>(`${pods}/alone`);
  const after = await cluster.get<KubeObject>(`${claims}/alone-scratch`);
  expect([phaseOf(after), specOf(after).volumeName]).toEqual(['Bound', 'claims-scratch']);
  expect(after.metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'Pod', name: 'alone', uid: metadata.uid }),
  ]);
  await remove(`${pods}/alone`);
});

test('a claim with another volume than the saved one is a failure that names both', async () => {
  await createVolume('claims-data');
  const claim = await createClaim('moved', 'claims-data');
  await boundVolumes(['moved']);
  const directory = await backUp('moved', [claim]);
  await remove(`${claims}/moved`);
  await createVolume('claims-empty');
  await createClaim('moved', 'claims-empty');
  await boundVolumes(['moved']);
  const there = await restoreOf(`${directory} --yes`, 4);
  expect(there.document.objects.map(({ action, because }) => [action, because])).toEqual([
    [
      'cannot',
      'it is there, but with the volume claims-empty, while the data is in its saved volume claims-data',
    ],
  ]);

  await remove(`${claims}/moved`);
  const claimRef = { namespace, name: 'taker' };
  await cluster.patch(`${volumes}/claims-data`, { spec: { claimRef: { ...claimRef, uid: null } } });
  await createClaim('taker', 'claims-data');
  await boundVolumes(['taker']);
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
  await remove(`${claims}/moved`);
  await remove(`${claims}/taker`);
});
