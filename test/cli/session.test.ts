import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { review } from '../../src/cluster/write/clearance.ts';
import { sendWrite } from '../../src/cluster/write/send-write.ts';
import type { WriteRequest } from '../../src/cluster/write/write-request.ts';
import { Session } from '../../src/shell/input/session.ts';
import { cleared } from '../support/cleared.ts';
import { discoveryOf } from '../support/discovery-answers.ts';
import { Http2Stage, whole } from '../support/http2-server.ts';

/** A server with one kind, which remembers what it was asked. */
const paths: string[] = [];
const answers: Readonly<Record<string, unknown>> = discoveryOf('Pod');
let sockets = 0;
const server = createServer(({ url = '' }, response) => {
  paths.push(url);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[url]));
}).on('connection', () => {
  sockets += 1;
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  vi.stubEnv('KUBECONFIG', '/nonexistent/kubeconfig');
  paths.length = 0;
  sockets = 0;
});
afterEach(() => vi.unstubAllEnvs());

const stage = new Http2Stage();

const open = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('a session', () => {
  test('shares one connection and one discovery among all who need them at the same time', async () => {
    const session = new Session({ server: address });
    const [client, cluster, ...others] = await Promise.all([
      session.client(),
      session.cluster(),
      session.client(),
      session.cluster(),
    ]);
    expect(others).toEqual([client, cluster]);
    expect(cluster.client).toBe(client);
    expect([cluster.types.all.map(({ kind }) => kind), cluster.serverVersion]).toEqual([
      ['Pod'],
      'v1.36.3',
    ]);
    expect(paths.toSorted()).toEqual(Object.keys(answers).toSorted());
    session.close();
    await vi.waitFor(async () => expect(await open()).toBe(0));
  });

  test('asks over one connection of HTTP/2 who wants to know what is served, and others over HTTP/1.1', async () => {
    stage.server.answer = (stream, path, ...rest) =>
      whole(JSON.stringify(answers[path]))(stream, path, ...rest);
    const flags = { server: stage.url, 'insecure-skip-tls-verify': true };
    const [session, other] = [new Session(flags), new Session(flags)];
    await (await session.client(true)).request({ path: '/api' });
    await session.cluster();
    expect([stage.server.asked.length, stage.server.sockets.size]).toEqual([4, 1]);
    // This server answers over HTTP/1.1 with 403.
    expect((await (await other.client()).request({ path: '/api' })).status).toBe(403);
    for (const one of [session, other]) one.close();
  });

  test('asks nothing before it is needed, and closes what was never opened', async () => {
    const session = new Session({ server: address });
    session.close();
    expect([paths, sockets]).toEqual([[], 0]);
  });

  test.each([
    [{ preview: true }],
    [{ compare: true }],
    [{ 'dry-run': 'client' }],
    [{ 'dry-run': 'server' }],
    [{ 'dry-run': 'unchanged' }],
    [{ 'dry-run': true }],
  ])('of a command that only shows sends reads and questions alone: %o', async (shown) => {
    const path = '/api/v1/namespaces/shop/configmaps/a';
    const write: WriteRequest = { verb: 'delete', path, guards: { uid: 'u' } };
    const [session, real] = [{ ...shown }, { preview: false, 'dry-run': 'none' }].map(
      (flags) => new Session({ server: address, ...flags }),
    );
    const questions = [cleared({ ...write, dryRun: true }), review('/reviews', { spec: {} })];
    const client = await session?.client();
    const other = await real?.client();
    if (!client || !other) throw new Error('there are two sessions');
    for (const one of questions) expect((await sendWrite(client, one)).code).toBe(200);
    expect((await sendWrite(client, cleared(write))).code).toBe(0);
    expect(paths).toEqual([`${path}?dryRun=All`, '/reviews']);
    expect((await sendWrite(other, cleared(write))).code).toBe(200);
    session?.close();
    real?.close();
  });

  test.each([['dump.yaml'], ['/nonexistent'], ['-']])(
    'of files (%s) never reaches a cluster',
    async (path) => {
      const session = new Session({ server: address, from: [path] });
      for (const ask of [
        () => session.client(),
        () => session.client(true),
        () => session.cluster(),
      ])
        await expect(ask()).rejects.toMatchObject({ exitCode: 2 });
      session.close();
      expect([paths, sockets]).toEqual([[], 0]);
    },
  );

  test('of files that are compared with a cluster connects to it', async () => {
    const session = new Session({ server: address, from: ['dump.yaml'] });
    const { client } = await session.clusterBesideFiles();
    expect([await session.client(), paths.length]).toEqual([client, Object.keys(answers).length]);
    session.close();
  });

  test('that is closed while it connects asks nothing afterwards', async () => {
    const session = new Session({ server: address });
    const late = session.cluster();
    session.close();
    await expect(late).rejects.toThrow('ended while it connected');
    expect([paths, sockets]).toEqual([[], 0]);
  });

  test('that could not connect is not tried again', async () => {
    const session = new Session({ server: 'ftp://127.0.0.1' });
    const refusal = await session.client().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    await expect(session.client()).rejects.toBe(refusal);
    await expect(session.cluster()).rejects.toBe(refusal);
    session.close();
  });
});
