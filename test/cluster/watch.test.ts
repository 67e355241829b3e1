import { expect, test } from 'vitest';
import { ApiFailure } from '../../src/cluster/api-failure.ts';
import type { ApiRequest, ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { BodyTooLong, UnreadableJson } from '../../src/cluster/read-body.ts';
import { linesOf, listForWatch, openWatch, type WatchEvent } from '../../src/cluster/watch.ts';
import { GcError } from '../../src/errors.ts';
import { pod } from '../support/builders.ts';

const { type } = pod('any');

/** A server that answers with these chunks and then ends, breaks, or stays silent. */
function serving(
  chunks: readonly string[],
  end: 'ends' | 'stays' | Error = 'ends',
  status = 200,
): ClusterClient & { readonly requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  return {
    requests,
    server: '',
    namespace: '',
    request: async (request) => {
      requests.push(request);
      async function* body() {
        for (const chunk of chunks) yield new TextEncoder().encode(chunk);
        if (end === 'ends') return;
        if (end !== 'stays') throw end;
        await new Promise((_, reject) =>
          request.signal?.addEventListener('abort', () =>
            reject(new GcError('cancelled', { code: 'cancelled' })),
          ),
        );
      }
      return { status, headers: { 'content-type': 'application/json' }, body: body() };
    },
    close: () => undefined,
  };
}

function line(word: string, version: string, metadata: object = {}): string {
  const object = { metadata: { name: 'web', uid: 'u', resourceVersion: version, ...metadata } };
  return `${JSON.stringify({ type: word, object })}\n`;
}

async function read(client: ClusterClient, silence?: number): Promise<WatchEvent[]> {
  const target = { type, namespace: 'shop' };
  const events: WatchEvent[] = [];
  for await (const event of await openWatch(client, target, '7', { silence })) events.push(event);
  return events;
}

test('a list that goes on is not whole, and nothing counts as gone by it', async () => {
  const list = (token: string) => {
    const metadata = { resourceVersion: '7', continue: token };
    return serving([JSON.stringify({ kind: 'PodList', metadata, items: [] })]);
  };
  const read = (token: string) => listForWatch(list(token), { type, namespace: 'shop' });
  expect(await read('')).toEqual({ records: [], resourceVersion: '7' });
  await expect(read('more')).rejects.toThrowErrorMatchingInlineSnapshot(
    `[Error: the list goes on, although it was asked for whole]`,
  );
});

test('events are read however they are cut, without who wrote what', async () => {
  const text =
    line('ADDED', '8', { managedFields: [{ manager: 'kubectl' }] }) +
    line('MODIFIED', '9') +
    line('BOOKMARK', '10') +
    line('UNHEARD-OF', '11') +
    line('DELETED', '12');
  const client = serving(text.match(/.{1,9}/gs) ?? []);
  const events = await read(client);
  expect(events.map((event) => [event.type, event.version])).toEqual([
    ['seen', '8'],
    ['seen', '9'],
    ['bookmark', '10'],
    ['deleted', '12'],
  ]);
  expect(events[0]).toMatchObject({ record: { name: 'web', uid: 'u', writers: undefined } });
  expect(client.requests[0]?.path).toBe(
    '/api/v1/namespaces/shop/pods?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=600',
  );
  expect(client.requests[0]?.headers).toEqual({
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    'accept-encoding': 'identity',
  });
});

test('an event that is cut off is none', async () => {
  expect(await read(serving([line('ADDED', '8'), '{"type":"ADD']))).toHaveLength(1);
});

test('errors are thrown, those in the stream too', async () => {
  const status = { kind: 'Status', code: 410, message: 'too old resource version' };
  const inStream = serving([`${JSON.stringify({ type: 'ERROR', object: status })}\n`]);
  await expect(read(inStream)).rejects.toEqual(new ApiFailure(410, 'too old resource version'));
  const refusal = { ...status, code: 403, reason: 'Forbidden', message: 'no' };
  const atOnce = serving([JSON.stringify(refusal)], 'ends', 403);
  const { reason } = refusal;
  const failure = new ApiFailure(403, 'no', { reason, continue: '', name: '' });
  await expect(read(atOnce)).rejects.toEqual(failure);
  const broken = new GcError('broken', { code: 'connection-dropped' });
  await expect(read(serving([line('ADDED', '8')], broken))).rejects.toBe(broken);
  await expect(read(serving(['<html>\n']))).rejects.toBeInstanceOf(UnreadableJson);
});

const messageOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'read',
    (error: Error) => error.message,
  );

test('an event that is none, or the word of the server, ends the watch with a reason', async () => {
  const events = [
    'null',
    '{"type":"ADDED","object":null}',
    '{"type":"ERROR","object":{"code":410}}',
    '{"type":"ERROR","object":{}}',
  ];
  const reasons = events.map((event) => messageOf(read(serving([`${event}\n`]))));
  expect((await Promise.all(reasons)).join('\n')).toMatchInlineSnapshot(`
    "a watch event has no object
    a watch event has no object
    the server ended it with status 410
    the server ended it with status 500"
  `);
});

test('a connection that says nothing any more is ended', async () => {
  expect(await read(serving([line('ADDED', '8')], 'stays'), 30)).toHaveLength(1);
});

test('buffers one line, up to the longest possible', async () => {
  async function* endless() {
    for (;;) yield new Uint8Array(10).fill(97);
  }
  const reading = async () => {
    for await (const text of linesOf(endless(), 1_000)) expect(text).toBe('never');
  };
  await expect(reading()).rejects.toBeInstanceOf(BodyTooLong);
});

test('an event whose object is malformed ends the watch: a list says what is there', async () => {
  const odd = [{ name: undefined }, { name: '..' }, { ownerReferences: 'web' }];
  const reasons = odd.map((one) => messageOf(read(serving([line('ADDED', '8', one)]))));
  expect((await Promise.all(reasons)).join('\n')).toMatchInlineSnapshot(`
    "the object of a watch event is not an object with a name
    the object of a watch event is not an object with a name
    the object of a watch event is malformed: metadata.ownerReferences is a string, not a list"
  `);
});
