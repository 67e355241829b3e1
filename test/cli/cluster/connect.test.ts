import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import type {
  ClusterClient,
  ConnectionOptions,
} from '../../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../../src/cluster/connection/connect.ts';
import { cleared } from '../../support/cleared.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { nowhere } from '../../support/nowhere.ts';

async function clientOf(
  answer: RequestListener,
  options: ConnectionOptions = {},
  prefix = '',
): Promise<ClusterClient> {
  const server = await mockHttpServer(answer);
  const client = await connect({ server: server.url + prefix, ...options }, nowhere);
  onTestFinished(server.close);
  onTestFinished(() => client.close());
  return client;
}

const get = async (client: ClusterClient, path = '/version') => {
  const { body } = await client.request({ path });
  return text(body);
};

const unpacked: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain');

describe('connect', () => {
  test('names the address of the server', async () => {
    const ends: RequestListener = (_, response) => response.end();
    const client = await clientOf(ends, { namespace: 'team' }, '/prefix/');
    const server = client.server.replace(/\d+\//, '0/');
    expect([server, client.namespace]).toEqual(['http://127.0.0.1:0/prefix', 'team']);
  });

  test('sends method, path, headers and body below the address of the server', async () => {
    const tells: RequestListener = async (request, response) => {
      const { method, url, headers } = request;
      const body = await text(request);
      response.end(JSON.stringify({ method, url, headers, body }));
    };
    const client = await clientOf(tells, {}, '/k8s/clusters/x');
    const path = '/api/v1/pods/a?dryRun=All';
    const headers = { accept: 'application/x-protobuf', 'content-type': 'application/json' };
    const sent = { method: 'DELETE', headers, body: '{"kind":"DeleteOptions"}' } as const;
    const request = { ...sent, path, cleared: cleared({ verb: 'delete', path }) };
    const { body } = await client.request(request);
    expect(JSON.parse(await text(body))).toMatchObject({
      ...sent,
      url: `/k8s/clusters/x${path}`,
      headers: { ...headers, 'user-agent': `kubectl-gc/${packageJson.version}` },
    });
  });

  test('resolves with every status, headers in lower case', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(403, { 'X-Reason': 'no', Warning: ['299 - "a"', '299 - "b"'] });
      response.end('forbidden');
    });
    const { status, headers, body } = await client.request({ path: '/' });
    expect([status, headers['x-reason'], headers.warning, headers['retry-after']]).toEqual([
      403,
      'no',
      '299 - "a", 299 - "b"',
      undefined,
    ]);
    expect(await text(body)).toBe('forbidden');
  });

  test('hands on decompressed chunks as they arrive', async () => {
    let finish = () => {};
    const client = await clientOf((_, response) => {
      const zipped = gzipSync('first');
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(zipped);
      finish = () => response.end(gzipSync('second'));
    });
    const { headers, body } = await client.request({ path: '/' });
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      if (chunks.length === 1) finish();
    }
    expect([chunks, headers['content-encoding']]).toEqual([['first', 'second'], undefined]);
  });

  test('keeps eight connections and uses them again', async () => {
    const ports = new Set<number | undefined>();
    let open = 0;
    let most = 0;
    const isFull = Promise.withResolvers<void>();
    const client = await clientOf((request, response) => {
      ports.add(request.socket.remotePort);
      most = Math.max(most, ++open);
      if (open === 8) isFull.resolve();
      void isFull.promise.then(() => {
        setTimeout(() => {
          open--;
          response.end('x');
        }, 5);
      });
    });
    await Promise.all(Array.from({ length: 30 }, () => get(client)));
    await get(client);
    expect({ most, connections: ports.size }).toEqual({ most: 8, connections: 8 });
  });

  const cuts = ['identity', 'gzip'].flatMap((encoding) =>
    [0, 50].map((wait) => ({ encoding, wait })),
  );
  test.each(cuts)(
    'rejects a truncated body ($encoding, read after $wait ms)',
    async ({ encoding, wait }) => {
      const client = await clientOf((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding, 'content-length': '100' });
        response.write(encoding === 'gzip' ? gzipSync('cut short').subarray(0, 15) : 'part');
        setTimeout(() => response.destroy(), 10);
      });
      const { body, status } = await client.request({ path: '/' });
      await new Promise((resolve) => setTimeout(resolve, wait));
      expect(status).toBe(200);
      await expect(text(body)).rejects.toMatchObject({
        code: 'connection-dropped',
        message: expect.stringContaining(` ${client.server}: `),
      });
    },
  );

  test.each<[string, RequestListener, string]>([
    ['a mislabelled body', unpacked, 'invalid-compression'],
    ['a dropped connection', ({ socket }) => socket.destroy(), 'connection-dropped'],
    ['another protocol', ({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n'), 'not-http'],
  ])('rejects %s', async (_, answer, code) => {
    await expect(get(await clientOf(answer))).rejects.toMatchObject({ code });
  });

  test('says where it looked for a kubeconfig when the default server refuses', async () => {
    const { port, close } = await mockHttpServer();
    await close();
    const env = { HOME: '/nowhere', KUBERNETES_MASTER: `http://127.0.0.1:${port}` };
    const client = await connect({}, { ...nowhere, env });
    await expect(get(client)).rejects.toMatchObject({
      code: 'connection-refused',
      message: expect.stringContaining(` http://127.0.0.1:${port}: `),
      suggestions: [
        expect.stringContaining('(looked in /nowhere/.kube/config)'),
        expect.anything(),
      ],
    });
  });
});

describe('giving up', () => {
  test.each<[string, RequestListener]>([
    ['before the answer', () => {}],
    ['after the headers', (_, response) => response.flushHeaders()],
  ])('after --request-timeout, %s', async (_, answer) => {
    const client = await clientOf(answer, { 'request-timeout': '50ms' });
    await expect(get(client)).rejects.toMatchObject({
      code: 'request-timeout',
      message: expect.stringMatching(/did not answer within 50 ms$/),
    });
  });

  const trickles: RequestListener = (_, response) => {
    const trickle = setInterval(() => response.write('x'), 1000);
    onTestFinished(() => clearInterval(trickle));
  };
  test.each<[string, RequestListener]>([
    ['that hangs', () => {}],
    ['that trickles', trickles],
  ])('a server %s is given up after 60 s, its next answer after 5 s', async (_, answer) => {
    const { client, said, url } = await withClock(answer);
    const ends = async (path: string) => {
      const began = performance.now();
      let end: unknown;
      get(client, path).catch((error: Error) => {
        end = error.message.replace(url, 'URL');
      });
      for (let second = 0; end === undefined && second < 200; second++) {
        await vi.advanceTimersByTimeAsync(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return [end, Math.round((performance.now() - began) / 1000)];
    };
    const ended = [await ends('/api/v1/pods?limit=1'), await ends('/version')];
    const waiting = 'Waiting for the API server URL to answer GET /api/v1/pods';
    expect([ended, said.map((line) => line.replace(url, 'URL'))]).toEqual([
      [
        ['the API server URL did not answer within 60 s', 60],
        ['the API server URL did not answer within 5 s', 5],
      ],
      [`${waiting}: 10 s so far`, `${waiting}: 40 s so far`],
    ]);
  });

  test('on a server that stops in the middle of a long answer', async () => {
    const length = 16 * 1024 * 1024;
    const { client } = await withClock((_, response) => response.write(Buffer.alloc(length, 'x')));
    const { body } = await client.request({ path: '/' });
    let [received, end] = [0, ''];
    body
      .forEach?.((chunk) => {
        received += chunk.length;
      })
      .catch((error: Error) => {
        end = error.message.replace(/http:[^ ]+/, 'URL');
      });
    while (received < length) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(119_000);
    expect(end).toBe('');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(end).toBe('the API server URL did not answer within 60 s');
  });

  /** Time passes only where a test lets it. */
  async function withClock(answer: RequestListener) {
    const clock = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'];
    vi.useFakeTimers({ toFake: clock as ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const said: string[] = [];
    const { url, close } = await mockHttpServer(answer);
    const environment = { ...nowhere, remark: (line: string) => said.push(line) };
    const client = await connect({ server: url }, environment);
    onTestFinished(close);
    onTestFinished(() => client.close());
    return { client, said, url };
  }

  test('where no connection was free', async () => {
    const asked = Promise.withResolvers<void>();
    const client = await clientOf(() => asked.resolve(), { connections: 1 });
    const [busy, waiting] = [new AbortController(), new AbortController()];
    const first = client.request({ path: '/', signal: busy.signal });
    await asked.promise;
    const second = client.request({ path: '/', signal: waiting.signal });
    await new Promise((resolve) => setImmediate(resolve));
    waiting.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    busy.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  });

  test.each(['5s', '1000h'])('not while within --request-timeout %s', async (requestTimeout) => {
    const options = { 'request-timeout': requestTimeout };
    const client = await clientOf((_, response) => {
      setTimeout(() => response.end('ok'), 50);
    }, options);
    expect(await get(client)).toBe('ok');
  });

  test('immediately for a signal that is aborted already', async () => {
    const client = await clientOf((_, response) => response.end('ok'));
    const request = { path: '/', signal: AbortSignal.abort() };
    await expect(client.request(request)).rejects.toMatchObject({
      code: 'cancelled',
      exitCode: 130,
      message: 'the request was cancelled',
    });
  });

  test.each(['before the answer', 'in the middle of the answer'])('%s', async (when) => {
    const gone = new AbortController();
    const client = await clientOf((_, response) => {
      if (when === 'before the answer') gone.abort();
      else response.write('part');
    });
    const read = async () => {
      const { body } = await client.request({ path: '/', signal: gone.signal });
      for await (const chunk of body) if (chunk.length > 0) gone.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('reading frees the connection', async () => {
    const client = await clientOf((request, response) => {
      request.socket.on('close', () => closed.resolve());
      response.write('part');
    });
    const closed = Promise.withResolvers<void>();
    const { body } = await client.request({ path: '/' });
    for await (const chunk of body) if (chunk.length > 0) break;
    await closed.promise;
  });
});
