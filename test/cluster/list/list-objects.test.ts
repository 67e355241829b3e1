import { describe, expect, test } from 'vitest';
import { listObjects } from '../../../src/cluster/list/list-objects.ts';
import { GcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builtIn } from '../built-in.ts';
import { encodeList, type ListMeta } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

const pods = builtIn('pods');

function page(names: readonly string[], meta: ListMeta = {}): Answer {
  const items = names.map((name) => ({ name, namespace: 'shop', uid: `uid-${name}` }));
  return protobuf(encodeList(items, meta));
}

function namesOf({ records }: { readonly records: readonly ObjectRecord[] }): string[] {
  return records.map(({ name }) => name);
}

describe('listObjects', () => {
  test('reads the whole list from the cache in one protobuf answer', async () => {
    const answer = {
      ...page(['a', 'b']),
      headers: { ...page([]).headers, date: 'Sat, 21 Nov 2026 08:00:01 GMT' },
    };
    const client = fakeClient({ '/api/v1/pods?resourceVersion=0': answer });
    const listed = await listObjects(client, pods, undefined);
    expect(namesOf(listed)).toEqual(['a', 'b']);
    expect(listed.serverTime).toBe('2026-11-21T08:00:01Z');
    expect(client.requests.map(({ headers }) => headers)).toEqual([
      {
        accept:
          'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,' +
          'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      },
    ]);
  });

  test('lists one namespace', async () => {
    const path = '/apis/apps/v1/namespaces/shop/deployments?resourceVersion=0';
    const client = fakeClient({ [path]: page(['web']) });
    expect(namesOf(await listObjects(client, builtIn('deployments.apps'), 'shop'))).toEqual([
      'web',
    ]);
  });

  test('asks for the newest state without a version', async () => {
    const client = fakeClient({ '/api/v1/pods': page(['a']) });
    expect(namesOf(await listObjects(client, pods, undefined, { freshness: 'latest' }))).toEqual([
      'a',
    ]);
  });

  test('asks for pages where the cache of the server does not come about', async () => {
    const words = 'storage is (re)initializing: failed to list *core.Pod: it is damaged';
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': refusal(429, words),
      '/api/v1/pods?limit=2000': page(['a']),
    });
    const options = { retry: { ...patience(), tries: 1 } };
    expect(namesOf(await listObjects(client, pods, undefined, options))).toEqual(['a']);
    const damaged = fakeClient({
      '/api/v1/pods?resourceVersion=0': refusal(429, words),
      '/api/v1/pods?limit=2000': [refusal(500, 'it is damaged'), page(['never asked for'])],
    });
    await expect(listObjects(damaged, pods, undefined, options)).rejects.toThrow('it is damaged');
    expect(damaged.paths).toHaveLength(2);
    const elsewhere = fakeClient({
      '/api/v1/namespaces/shop/pods?resourceVersion=0': refusal(429, words),
      '/api/v1/namespaces/shop/pods?limit=2000': page([]),
    });
    await expect(listObjects(elsewhere, pods, 'shop', options)).rejects.toThrow(words);
  });

  test('follows pages to the end', async () => {
    const client = fakeClient({
      '/api/v1/pods?limit=2': page(['a', 'b'], { continue: 'to/b=' }),
      '/api/v1/pods?limit=2&continue=to%2Fb%3D': page(['c', 'd'], { continue: 'd' }),
      '/api/v1/pods?limit=2&continue=d': page(['e']),
    });
    const options = { freshness: 'latest', pageSize: 2 } as const;
    expect(namesOf(await listObjects(client, pods, undefined, options))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
  });

  test('follows pages that it did not ask for', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': page(['a'], { continue: 'a' }),
      '/api/v1/pods?continue=a': page(['b']),
    });
    expect(namesOf(await listObjects(client, pods, undefined))).toEqual(['a', 'b']);
  });

  test.each([
    ['the token of the page before', { a: 'a' }],
    ['tokens that go round in circles', { a: 'b', b: 'a' }],
  ])('gives up on %s', async (_, tokens) => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': page(['web'], { continue: 'a' }),
      ...Object.fromEntries(
        Object.entries(tokens).map(([token, next]) => [
          `/api/v1/pods?continue=${token}`,
          page([`web-${token}`], { continue: next }),
        ]),
      ),
    });
    await expect(listObjects(client, pods, undefined)).rejects.toThrow(
      'the server sent the same continue token twice',
    );
    expect(client.paths).toHaveLength(Object.keys(tokens).length + 1);
  });

  test('gives up on pages with no objects or hardly any, and goes on over a few', async () => {
    const pages = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `/api/v1/pods?continue=${index}`,
          page([], { continue: index === count - 1 ? '' : String(index + 1) }),
        ]),
      );
    const first = { '/api/v1/pods?resourceVersion=0': page(['web'], { continue: '0' }) };
    const few = fakeClient({ ...first, ...pages(1000) });
    expect(namesOf(await listObjects(few, pods, undefined))).toEqual(['web']);
    const each = (index: number) => [
      `/api/v1/pods?continue=${index}`,
      page([`web-${index}`], { continue: String(index + 1) }),
    ];
    const thin = Object.fromEntries(Array.from({ length: 1002 }, (_, index) => each(index)));
    await expect(listObjects(fakeClient({ ...first, ...thin }), pods, undefined)).rejects.toThrow(
      'the list goes on after 1000 pages of less than 10 objects',
    );
    const many = fakeClient({ ...first, ...pages(1002) });
    await expect(listObjects(many, pods, undefined)).rejects.toThrow(
      'the list goes on after 1000 pages of less than 10 objects',
    );
  });

  test('gives up on JSON that is too long in any page', async () => {
    const body = ' '.repeat(65 * 1024 * 1024);
    const paths = ['resourceVersion=0', 'limit=500', 'limit=20'];
    const client = fakeClient(
      Object.fromEntries(paths.map((query) => [`/api/v1/pods?${query}`, { body }])),
    );
    await expect(listObjects(client, pods, undefined)).rejects.toThrow(
      'the answer is longer than 67108864 bytes',
    );
    expect(client.paths).toHaveLength(3);
  });

  test('waits as long as a busy server asks', async () => {
    const busy = { ...refusal(429, 'too many requests'), headers: { 'retry-after': '7' } };
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': [busy, refusal(503, 'starting'), page(['a'])],
    });
    const retry = patience();
    expect(namesOf(await listObjects(client, pods, undefined, { retry }))).toEqual(['a']);
    expect(retry.waits).toEqual([7000, 200]);
  });

  test('gives up on a server that stays unavailable', async () => {
    const client = fakeClient({ '/api/v1/pods?resourceVersion=0': refusal(503, 'no endpoints') });
    await expect(listObjects(client, pods, undefined, { retry: patience() })).rejects.toMatchObject(
      {
        status: 503,
        message: 'no endpoints',
      },
    );
    expect(client.paths).toHaveLength(3);
  });

  test('repeats what a dropped connection cut, in pages and without duplicates', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': { ...page(['a', 'b', 'c', 'd']), dropAfter: 90 },
      '/api/v1/pods?limit=2000': page(['a', 'b'], { continue: 'b' }),
      '/api/v1/pods?limit=2000&continue=b': [
        { ...page(['c', 'd']), dropAfter: 100 },
        page(['c', 'd']),
      ],
    });
    const retry = patience();
    expect(namesOf(await listObjects(client, pods, undefined, { retry }))).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(client.paths).toEqual([
      '/api/v1/pods?resourceVersion=0',
      '/api/v1/pods?limit=2000',
      '/api/v1/pods?limit=2000&continue=b',
      '/api/v1/pods?limit=2000&continue=b',
    ]);
    expect(retry.waits).toEqual([100, 100]);
  });

  test('repeats a list that ended early without a word', async () => {
    const whole = encodeList([{ name: 'a' }, { name: 'b' }]);
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': protobuf(whole.subarray(0, 60)),
      '/api/v1/pods?limit=2000': protobuf(whole),
    });
    const options = { retry: patience() };
    expect(namesOf(await listObjects(client, pods, undefined, options))).toEqual(['a', 'b']);
  });

  test('gives up when the connection keeps dropping', async () => {
    const dropping = { ...page(['a', 'b']), dropAfter: 50 };
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': dropping,
      '/api/v1/pods?limit=2000': dropping,
    });
    await expect(listObjects(client, pods, undefined, { retry: patience() })).rejects.toMatchObject(
      {
        code: 'connection-dropped',
      },
    );
    expect(client.paths).toHaveLength(3);
  });

  test('goes on with the token that a 410 offers', async () => {
    const client = fakeClient({
      '/api/v1/pods?limit=2': page(['a', 'b'], { continue: 'old' }),
      '/api/v1/pods?limit=2&continue=old': refusal(410, 'too old', { continue: 'new' }),
      '/api/v1/pods?limit=2&continue=new': page(['c']),
    });
    expect(namesOf(await listObjects(client, pods, undefined, { pageSize: 2 }))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('starts again after a 410 without a token, three times at most', async () => {
    const client = fakeClient({
      '/api/v1/pods?limit=2': [page(['a', 'b'], { continue: 'old' }), page(['a', 'c'])],
      '/api/v1/pods?limit=2&continue=old': refusal(410, 'too old'),
    });
    expect(namesOf(await listObjects(client, pods, undefined, { pageSize: 2 }))).toEqual([
      'a',
      'c',
    ]);

    const hopeless = fakeClient({
      '/api/v1/pods?limit=2': page(['a', 'b'], { continue: 'old' }),
      '/api/v1/pods?limit=2&continue=old': refusal(410, 'too old'),
    });
    await expect(listObjects(hopeless, pods, undefined, { pageSize: 2 })).rejects.toMatchObject({
      status: 410,
    });
    expect(hopeless.paths).toHaveLength(8);
  });

  test('reads JSON from servers without protobuf, leaving managedFields and all else behind', async () => {
    const items = [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'a',
          namespace: 'shop',
          uid: 'uid-a',
          managedFields: [{ manager: 'kubectl' }],
        },
      },
    ];
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': {
        body: { kind: 'PodList', metadata: { continue: 'a' }, items },
      },
      '/api/v1/pods?continue=a': { body: { kind: 'PodList', metadata: {}, items: null } },
    });
    const { records } = await listObjects(client, pods, undefined);
    expect(records).toEqual([
      {
        type: pods,
        namespace: 'shop',
        name: 'a',
        uid: 'uid-a',
        resourceVersion: undefined,
        creationTimestamp: undefined,
        deletionTimestamp: undefined,
        deletionGracePeriodSeconds: undefined,
        ownerReferences: [],
        finalizers: [],
        labels: undefined,
        annotations: undefined,
        writers: undefined,
        facts: undefined,
        place: undefined,
      },
    ]);
  });

  test('asks for JSON that is too long to hold in pages', async () => {
    const padding = ' '.repeat(17 * 1024 * 1024);
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': { body: `${padding}{"kind": "PodList", "items": []}` },
      '/api/v1/pods?limit=500': {
        body: `${padding}{"kind": "PodList", "items": [{"metadata": {"name": "a"}}]}`,
      },
    });
    expect(namesOf(await listObjects(client, pods, undefined))).toEqual(['a']);
  });

  test.each([
    ['no JSON', { body: '<html>' }, 'the answer is not JSON'],
    ['no list', { body: { kind: 'Pod' } }, 'the answer is not a list'],
    ['no protobuf', protobuf(Buffer.from('garbage')), 'it does not start with k8s'],
  ])('does not repeat an answer that is %s', async (_, answer, message) => {
    const client = fakeClient({ '/api/v1/pods?resourceVersion=0': answer });
    await expect(listObjects(client, pods, undefined)).rejects.toThrow(message);
    expect(client.paths).toHaveLength(1);
  });

  test('asks for full objects when facts are wanted, of those kinds that have some', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': page([]),
      '/api/v1/secrets?resourceVersion=0': page([]),
    });
    await listObjects(client, pods, undefined, { facts: true });
    await listObjects(client, builtIn('secrets'), undefined, { facts: true });
    expect(client.requests.map(({ headers }) => headers?.accept?.split(',')[0])).toEqual([
      'application/vnd.kubernetes.protobuf',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ]);
  });

  test('stops when it is cancelled', async () => {
    const abort = new AbortController();
    abort.abort();
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': { ...page(['a', 'b']), dropAfter: 50 },
    });
    const options = { signal: abort.signal, retry: patience() };
    await expect(listObjects(client, pods, undefined, options)).rejects.toThrow(GcError);
    expect(client.paths).toHaveLength(1);
  });
});
