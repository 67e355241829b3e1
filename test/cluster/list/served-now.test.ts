import { describe, expect, test } from 'vitest';
import { fromCluster } from '../../../src/cluster/from-cluster.ts';
import { discover } from '../../../src/cluster/list/discover.ts';
import { groupResourceOf } from '../../../src/kube/resource-type.ts';
import { aggregated, group, served, version } from '../discovery-answer.ts';
import { encodeList } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

/** A definition is deleted between the moment it is named by discovery and the moment it is listed. */
function discovery(groups: Readonly<Record<string, readonly string[] | 'stale'>>): Answer {
  return aggregated(
    ...Object.entries(groups).map(([name, kinds]) => {
      if (kinds === 'stale') return group(name, { version: 'v1', freshness: 'Stale' });
      const versions = kinds.map((one) => one.split('/'));
      return group(name, ...versions.map(([of = '', kind = '']) => version(of, served(kind))));
    }),
  );
}

const core = discovery({ '': ['v1/pods'] });
const pods = protobuf(encodeList([{ name: 'web', namespace: 'shop' }]));
const before = { 'crd.io': ['v1/things'], 'old.io': ['v1/relics'] };

/** How the API server answers where it serves nothing: in text, about no object. */
const notServed = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: '404 page not found\n',
};

function unserved(namespaces: readonly string[] | undefined): string[] {
  const places = namespaces?.map((namespace) => `namespaces/${namespace}/`) ?? [''];
  return ['crd.io/v1|things', 'old.io/v1|relics'].flatMap((one) => {
    const [group, resource] = one.split('|');
    return places.map((place) => `/apis/${group}/${place}${resource}?resourceVersion=0`);
  });
}

/** What is read of a server that names these groups first, and those when it is asked again. */
async function readWhile(
  again: Answer,
  answers: Readonly<Record<string, Answer>> = {},
  scope: { readonly namespaces?: readonly string[] } = {},
) {
  const path = scope.namespaces ? '/api/v1/namespaces/shop/pods' : '/api/v1/pods';
  const client = fakeClient({
    '/api': core,
    '/apis': [discovery(before), again],
    [`${path}?resourceVersion=0`]: pods,
    ...Object.fromEntries(unserved(scope.namespaces).map((one) => [one, notServed])),
    ...answers,
  });
  const options = { retry: patience() };
  const first = await discover(client, options);
  const snapshot = await fromCluster(client, scope, { ...options, discovery: first });
  return {
    asked: client.paths.filter((one) => one === '/apis').length,
    read: snapshot.coverage.read.map(({ resource }) => resource),
    served: snapshot.types.all.map(groupResourceOf),
    problems: snapshot.coverage.problems.map(({ reason, resource }) => [reason, resource]),
  };
}

const both = ['pods', 'things.crd.io', 'relics.old.io'];
const unread = [
  ['unlistable', 'things.crd.io'],
  ['unlistable', 'relics.old.io'],
];

describe('a kind that is not found although discovery has named it', () => {
  test('is absent when discovery does not name it any more, and it is asked once for all kinds', async () => {
    expect(await readWhile(discovery({ 'other.io': ['v1/others'] }))).toEqual({
      asked: 2,
      read: ['pods'],
      served: ['pods'],
      problems: [],
    });
  });

  test('is absent in every namespace that was to be read', async () => {
    const scope = { namespaces: ['shop', 'empty'] };
    const empty = protobuf(encodeList([]));
    const answers = { '/api/v1/namespaces/empty/pods?resourceVersion=0': empty };
    expect(await readWhile(discovery({ 'other.io': ['v1/others'] }), answers, scope)).toEqual({
      asked: 2,
      read: ['pods'],
      served: ['pods'],
      problems: [],
    });
  });

  test.each([
    ['is still served', discovery(before)],
    ['has another version', discovery({ 'crd.io': ['v2/things'], 'old.io': ['v2/relics'] })],
    ['has a stale group', discovery({ 'crd.io': 'stale', 'old.io': 'stale' })],
    ['fails again', refusal(503, 'shutting down')],
    ['meets a login page', { body: '<html>please log in</html>' }],
  ])('stays unread where it %s', async (_, again) => {
    const { read, served, problems } = await readWhile(again);
    expect({ read, served, problems }).toEqual({ read: ['pods'], served: both, problems: unread });
  });

  test('is distinguished from another that is no longer served', async () => {
    const { served, problems } = await readWhile(discovery({ 'old.io': ['v1/relics'] }));
    expect(served).toEqual(['pods', 'relics.old.io']);
    expect(problems).toEqual([['unlistable', 'relics.old.io']]);
  });
});

test('a refusal for another reason repeats no discovery', async () => {
  const refused = (status: number) => refusal(status, 'no');
  const { asked, problems } = await readWhile(discovery({ 'other.io': ['v1/others'] }), {
    '/apis/crd.io/v1/things?resourceVersion=0': refused(405),
    '/apis/old.io/v1/relics?resourceVersion=0': refused(500),
  });
  expect(asked).toBe(1);
  expect(problems).toEqual([
    ['unlistable', 'things.crd.io'],
    ['unavailable', 'relics.old.io'],
  ]);
});
