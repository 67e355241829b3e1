import { expect, test } from 'vitest';
import { readForPlan } from '../../src/cli/loop/read-for-plan.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { type Answer, fakeClient } from '../cluster/fake-client.ts';
import { configMap } from '../support/builders.ts';

const root = '/api/v1/namespaces/shop';
const kinds = ['ConfigMap', 'PersistentVolumeClaim', 'PersistentVolume'];
const types = new ResourceTypes(
  builtInTypes.filter(({ group, kind }) => group === '' && kinds.includes(kind)),
  { exhaustive: true, failed: [] },
);

const json = (body: object): Answer => ({ headers: { 'content-type': 'application/json' }, body });
const list = (kind: string, ...items: object[]) =>
  json({ apiVersion: 'v1', kind: `${kind}List`, metadata: { resourceVersion: '9' }, items });

const claim = (name: string, volumeName?: string) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { volumeName },
});
const volume = (name: string, claimName: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, uid: `uid-${name}` },
  spec: {
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: { namespace: 'shop', name: claimName },
  },
});

/** What is read for a deletion in a namespace with these claims, and volumes in the cluster. */
async function readVolumes(claims: object[], volumes: object[], owned: object = {}) {
  const [first] = volumes;
  const client = fakeClient({
    [`${root}/configmaps`]: list('ConfigMap', {
      metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', ...owned },
    }),
    [`${root}/persistentvolumeclaims`]: list('PersistentVolumeClaim', ...claims),
    '/api/v1/persistentvolumes': list('PersistentVolume', ...volumes),
    '/api/v1/persistentvolumes/owner': json(first ?? {}),
  });
  const { records } = await readForPlan({ client, types, serverVersion: 'v1.36.3' }, [
    configMap('a', { namespace: 'shop' }),
  ]);
  const read = records.filter(({ type }) => type.kind === 'PersistentVolume');
  return {
    paths: client.paths,
    volumes: read.map(({ name, facts }) => [name, facts?.persistentVolumeReclaimPolicy]),
  };
}

test('reads the volumes that are bound to the claims, or made for one', async () => {
  const all = [volume('bound', 'data'), volume('reserved', 'wanted'), volume('other', 'elsewhere')];
  const { volumes } = await readVolumes([claim('data', 'bound'), claim('wanted')], all);
  expect(volumes).toEqual([
    ['bound', 'Delete'],
    ['reserved', 'Delete'],
  ]);
});

test('reads no volumes where there is no claim', async () => {
  const { paths } = await readVolumes([], [volume('bound', 'data')]);
  expect(paths).toEqual([`${root}/configmaps`, `${root}/persistentvolumeclaims`]);
});

test('a volume that was read as an owner, too, is there once, with its reclaim policy', async () => {
  const reference = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'owner', uid: 'uid-owner' };
  const { paths, volumes } = await readVolumes(
    [claim('data', 'owner')],
    [volume('owner', 'data')],
    { ownerReferences: [reference] },
  );
  expect(paths).toContain('/api/v1/persistentvolumes/owner');
  expect(volumes).toEqual([['owner', 'Delete']]);
});
