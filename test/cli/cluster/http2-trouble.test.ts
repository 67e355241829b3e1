import { once as event } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Agent } from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { exchangeOverHttp2 } from '../../../src/cluster/connection/http2-exchange.ts';
import { Http2Sessions } from '../../../src/cluster/connection/http2-sessions.ts';
import { get } from '../../../src/cluster/get.ts';
import { defaultRetryPolicy } from '../../../src/cluster/pacing.ts';
import { readBody } from '../../../src/cluster/read-body.ts';
import { Http2Stage } from '../../support/http2-server.ts';

const stage = new Http2Stage();
const patient = { timeout: 30_000 };
const large = { path: '/', prefersHttp2: true };
const exchanged = {
  url: 'https://cluster.test/api',
  headers: {},
  awaited: undefined,
  peer: { name: 'the server' },
};

async function textOf(client: ClusterClient, path = '/'): Promise<string> {
  const quick = { ...defaultRetryPolicy, firstWait: 20 };
  const response = await get(client, path, 'application/json', {
    prefersHttp2: true,
    retry: quick,
  });
  return `${response.status} ${await readBody(response)}`;
}

/** A port of its own, and the sockets that `taken` keeps of its connections. */
async function listen(taken: (socket: Socket) => readonly Socket[]) {
  const sockets: Socket[] = [];
  const listener = net.createServer((near) => {
    for (const socket of taken(near)) sockets.push(socket.on('error', () => {}));
  });
  await event(listener.listen(0, '127.0.0.1'), 'listening');
  stage.atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  return { sockets, url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}` };
}

/** Something on the way that lets all bytes pass, until it forgets its connections. */
async function startRelay(): Promise<{ readonly url: string; forget(): void }> {
  const relay = await listen((near) => {
    const far = net.connect(Number(new URL(stage.url).port), '127.0.0.1');
    near.pipe(far).pipe(near);
    return [near, far];
  });
  const forget = () => {
    for (const socket of relay.sockets) socket.unpipe().pause();
  };
  return { url: relay.url, forget };
}

/** A port where connections are taken, and nothing is ever said. */
async function startSilence(): Promise<readonly Socket[]> {
  const silence = await listen((socket) => [socket]);
  stage.url = silence.url;
  return silence.sockets;
}

describe('a request', () => {
  const exchange = (more: Partial<typeof exchanged>) => {
    const session = connectHttp2(stage.url, { rejectUnauthorized: false });
    stage.atEnd(() => session.destroy());
    return exchangeOverHttp2(session, { ...exchanged, ...more });
  };

  test.each([
    ['https://[fd00::1]:6443/k8s/x/api?limit=1', '[fd00::1]:6443', '/k8s/x/api?limit=1'],
    ['https://cluster.test/api', 'cluster.test', '/api'],
    ['https://cluster.test:443/api', 'cluster.test', '/api'],
  ])('for %s sends the same host as HTTP/1.1', async (asked, authority, path) => {
    const { body } = await exchange({ url: asked });
    await text(body);
    expect(
      stage.server.headers.map((headers) => [headers[':authority'], headers[':path']]),
    ).toEqual([[authority, path]]);
  });

  test('with a header that HTTP does not allow is not sent without it', async () => {
    const answer = exchange({ headers: { authorization: 'Bearer a\nb' } });
    await expect(answer).rejects.toMatchObject({ code: 'invalid-request' });
  });
});

describe('an answer', () => {
  test.each(['identity', 'gzip'])('that is %s may break before it is read', async (encoding) => {
    const part = encoding === 'gzip' ? gzipSync('part').subarray(0, 12) : 'part';
    stage.server.answer = (stream, _, session) => {
      stream.respond({ ':status': 200, 'content-encoding': encoding });
      stream.write(part, () => setTimeout(() => session.destroy(), 10));
    };
    const client = await stage.connected();
    const { body, status } = await client.request(large);
    await vi.waitUntil(() => stage.server.sessions.size === 0, patient);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(status).toBe(200);
    await expect(text(body)).rejects.toMatchObject({
      code: 'connection-dropped',
    });
  });

  test('has what comes before and after it left out', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'x'.repeat(400)]),
    );
    stage.server.answer = (stream, _, session) => {
      session.ping(() => {});
      stream.additionalHeaders({ ':status': 103, link: '</x>' });
      stream.respond({ ':status': 200, ...many });
      stream.end('whole');
    };
    const client = await stage.connected();
    expect(await textOf(client)).toBe('200 whole');
  });
});

describe('a server', () => {
  test('that takes one request at a time of a connection answers them all', async () => {
    await stage.serve({ settings: { maxConcurrentStreams: 1 } });
    const client = await stage.connected();
    const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
    const all = await Promise.all(paths.map((path) => textOf(client, path)));
    expect(all).toEqual(paths.map(() => '200 whole'));
  });

  test('that closes slowly leaves connections for other requests', async () => {
    await stage.serve({ allowHTTP1: true });
    const end = Promise.withResolvers<void>();
    stage.server.answer = (stream, _, session) => {
      session.goaway(0, 2 ** 31 - 1);
      stream.respond({ ':status': 200 });
      stream.write('who');
      void end.promise.then(() => stream.end('le'));
    };
    const client = await stage.connected({ connections: 2 });
    const { body } = await client.request(large);
    expect([await textOf(client, '/1'), await textOf(client, '/2')]).toEqual(
      Array(2).fill('200 over HTTP/1.1'),
    );
    end.resolve();
    expect(await text(body)).toBe('whole');
  });
});

describe('a connection over which nothing comes any more', () => {
  function sessionsTo(address: string, ping: number, agent = new Agent()) {
    const pace = { silence: 1000, ping };
    const sessions = new Http2Sessions(address, { rejectUnauthorized: false }, agent, pace);
    stage.atEnd(() => sessions.close());
    return sessions;
  }

  async function sessionTo(address: string, ping: number) {
    const session = await sessionsTo(address, ping).next();
    if (!session) throw new Error('no session');
    return session;
  }

  test('is given up when a PING is not answered, and with it its answers', async () => {
    const relay = await startRelay();
    stage.server.answer = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('a tenth');
    };
    const session = await sessionTo(relay.url, 100);
    const { body } = await exchangeOverHttp2(session, exchanged);
    relay.forget();
    await expect(text(body)).rejects.toMatchObject({ code: 'connection-dropped' });
    expect(session.destroyed).toBe(true);
  });

  test('is closed where nothing is asked, and leaves room for another', async () => {
    const agent = new Agent({ maxSockets: 2 });
    const sessions = sessionsTo(stage.url, 20_000, agent);
    const first = await sessions.next();
    expect(agent.maxSockets).toBe(1);
    await vi.waitUntil(() => agent.maxSockets === 2, patient);
    const second = await sessions.next();
    expect([first?.destroyed, second?.destroyed]).toEqual([true, false]);
  });

  test('is waited for while its server answers PINGs', async () => {
    const pinged = Promise.withResolvers<void>();
    stage.server.answer = (stream, _, session) => {
      session.once('ping', () => pinged.resolve());
      stream.respond({ ':status': 200 });
      stream.write('who');
      void pinged.promise.then(() => setTimeout(() => stream.end('le'), 50));
    };
    const { body } = await exchangeOverHttp2(await sessionTo(stage.url, 20_000), exchanged);
    expect(await text(body)).toBe('whole');
  });
});

describe('a server that takes connections and says nothing', () => {
  test('is given up after --request-timeout', async () => {
    await startSilence();
    const client = await stage.connected({ 'request-timeout': '200ms' });
    await expect(client.request(large)).rejects.toMatchObject({
      code: 'request-timeout',
      message: `the API server ${stage.url} did not answer within 200 ms`,
    });
  });

  test('is given up by its caller', async () => {
    const sockets = await startSilence();
    const client = await stage.connected();
    const gone = new AbortController();
    const answer = client.request({ ...large, signal: gone.signal });
    await vi.waitUntil(() => sockets.length === 1, patient);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    await expect(client.request({ ...large, signal: gone.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('is left when the connections are closed', async () => {
    const [sockets, agent] = [await startSilence(), new Agent()];
    const sessions = new Http2Sessions(stage.url, {}, agent);
    const next = sessions.next();
    await vi.waitUntil(() => sockets.length === 1, patient);
    sessions.close();
    expect(await next).toBeUndefined();
    expect(agent.maxSockets).toBe(Number.POSITIVE_INFINITY);
  });
});
