import { describe, expect, test } from 'vitest';
import { listKind, NamespaceFallback } from '../../../src/cluster/list/list-kind.ts';
import { GcError } from '../../../src/errors.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { builtIn } from '../built-in.ts';
import { encodeList } from '../encode-list.ts';
import {
  type Answer,
  type FakeClient,
  fakeClient,
  patience,
  protobuf,
  refusal,
} from '../fake-client.ts';

const secrets = builtIn('secrets');
const all = '/api/v1/secrets?resourceVersion=0';
const namespaces = '/api/v1/namespaces?resourceVersion=0';
const denied = 'secrets is forbidden: User "ann" cannot list resource "secrets"';
const forbidden = refusal(403, denied);

function inNamespace(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets?resourceVersion=0`;
}

function list(...names: string[]): Answer {
  return protobuf(encodeList(names.map((name) => ({ name, namespace: 'shop' }))));
}

async function listed(client: FakeClient, scope: { namespaces?: string[] } = {}) {
  const types = new ResourceTypes(builtInTypes, { exhaustive: true });
  const options = { retry: patience() };
  const fallback = new NamespaceFallback(client, types, options);
  const { records, read, problems } = await listKind(
    client,
    secrets,
    { ...scope, fallback },
    options,
  );
  return { names: records.map(({ name }) => name), read, problems };
}

const problem = (message: string, changes: object = {}) => {
  return { reason: 'forbidden', resource: 'secrets', apiVersion: 'v1', message, ...changes };
};

describe('listKind', () => {
  test('reads a kind everywhere', async () => {
    expect(await listed(fakeClient({ [all]: list('a', 'b') }))).toEqual({
      names: ['a', 'b'],
      read: { resource: 'secrets' },
      problems: [],
    });
  });

  test('reads a kind in some namespaces, and tells where it could not', async () => {
    const client = fakeClient({
      [inNamespace('shop')]: list('a'),
      [inNamespace('bank')]: forbidden,
    });
    expect(await listed(client, { namespaces: ['shop', 'bank'] })).toEqual({
      names: ['a'],
      read: { resource: 'secrets', namespaces: ['shop'] },
      problems: [problem(`cannot list secrets in bank: ${denied}`, { namespace: 'bank' })],
    });
    expect(client.paths).not.toContain(all);
  });

  test('looks into each namespace when the whole is forbidden', async () => {
    const client = fakeClient(
      {
        [all]: forbidden,
        [namespaces]: list('shop', 'bank', 'zoo'),
        [inNamespace('zoo')]: list('a'),
        [inNamespace('shop')]: list(),
        [inNamespace('bank')]: forbidden,
      },
      { namespace: 'zoo' },
    );
    expect(await listed(client)).toEqual({
      names: ['a'],
      read: { resource: 'secrets', namespaces: ['zoo', 'shop'] },
      problems: [
        problem(`cannot list secrets: ${denied}; it was read in namespaces zoo, shop only`),
      ],
    });
  });

  test('misses nothing when every namespace may be read by itself', async () => {
    const client = fakeClient({
      [all]: forbidden,
      [namespaces]: list('default', 'shop'),
      [inNamespace('default')]: list('a'),
      [inNamespace('shop')]: list('b'),
    });
    expect(await listed(client)).toEqual({
      names: ['a', 'b'],
      read: { resource: 'secrets', namespaces: ['default', 'shop'] },
      problems: [],
    });
  });

  test('tries the namespace in force when namespaces cannot be listed', async () => {
    const client = fakeClient(
      { [all]: forbidden, [namespaces]: refusal(403, 'no'), [inNamespace('shop')]: list('a') },
      { namespace: 'shop' },
    );
    expect(await listed(client)).toEqual({
      names: ['a'],
      read: { resource: 'secrets', namespaces: ['shop'] },
      problems: [problem(`cannot list secrets: ${denied}; it was read in namespace shop only`)],
    });
  });

  test('has read nothing when every namespace is forbidden', async () => {
    const client = fakeClient({
      [all]: forbidden,
      [namespaces]: list('default', 'shop'),
      [inNamespace('default')]: forbidden,
      [inNamespace('shop')]: forbidden,
    });
    expect(await listed(client)).toEqual({
      names: [],
      read: undefined,
      problems: [problem(`cannot list secrets: ${denied}; nor in any of 2 namespaces`)],
    });
  });

  const noMagic = 'it does not start with k8s and a zero byte';
  const dropped = 'the connection was closed before the answer was complete';
  test.each<[string, Answer, string]>([
    ['unavailable', refusal(404, 'no such kind'), 'no such kind'],
    ['unavailable', refusal(405, 'not supported'), 'not supported'],
    ['unavailable', refusal(503, 'its server is down'), 'its server is down'],
    ['forbidden', refusal(401, 'Unauthorized'), 'Unauthorized'],
    ['unreadable', { ...list('a'), dropAfter: 9 }, dropped],
    ['unreadable', protobuf(Buffer.from('<html>')), `malformed protobuf: ${noMagic}`],
    ['unreadable', { status: 302 }, 'the server answered with HTTP status 302'],
    ['unavailable', { status: 502, body: '<p>' }, 'the server answered with HTTP status 502'],
  ])('what was not read is unknown, not empty: %s, %o', async (reason, answer, message) => {
    const nodes = builtIn('nodes');
    const client = fakeClient({
      '/api/v1/nodes?resourceVersion=0': answer,
      '/api/v1/nodes?limit=2000': answer,
    });
    const { read, problems } = await listKind(client, nodes, {}, { retry: patience() });
    expect({ read, problems }).toEqual({
      read: undefined,
      problems: [
        { reason, message: `cannot list nodes: ${message}`, resource: 'nodes', apiVersion: 'v1' },
      ],
    });
  });

  test('tells a timeout of one kind from a cluster that cannot be reached at all', async () => {
    const failing = (code: string) => ({
      ...fakeClient({}),
      request: () => Promise.reject(new GcError('no answer within 1 s', { code })),
    });
    const { problems } = await listKind(failing('request-timeout'), secrets);
    expect(problems).toEqual([
      problem('cannot list secrets: no answer within 1 s', { reason: 'timed-out' }),
    ]);
    await expect(listKind(failing('connection-refused'), secrets)).rejects.toMatchObject({
      code: 'connection-refused',
    });
  });
});

describe('facts in some namespaces', () => {
  const pods = builtIn('pods');
  const elsewhere = '/api/v1/pods?fieldSelector=metadata.namespace!%3Dshop&resourceVersion=0';
  const inShop = '/api/v1/namespaces/shop/pods?resourceVersion=0';
  const options = { retry: patience(), factsIn: ['shop'] };
  const podsIn = (resourceVersion: string, ...places: string[]): Answer => {
    const items = places.map((place) => {
      const [namespace = '', name = ''] = place.split('/');
      return { name, namespace };
    });
    return protobuf(encodeList(items, { resourceVersion }));
  };
  const whole = { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [running('a')] };

  function running(name: string) {
    return { metadata: { name, namespace: 'shop' }, status: { phase: 'Running' } };
  }

  test('are read beside metadata of all else', async () => {
    // A server that does not know the selector sends everything.
    const client = fakeClient({
      [elsewhere]: podsIn('9', 'bank/b', 'shop/a'),
      [inShop]: { body: whole },
    });
    const versions: string[] = [];
    const { records, read, problems } = await listKind(
      client,
      pods,
      {},
      {
        ...options,
        onListed: ({ resourceVersion }) => versions.push(resourceVersion),
      },
    );
    const seen = records.map(({ namespace, name, facts }) => [namespace, name, facts?.phase]);
    expect(seen).toEqual([
      ['bank', 'b', undefined],
      ['shop', 'a', 'Running'],
    ]);
    expect({ read, problems, versions }).toEqual({
      read: { resource: 'pods' },
      problems: [],
      versions: ['7'],
    });
  });

  test('are not read of kinds that have none', async () => {
    const path = '/api/v1/configmaps?resourceVersion=0';
    const client = fakeClient({ [path]: podsIn('9', 'bank/b') });
    await listKind(client, builtIn('configmaps'), {}, options);
    expect(client.paths).toEqual([path]);
  });

  test('where they cannot be read, the kind was not read', async () => {
    const client = fakeClient({
      [elsewhere]: podsIn('9', 'bank/b'),
      [inShop]: refusal(500, 'down'),
    });
    const { records, read, problems } = await listKind(client, pods, {}, options);
    expect([records, read]).toEqual([[], undefined]);
    expect(problems).toMatchObject([{ resource: 'pods', reason: 'unavailable' }]);
  });

  test('are read where only single namespaces may be listed', async () => {
    const client = fakeClient({ [inShop]: { body: whole } });
    const { records } = await listKind(client, pods, { namespaces: ['shop'] }, options);
    expect(records.map(({ facts }) => facts?.phase)).toEqual(['Running']);
  });
});
