import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import {
  newToken,
  type PageServer,
  startPageServer,
} from '../../../src/commands/view/page-server.ts';

const policy = "default-src 'none'";
const pageOf = (text: string) => ({
  html: () => `<p>${text}</p>`,
  data: JSON.stringify({ text }),
  policy,
});
let servers: PageServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function serve() {
  const token = newToken();
  const server = await startPageServer({ port: 0, token }, pageOf('one'));
  servers.push(server);
  const url = new URL(server.url);
  return { server, url, token, at: (path: string) => new URL(`${path}${url.search}`, url) };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** By node:http, as fetch does not let a Host be set. */
async function ask(url: URL, { method = 'GET', headers = {}, body }: Asked = {}) {
  const asked = request(url, { method, headers }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}

test('the page and its data are served to who has the token, and are kept nowhere', async () => {
  const { at, url } = await serve();
  expect([url.hostname, url.pathname, url.search.length]).toEqual(['127.0.0.1', '/', 39]);
  const page = await ask(at('/'));
  expect([page.status, page.text]).toEqual([200, '<p>one</p>']);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect((await ask(at('/page.json'))).text).toBe('{"text":"one"}');
  const head = await ask(at('/'), { method: 'HEAD' });
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
  expect((await ask(at('/etc/passwd'))).status).toBe(404);
});

test('a wrong token, another name and another page are refused with 403', async () => {
  const { at, url, token } = await serve();
  const { port } = url;
  const wrong = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const refused = await Promise.all([
    ask(new URL('/', url)),
    ask(new URL(`/?token=${wrong}`, url)),
    ask(new URL(`/events?token=${token}x`, url)),
    ask(at('/'), { headers: { host: `rebound.example:${port}` } }),
    ask(at('/'), { headers: { host: '127.0.0.1' } }),
    ask(at('/events'), { headers: { origin: 'http://evil.example' } }),
    ask(at('/page.json'), { headers: { origin: 'null' } }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
  expect(refused.some(({ text }) => text.includes('one'))).toBe(false);
  const own = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
  expect((await ask(at('/'), { headers: own })).status).toBe(200);
});

test('the server of view answers only GET and HEAD', async () => {
  const { at } = await serve();
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const answers = await Promise.all(
    methods.map((method) => ask(at('/'), { method, body: method === 'POST' ? 'x' : '' })),
  );
  expect(answers.map(({ status, headers }) => [status, headers.allow])).toEqual(
    methods.map(() => [405, 'GET, HEAD']),
  );
});

test('who listens gets the page as it is, and each one that follows', async () => {
  const { server, at } = await serve();
  const answer = await fetch(at('/events'));
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let got = '';
  const until = async (part: string) => {
    while (!got.includes(part)) got += Buffer.from((await reader.read()).value ?? []).toString();
  };
  await until('data: {"text":"one"}\n\n');
  server.publish(pageOf('two'));
  await until('data: {"text":"two"}\n\n');
  await reader.cancel();
});

test('a listener that does not read gets the latest page when it does, and nothing piles up', async () => {
  const { server, at } = await serve();
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  const [answer] = (await once(request(at('/events')).end(), 'response')) as [IncomingMessage];
  answer.pause();
  const long = 'x'.repeat(1024 * 1024);
  for (let turn = 0; turn < 100; turn++) {
    server.publish(pageOf(`${turn} ${long}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const used = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
  expect(used).toBeLessThan(50 * 1024 * 1024);
  server.publish(pageOf('the last'));
  let end = '';
  for await (const part of answer.setEncoding('utf8')) {
    end = (end + part).slice(-100);
    if (end.includes('the last')) break;
  }
  answer.destroy();
});

test('the server of view limits the number of open event streams', async () => {
  const { at } = await serve();
  const listening = await Promise.all(Array.from({ length: 17 }, () => fetch(at('/events'))));
  const statuses = listening.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 16 }, () => 200), 503]);
  await Promise.all(listening.map(({ body }) => body?.cancel()));
});

test('a port that is in use is an error that says what to do', async () => {
  const { url } = await serve();
  const port = Number(url.port);
  await expect(startPageServer({ port, token: 'a' }, pageOf('one'))).rejects.toMatchObject({
    message: `cannot serve on port ${port}: it is in use`,
    code: 'cannot-listen',
    exitCode: 3,
    suggestions: [expect.stringContaining('--port')],
  });
});
