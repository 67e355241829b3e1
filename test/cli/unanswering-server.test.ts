import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockServer, mockHttpServer } from '../support/mock-cluster.ts';
import { gc } from '../support/run-gc.ts';

/** What the server behind each path answers, whatever is asked. */
const answers: Readonly<Record<string, { code: number; type?: string; body: string | object }>> = {
  expired: { code: 401, body: { reason: 'Unauthorized', message: 'Unauthorized' } },
  nothing: {
    code: 403,
    body: { reason: 'Forbidden', message: 'forbidden: User "bob" cannot get path "/api"' },
  },
  login: { code: 200, type: 'text/html', body: '<html>Please log in</html>' },
  broken: { code: 500, type: 'text/plain', body: 'etcd is on fire' },
};
let server: MockServer;
beforeAll(async () => {
  server = await mockHttpServer(({ url = '' }, response) => {
    const {
      code,
      type = 'application/json',
      body,
    } = answers[url.split('/')[1] ?? ''] ?? {
      code: 404,
      body: '',
    };
    response.writeHead(code, { 'content-type': type });
    response.end(
      typeof body === 'string' ? body : JSON.stringify({ kind: 'Status', code, ...body }),
    );
  });
});
afterAll(() => server.close());

const expired = `could not find out which kinds SERVER/expired serves: the server has asked for the client to provide credentials (HTTP 401)
  Log in again: the token or certificate may have expired.
  Check who you are: kubectl auth whoami --server SERVER/expired --token=TOKEN`;

/** `SERVER` stands for its address; what is wrong before is in test/fixtures/transcripts/connections.txt. */
test.each([
  ['orphans -A -s SERVER/expired --token old', expired],
  ['owners pod/a -s SERVER/expired --token old', expired],
  [
    'orphans -A -s SERVER/nothing',
    `could not find out which kinds SERVER/nothing serves: forbidden: User "bob" cannot get path "/api" (HTTP 403)
  Ask an administrator for the missing permission.
  To see what is permitted: kubectl auth can-i --list --server SERVER/nothing`,
  ],
  [
    'tree pod/a -s SERVER/login',
    `the server at SERVER/login does not answer as a Kubernetes API server: /api: the answer is not JSON
  Check the server's address; a proxy in front of it may require a login.`,
  ],
  [
    'snapshot save - -s SERVER/broken',
    `could not find out which kinds SERVER/broken serves: etcd is on fire (HTTP 500)
  Try again later.`,
  ],
])('"%s" tells on stderr alone why the server cannot be asked', async (line, stderr) => {
  const run = await gc(line.replace('SERVER', server.url));
  const told = run.stderr.replaceAll(server.url, 'SERVER');
  expect({ ...run, stderr: told }).toEqual({ code: 3, stdout: '', stderr: `error: ${stderr}\n` });
});
