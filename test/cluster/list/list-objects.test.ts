import { describe, expect, test } from 'vitest';
import { type ListOptions, listObjects } from '../../../src/cluster/list/list-objects.ts';
import { GcError } from '../../../src/errors.ts';
import { builtIn } from '../built-in.ts';
import { encodeList, type ListMeta } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

const pods = builtIn('pods');

function page(names: string, meta: ListMeta = {}): Answer {
  const items = names.split(' ').filter(Boolean);
  return protobuf(
    encodeList(
      items.map((name) => ({ name, namespace: 'shop', uid: `uid-${name}` })),
      meta,
    ),
  );
}

/** Lists pods of a server that answers by query: their names or why there are none, and what was asked. */
async function list(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  { namespace, ...options }: ListOptions & { readonly namespace?: string } = {},
) {
  const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  const client = fakeClient(
    Object.fromEntries(Object.entries(answers).map(([query, answer]) => [path + query, answer])),
  );
  const retry = patience();
  const told = await listObjects(client, pods, namespace, { retry, ...options }).then(
    ({ records }) => records.map(({ name }) => name).join(' '),
    (error: Error & { status?: number; code?: string }) =>
      `${error.status ?? error.code ?? 'failed'}: ${error.message}`,
  );
  const asked = client.paths.map((one) => one.replace(path, ''));
  return { told, asked, waits: retry.waits };
}

const cached = '?resourceVersion=0';

describe('listObjects', () => {
  test('reads the whole list from the cache in one protobuf answer', async () => {
    const date = { date: 'Sat, 21 Nov 2026 08:00:01 GMT' };
    const answer = { ...page('a b'), headers: { ...page('').headers, ...date } };
    const client = fakeClient({
      '/apis/apps/v1/namespaces/shop/deployments?resourceVersion=0': answer,
    });
    const listed = await listObjects(client, builtIn('deployments.apps'), 'shop');
    expect(listed.records.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(listed.serverTime).toBe('2026-11-21T08:00:01Z');
    expect(client.requests.map(({ headers }) => headers)).toEqual([
      {
        accept:
          'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,' +
          'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      },
    ]);
  });

  test('asks for the newest state without a version', async () => {
    expect((await list({ '': page('a') }, { freshness: 'latest' })).told).toBe('a');
  });

  const words = 'storage is (re)initializing: failed to list *core.Pod: it is damaged';
  test.each<[told: string, second: Answer, options?: Parameters<typeof list>[1]]>([
    ['a', page('a')],
    ['500: storage is (re)initializing: it is damaged', refusal(500, 'it is damaged')],
    [`429: ${words}`, page(''), { namespace: 'shop' }],
  ])('lists in pages without a watch cache: %s', async (told, second, options) => {
    const retry = { ...patience(), tries: 1 };
    const answers = { [cached]: refusal(429, words), '?limit=2000': second };
    expect(await list(answers, { ...options, retry })).toMatchObject({
      told,
      asked: [cached, '?limit=2000'],
    });
  });

  test('follows pages to the end, those that it did not ask for, too', async () => {
    const answers = {
      '?limit=2': page('a b', { continue: 'to/b=' }),
      '?limit=2&continue=to%2Fb%3D': page('c d', { continue: 'd' }),
      '?limit=2&continue=d': page('e'),
    };
    const { told } = await list(answers, { freshness: 'latest', pageSize: 2 });
    expect(told.split(' ')).toEqual(['a', 'b', 'c', 'd', 'e']);
    const unasked = { [cached]: page('a', { continue: 'a' }), '?continue=a': page('b') };
    expect((await list(unasked)).told).toBe('a b');
  });

  test.each([
    ['a repeated token', { a: 'a' }],
    ['tokens in a circle', { a: 'b', b: 'a' }],
  ])('gives up on %s', async (_, tokens) => {
    const next = Object.entries(tokens).map(([token, to]) => [
      `?continue=${token}`,
      page(`web-${token}`, { continue: to }),
    ]);
    const answers = { [cached]: page('web', { continue: 'a' }), ...Object.fromEntries(next) };
    const { told, asked } = await list(answers);
    expect(asked).toHaveLength(next.length + 1);
    expect(told).toMatchInlineSnapshot(`"failed: the server sent the same continue token twice"`);
  });

  const inPages = (count: number, names: string) => {
    const pages = Array.from({ length: count }, (_, index) => [
      `?continue=${index}`,
      page(names, { continue: index === count - 1 ? '' : String(index + 1) }),
    ]);
    return list({ [cached]: page('web', { continue: '0' }), ...Object.fromEntries(pages) });
  };
  test('reads a few pages with no objects, and gives up on many with hardly any', async () => {
    expect((await inPages(1000, '')).told).toBe('web');
    expect((await inPages(1002, '')).told).toMatchInlineSnapshot(
      `"failed: the list goes on after 1000 pages of less than 10 objects"`,
    );
    expect((await inPages(1002, 'db')).told).toMatch(/^failed: /);
  });

  test('asks for JSON that is too long to hold in pages, and gives up on any page that is', async () => {
    const body = ' '.repeat(65 * 1024 * 1024);
    const queries = [cached, '?limit=500', '?limit=20'];
    expect(await list(Object.fromEntries(queries.map((query) => [query, { body }])))).toEqual({
      told: expect.stringMatching(/^failed: .* 67108864 bytes/),
      asked: queries,
      waits: [],
    });
    const padded = (items: string) => ({
      body: `${body.slice(0, 17 * 1024 * 1024)}{"kind": "PodList", "items": [${items}]}`,
    });
    const answers = { [cached]: padded(''), '?limit=500': padded('{"metadata": {"name": "a"}}') };
    expect((await list(answers)).told).toBe('a');
  });

  test('waits as long as a busy server asks, and gives up on one that stays unavailable', async () => {
    const busy = { ...refusal(429, 'too many requests'), headers: { 'retry-after': '7' } };
    const passing = { [cached]: [busy, refusal(503, 'starting'), page('a')] };
    expect(await list(passing)).toMatchObject({ told: 'a', waits: [7000, 200] });
    const { told, asked } = await list({ [cached]: refusal(503, 'no endpoints') });
    expect([told, asked.length]).toEqual(['503: no endpoints', 3]);
  });

  test('repeats what a dropped connection cut, in pages and without duplicates', async () => {
    const answers = {
      [cached]: { ...page('a b c d'), dropAfter: 90 },
      '?limit=2000': page('a b', { continue: 'b' }),
      '?limit=2000&continue=b': [{ ...page('c d'), dropAfter: 100 }, page('c d')],
    };
    expect(await list(answers)).toEqual({
      told: 'a b c d',
      asked: [cached, '?limit=2000', '?limit=2000&continue=b', '?limit=2000&continue=b'],
      waits: [100, 100],
    });
  });

  test('repeats a list that ended early without a word', async () => {
    const whole = encodeList([{ name: 'a' }, { name: 'b' }]);
    const answers = { [cached]: protobuf(whole.subarray(0, 60)), '?limit=2000': protobuf(whole) };
    expect((await list(answers)).told).toBe('a b');
  });

  test('gives up when the connection keeps dropping', async () => {
    const dropping = { ...page('a b'), dropAfter: 50 };
    const { told, asked } = await list({ [cached]: dropping, '?limit=2000': dropping });
    expect([told.split(':')[0], asked.length]).toEqual(['connection-dropped', 3]);
  });

  test('goes on with the token that a 410 offers', async () => {
    const answers = {
      '?limit=2': page('a b', { continue: 'old' }),
      '?limit=2&continue=old': refusal(410, 'too old', { continue: 'new' }),
      '?limit=2&continue=new': page('c'),
    };
    expect((await list(answers, { pageSize: 2 })).told).toBe('a b c');
  });

  test('starts again after a 410 without a token, three times at most', async () => {
    const expired = { '?limit=2&continue=old': refusal(410, 'too old') };
    const first = page('a b', { continue: 'old' });
    const again = await list({ '?limit=2': [first, page('a c')], ...expired }, { pageSize: 2 });
    expect(again.told).toBe('a c');
    const hopeless = await list({ '?limit=2': first, ...expired }, { pageSize: 2 });
    expect([hopeless.told, hopeless.asked.length]).toEqual(['410: too old', 8]);
  });

  test('reads JSON from servers without protobuf, leaving managedFields and all else behind', async () => {
    const metadata = { name: 'a', uid: 'uid-a', managedFields: [{ manager: 'kubectl' }] };
    const items = [{ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'n' } }];
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': {
        body: { kind: 'PodList', metadata: { continue: 'a' }, items },
      },
      '/api/v1/pods?continue=a': { body: { kind: 'PodList', metadata: {}, items: null } },
    });
    const { records } = await listObjects(client, pods, undefined);
    expect(records).toMatchObject([{ name: 'a', uid: 'uid-a', writers: undefined }]);
  });

  test('does not repeat an answer that is no JSON, no list or no protobuf', async () => {
    const answers = [
      { body: '<html>' },
      { body: { kind: 'Pod' } },
      protobuf(Buffer.from('garbage')),
    ];
    const reasons: string[] = [];
    for (const answer of answers) {
      const { told, asked } = await list({ [cached]: answer });
      expect(asked).toHaveLength(1);
      reasons.push(told);
    }
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "failed: the answer is not JSON
      failed: the answer is not a list, but a Pod without items
      failed: malformed protobuf: it does not start with k8s and a zero byte"
    `);
  });

  test('asks for full objects when facts are wanted, of those kinds that have some', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': page(''),
      '/api/v1/secrets?resourceVersion=0': page(''),
    });
    await listObjects(client, pods, undefined, { facts: true });
    await listObjects(client, builtIn('secrets'), undefined, { facts: true });
    expect(client.requests.map(({ headers }) => headers?.accept?.split(',')[0])).toEqual([
      'application/vnd.kubernetes.protobuf',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ]);
  });

  test('stops when it is cancelled', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': { ...page('a b'), dropAfter: 50 },
    });
    const options = { signal: AbortSignal.abort(), retry: patience() };
    await expect(listObjects(client, pods, undefined, options)).rejects.toThrow(GcError);
    expect(client.paths).toHaveLength(1);
  });
});
