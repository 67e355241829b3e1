import { expect, test } from 'vitest';
import { type FetchedManifest, fetchManifests } from '../../../src/cluster/list/fetch-manifests.ts';
import { referenceToPlace } from '../../../src/kube/object-reference.ts';
import { answerFromCluster } from '../../../src/why/ask/answer-from-cluster.ts';
import { builtIn } from '../built-in.ts';
import { clientThat, patience, refusal } from '../fake-client.ts';

const maps = '/api/v1/namespaces/shop/configmaps';
const names = Array.from({ length: 60 }, (_, at) => `map-${at}`);
const itemOf = (name: string) => ({ metadata: { name, uid: `uid-${name}` } });

/** What a diagnosis is told of 60 ConfigMaps where the server lists these; map-59 is gone. */
async function toldWith(listed: readonly string[] | undefined) {
  const client = clientThat(({ path }) => {
    const name = path.slice(maps.length + 1);
    if (name === 'map-59') return refusal(404, 'gone');
    if (!name.startsWith('limit')) return { body: itemOf(name) };
    const items = listed?.map(itemOf);
    if (!items) return refusal(403, 'no lists');
    const metadata = { continue: listed?.includes('other') ? 'more' : '' };
    return { body: { kind: 'PartialObjectMetadataList', metadata, items } };
  });
  const ask = answerFromCluster({ client, types: {} as never, serverVersion: 'v1.36.3' });
  const at = { ask: 'object', type: builtIn('configmaps'), namespace: 'shop' } as const;
  const told = await Promise.all(names.map((name) => ask({ ...at, name })));
  return { told, paths: client.paths };
}

test.each([
  ['the list shows most', names.slice(0, 58), names.slice(58)],
  ['the list shows few', [...names.slice(0, 9), ...Array(51).fill('other')], names.slice(9)],
  ['nobody may list', undefined, names],
])('reads missing objects by name: %s', async (_, listed, left) => {
  const { told, paths } = await toldWith(listed);
  const values = names.map((name) => (name === 'map-59' ? undefined : { name }));
  expect(told).toMatchObject(values.map((value) => ({ value })));
  expect(paths).toEqual([`${maps}?limit=60`, ...left.map((name) => `${maps}/${name}`)]);
});

test('only a few objects are requested of a kind for which the server fails', async () => {
  const client = clientThat(() => refusal(500, 'etcd is down'));
  const type = builtIn('configmaps');
  const wanted = names.slice(0, 35).map((name) => ({
    type,
    object: referenceToPlace({ type, namespace: 'shop', name }),
  }));
  const told: FetchedManifest[] = [];
  const retry = { ...patience(), tries: 1 };
  await fetchManifests(client, wanted, (fetched) => void told.push(fetched), { retry });
  expect(told.map((one) => 'unread' in one && one.unread)).toEqual(Array(35).fill('unavailable'));
  expect(new Set(told.map(({ wanted: { object } }) => object.name)).size).toBe(35);
  expect(client.paths.length).toBeLessThan(20);
});
