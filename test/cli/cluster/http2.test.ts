import { constants } from 'node:http2';
import { Agent } from 'node:https';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { Http2Sessions } from '../../../src/cluster/connection/http2-sessions.ts';
import { type GetOptions, get } from '../../../src/cluster/get.ts';
import { readBody } from '../../../src/cluster/read-body.ts';
import { cleared } from '../../support/cleared.ts';
import { type Answer, certificate, Http2Stage, whole } from '../../support/http2-server.ts';
import { mockTlsServer } from '../../support/mock-cluster.ts';

const stage = new Http2Stage();
const patient = { timeout: 30_000 };
const once = { tries: 1, firstWait: 1, longestWait: 1, random: () => 1, sleep: async () => {} };

async function textOf(client: ClusterClient, path: string, options: GetOptions = {}) {
  const all = { prefersHttp2: true, retry: once, ...options };
  const response = await get(client, path, 'text/plain', all);
  return `${response.status} ${await readBody(response)}`;
}

/** A part of an answer, and then what `end` does. */
function cutBy(end: Answer, part: string | Buffer = 'a tenth', encoding = 'identity'): Answer {
  return (stream, path, session) => {
    stream.respond({ ':status': 200, 'content-encoding': encoding });
    stream.write(part, () => setTimeout(() => end(stream, path, session), 20));
  };
}

describe('a large answer', () => {
  test('comes over HTTP/2, with the headers of any request', async () => {
    stage.server.answer = whole('whole', {
      'content-type': 'text/plain',
      'x-more': ['one', 'two'],
    });
    // Of what is in the headers of HTTP/1.1, servers leave out the spaces around it.
    const asked = { as: 'Zoë', 'as-group': ['one', ' two\t'] };
    const client = await stage.connected(asked);
    const response = await client.request({ path: '/api/v1/pods?limit=1', prefersHttp2: true });
    expect([response.status, response.headers['content-type'], response.headers['x-more']]).toEqual(
      [200, 'text/plain', 'one, two'],
    );
    expect(String(await readBody(response))).toBe('whole');
    expect(stage.server.asked).toEqual(['/api/v1/pods?limit=1 Bearer secret']);
    const [headers] = stage.server.headers;
    expect([headers?.['impersonate-user'], headers?.['impersonate-group']]).toEqual([
      Buffer.from('Zoë').toString('latin1'),
      'one, two',
    ]);
  });

  test('of many megabytes comes whole, several at a time over one connection', async () => {
    const bytes = Buffer.alloc(5_000_000, 'x');
    stage.server.answer = whole(bytes);
    const client = await stage.connected();
    const all = Array.from({ length: 7 }, async (_, index) => {
      const response = await client.request({ path: `/${index}`, prefersHttp2: true });
      let length = 0;
      await response.body.forEach?.((chunk) => {
        length += chunk.length;
      });
      return length;
    });
    expect(await Promise.all(all)).toEqual(Array(7).fill(bytes.length));
    expect(stage.server.sockets.size).toBe(1);
  });

  test.each(['identity', 'gzip'])(
    'that waits for its reader is complete (%s)',
    async (encoding) => {
      const body = encoding === 'gzip' ? gzipSync('whole') : 'whole';
      stage.server.answer = whole(body, { 'content-encoding': encoding });
      const answered = await (await stage.connected()).request({ path: '/', prefersHttp2: true });
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await text(answered.body)).toBe('whole');
    },
  );
});

describe('an answer that is cut short is no whole one', () => {
  const ends: Readonly<Record<string, Answer>> = {
    'by a closed connection': (_, __, session) => session.destroy(),
    'by a connection reset': () => {
      for (const socket of stage.server.sockets) socket.destroy();
    },
    'by a server error': (stream) => stream.destroy(new Error('a bug')),
  };

  const cuts = Object.keys(ends).flatMap((name) => [
    [name, 'identity'] as const,
    [name, 'gzip'] as const,
  ]);
  test.each(cuts)('%s, written as %s', async (name, encoding) => {
    const part = encoding === 'gzip' ? gzipSync('whole').subarray(0, 15) : 'a tenth';
    stage.server.answer = cutBy(ends[name] as Answer, part, encoding);
    const client = await stage.connected();
    await expect(textOf(client, '/')).rejects.toMatchObject({ code: 'connection-dropped' });
    const { body } = await client.request({ path: '/', prefersHttp2: true });
    const dropped = /was closed before the answer/;
    await expect(text(body)).rejects.toThrow(dropped);
  });

  test.each<[string, Answer]>([
    ['none at all', (_, __, session) => session.destroy()],
    ['a refused request', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
    ['a call for calm', (_, __, session) => session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
  ])('retries %s over another connection', async (_, trouble) => {
    let times = 0;
    stage.server.answer = (stream, path, session) => {
      const answer = ++times < 3 ? trouble : whole();
      answer(stream, path, session);
    };
    const answered = await textOf(await stage.connected(), '/', { retry: { ...once, tries: 5 } });
    expect([answered, times]).toEqual(['200 whole', 3]);
  });
});

describe('a server that sends GOAWAY', () => {
  test('ends what is under way, and is asked over another connection', async () => {
    stage.server.answer = (stream, _, session) => {
      stream.respond({ ':status': 200 });
      stream.write('who');
      session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
      setTimeout(() => stream.end('le'), 50);
    };
    const client = await stage.connected();
    const answers = await Promise.all([1, 2, 3, 4].map((path) => textOf(client, `/${path}`)));
    expect(answers).toEqual(Array(4).fill('200 whole'));
    await vi.waitUntil(() => stage.server.sessions.size === 0, patient);
    expect(await textOf(client, '/after')).toBe('200 whole');
  });

  test('for good gives the same error as over HTTP/1.1', async () => {
    const client = await stage.connected();
    expect(await textOf(client, '/')).toBe('200 whole');
    await stage.server.close();
    const again = { retry: { ...once, tries: 2 } };
    await expect(textOf(client, '/', again)).rejects.toMatchObject({ code: 'connection-refused' });
  });
});

describe('an answer that never ends', () => {
  test('is given up by its caller', async () => {
    stage.server.answer = cutBy(() => {});
    const client = await stage.connected();
    const gone = new AbortController();
    const { body } = await client.request({ path: '/', prefersHttp2: true, signal: gone.signal });
    const reading = text(body);
    setTimeout(() => gone.abort(), 20);
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    await expect(
      client.request({ path: '/', prefersHttp2: true, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('is given up when it takes too long, and others of its connection go on', async () => {
    stage.server.answer = (stream, path, session) => {
      if (!path.startsWith('/hangs')) whole()(stream, path, session);
    };
    const client = await stage.connected({ 'request-timeout': '2s' });
    const hangs = client.request({ path: '/hangs', prefersHttp2: true });
    await expect(hangs).rejects.toMatchObject({ code: 'request-timeout' });
    for (const path of ['/1', '/2', '/3']) expect(await textOf(client, path)).toBe('200 whole');
    expect(stage.server.sockets.size).toBe(1);
  });

  test('ends for a reader that needs no more of it', async () => {
    const closed = Promise.withResolvers<void>();
    stage.server.answer = (stream) => {
      stream.once('close', closed.resolve);
      stream.respond({ ':status': 200 });
      stream.write('a tenth');
    };
    const client = await stage.connected();
    const { body } = await client.request({ path: '/', prefersHttp2: true });
    for await (const chunk of body) {
      expect(`${chunk}`).toBe('a tenth');
      break;
    }
    await closed.promise;
  });
});

test('who asks much has all but its later watches go over one connection of HTTP/2, bodies included', async () => {
  const bodies: string[] = [];
  stage.server.answer = async (stream, path, session) => {
    for await (const chunk of stream) bodies.push(String(chunk));
    whole('taken')(stream, path, session);
  };
  const client = await stage.connected({ prefersHttp2: true });
  const request = async (asked: Parameters<typeof client.request>[0]) => {
    const { status, body: answer } = await client.request(asked);
    return `${status} ${await text(answer)}`;
  };
  const sent = (method: 'DELETE' | 'POST', body: string) => {
    const path = `/${method}`;
    return request({ path, method, body, cleared: cleared({ verb: 'delete', path }) });
  };
  expect([
    await request({ path: '/GET' }),
    await sent('DELETE', '{"preconditions":{"uid":"1"}}'),
    await sent('POST', 'ä'),
  ]).toEqual(['200 taken', '200 taken', '200 taken']);
  expect(bodies).toEqual(['{"preconditions":{"uid":"1"}}', 'ä']);
  expect([stage.server.asked.length, stage.server.sockets.size]).toEqual([3, 1]);
  // This server answers over HTTP/1.1 with 403.
  const statuses: number[] = [];
  for (let count = 0; count < 17; count++)
    statuses.push((await client.request({ path: '/api/v1/pods?watch=true' })).status);
  expect(statuses).toEqual([...Array(16).fill(200), 403]);
  expect([stage.server.asked.length, stage.server.sockets.size]).toEqual([19, 2]);
});

test('its connections count among those that may be open', async () => {
  const agent = new Agent({ maxSockets: 8, keepAlive: true });
  const sessions = new Http2Sessions(stage.url, { rejectUnauthorized: false }, agent);
  stage.atEnd(() => sessions.close());
  for (let count = 0; count < 7; count++) expect(await sessions.next()).toBeDefined();
  expect(agent.maxSockets).toBe(7);
  await vi.waitUntil(() => stage.server.sockets.size === 1, patient);
  sessions.close();
  await vi.waitUntil(() => agent.maxSockets === 8, patient);
  const one = new Http2Sessions(stage.url, {}, new Agent({ maxSockets: 1 }));
  expect(await one.next()).toBeUndefined();
});

test('an HTTP/2 connection replaces no open connection of HTTP/1.1', async () => {
  await stage.serve({ allowHTTP1: true });
  const client = await stage.connected({ connections: 2 });
  for (const prefersHttp2 of [false, true, false]) {
    const both = ['/1', '/2'].map((path) => textOf(client, path, { prefersHttp2 }));
    expect(await Promise.all(both)).toEqual(Array(2).fill('200 over HTTP/1.1'));
  }
  expect(stage.server.sockets.size).toBe(2);
});

test('DISABLE_HTTP2 has all go over HTTP/1.1, as with kubectl', async () => {
  const client = await stage.connected({}, { DISABLE_HTTP2: '1' });
  expect(await textOf(client, '/')).toMatch(/^403 /);
  expect(stage.server.asked).toEqual([]);
});

describe('a server of HTTP/1.1 alone', () => {
  test('is asked so', async () => {
    const plain = await mockTlsServer(certificate);
    stage.atEnd(() => plain.close());
    const client = await stage.connected({ server: plain.url });
    for (const path of ['/a', '/b']) {
      expect(await textOf(client, path)).toBe('200 {"major":"1","minor":"36"}');
    }
    expect(plain.take().map(({ path }) => path)).toEqual(['/a', '/b']);
  });
});

test('a small question is sent over HTTP/1.1', async () => {
  const client = await stage.connected();
  const { status, body } = await client.request({ path: '/' });
  expect([status, String(await text(body))]).toEqual([403, expect.stringMatching(/ALPN/)]);
  expect(stage.server.asked).toEqual([]);
});
