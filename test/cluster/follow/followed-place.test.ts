import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { ApiRequest, ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { Informer, type PlaceListener } from '../../../src/cluster/follow/followed-place.ts';
import { GcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectOf } from '../../../src/kube/record-codec.ts';
import { configMap, pod, secret } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';

const pace = { firstWait: 1, longestWait: 5, poll: 1, gathering: 10 };
let ended = new AbortController();
afterEach(() => {
  ended.abort();
  ended = new AbortController();
});

/** A status, or the lines of a watch, after which it stays open, or breaks. */
type Answer = number | { readonly events: readonly string[]; readonly breaks?: boolean } | object;

/** Answers watches and lists one after the other; the last answer of each stays. */
function serving(watches: readonly Answer[], lists: readonly object[] = []) {
  const requests: ApiRequest[] = [];
  const left = { watch: [...watches], list: [...lists] };
  const client: ClusterClient = {
    server: '',
    namespace: '',
    close: () => undefined,
    request: async (request) => {
      requests.push(request);
      await sleep(1);
      const queue = request.path.includes('watch=true') ? left.watch : left.list;
      const answer = queue.length > 1 ? queue.shift() : queue[0];
      const status = typeof answer === 'number' ? answer : 200;
      async function* body() {
        if (answer && typeof answer === 'object' && 'events' in answer) {
          for (const event of answer.events as string[]) yield Buffer.from(`${event}\n`);
          if ('breaks' in answer) throw new GcError('cut', { code: 'connection-dropped' });
          await new Promise<void>((resolve) =>
            request.signal?.addEventListener('abort', () => resolve()),
          );
        } else yield Buffer.from(JSON.stringify(typeof answer === 'number' ? {} : answer));
      }
      return { status, headers: { 'content-type': 'application/json' }, body: body() };
    },
  };
  return { client, requests };
}

function eventOf(type: string, record: ObjectRecord): string {
  return JSON.stringify({ type, object: objectOf(record) });
}

function listOf(version: string, ...records: ObjectRecord[]): object {
  const items = records.map(objectOf);
  return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: version }, items };
}

function follow(
  { client }: ReturnType<typeof serving>,
  records: readonly [ObjectRecord, ...ObjectRecord[]],
  options: { readonly facts?: boolean } = {},
) {
  const told: string[] = [];
  let changes = 0;
  const listener: PlaceListener = {
    changed: () => {
      changes += 1;
    },
    lost: (_, reason) => told.push(`lost: ${reason}`),
    found: (_, listed) => told.push(listed ? 'listed' : 'watched'),
    failed: (error) => told.push(`failed: ${error}`),
  };
  const list = { type: records[0].type, namespace: undefined, records, resourceVersion: '5' };
  const place = new Informer({ client, options, listener, pace }, list, true);
  void place.run('5', ended.signal);
  const names = () => [...place.records].map(({ name }) => name).sort();
  return { place, told, names, changes: () => changes };
}

const until = (what: string, holds: () => boolean) =>
  eventually(what, async () => holds() || undefined);

const a = configMap('a', { resourceVersion: '3' });
const b = configMap('b', { resourceVersion: '4' });

test('watched objects that are created, changed and deleted are counted', async () => {
  const renewed = { ...a, resourceVersion: '6' };
  const labelled = { ...b, resourceVersion: '7', labels: { app: 'web' } };
  const events = [
    eventOf('MODIFIED', renewed),
    eventOf('MODIFIED', labelled),
    eventOf('ADDED', configMap('c', { resourceVersion: '8' })),
    eventOf('DELETED', renewed),
  ];
  const server = serving([{ events }]);
  const { names, changes, place } = follow(server, [a, b]);
  await until('a is gone', () => names().join() === 'b,c');
  expect(changes()).toBe(3);
  expect([...place.records].map(({ labels }) => labels?.app)).toEqual(['web', undefined]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=600',
  ]);
});

test('a watch that breaks goes on where it was', async () => {
  const events = [eventOf('ADDED', configMap('c', { resourceVersion: '9' }))];
  const server = serving([{ events, breaks: true }, { events: [] }]);
  const { told, names } = follow(server, [a]);
  await until('it is watched again', () => told.includes('watched'));
  expect(told).toEqual(['lost: cut', 'watched']);
  expect(names()).toEqual(['a', 'c']);
  expect(server.requests[1]?.path).toContain('resourceVersion=9');
});

test('an expired watch (410) lists again, and drops objects deleted meanwhile', async () => {
  const server = serving([410, { events: [] }], [listOf('20', b)]);
  const { told, names } = follow(server, [a]);
  await until('it is watched again', () => server.requests.length === 3);
  expect(names()).toEqual(['b']);
  expect(told).toEqual(['lost: the server answered with HTTP status 410', 'listed']);
  expect(server.requests[2]?.path).toContain('resourceVersion=20');
});

test('a kind that may not be watched is listed periodically', async () => {
  const server = serving([403], [listOf('20', a), listOf('21', a, b)]);
  const { names, told } = follow(server, [a]);
  await until('b was listed', () => names().join() === 'a,b');
  expect(told).toEqual([]);
});

test('a kind that may no longer be listed is unknown until it may be listed again', async () => {
  const server = serving([410, { events: [] }], []);
  const lists = [403, 403, listOf('30', b)];
  const request = server.client.request;
  let seen = '';
  const client: ClusterClient = {
    ...server.client,
    request: async (asked) => {
      if (asked.path.includes('watch=true')) return request(asked);
      const answer = lists.length > 1 ? lists.shift() : lists[0];
      seen += ` ${place.problem?.reason ?? 'read'}:${names().length}`;
      return {
        status: typeof answer === 'number' ? answer : 200,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield Buffer.from(JSON.stringify(typeof answer === 'number' ? {} : answer));
        })(),
      };
    },
  };
  const { place, names, told } = follow({ ...server, client }, [a]);
  await until('it was listed', () => told.includes('listed'));
  expect(seen).toBe(' read:1 forbidden:0 forbidden:0');
  expect([names(), place.problem]).toEqual([['b'], undefined]);
});

test('pods are watched whole where their facts are read, and of Secrets metadata alone', async () => {
  const servers = [pod('a'), secret('a')].map((record) => {
    const server = serving([{ events: [] }]);
    follow(server, [record], { facts: true });
    return server;
  });
  await until('both are watched', () => servers.every(({ requests }) => requests.length > 0));
  const accepts = servers.map(({ requests: [request] }) => request?.headers?.accept);
  expect(accepts[0]).toBe('application/json');
  expect(accepts[1]).toMatch(/^application\/json;as=PartialObjectMetadata;/);
});

test('a new Secret whose facts count is listed, and one that is known keeps them', async () => {
  const token = secret('token', { facts: { secretType: 'kubernetes.io/service-account-token' } });
  const bare = secret('token', { resourceVersion: '7', labels: { seen: 'again' } });
  const other = secret('other', { resourceVersion: '8' });
  const events = [eventOf('MODIFIED', bare), eventOf('ADDED', other)];
  const server = serving(
    [{ events }, { events: [] }],
    [listOf('20', token, other), listOf('20', token), listOf('20')],
  );
  const { place } = follow(server, [token], { facts: true });
  await until('it was listed', () => server.requests.length >= 5);
  expect([...place.records].map(({ name, facts }) => [name, facts?.secretType])).toEqual([
    ['token', 'kubernetes.io/service-account-token'],
    ['other', undefined],
  ]);
});
