import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockServer, mockHttpServer } from '../support/mock-cluster.ts';
import { rowsOf } from '../support/rows.ts';
import { gc } from '../support/run-gc.ts';

/** What the server behind each path answers, whatever is asked. */
const answers = rowsOf(`
  expired | 401 | application/json | {"kind":"Status","reason":"Unauthorized","message":"Unauthorized"}
  nothing | 403 | application/json
  | {"kind":"Status","reason":"Forbidden","message":"forbidden: User \\"bob\\" cannot get path \\"/api\\""}
  login   | 200 | text/html        | <html>Please log in</html>
  broken  | 500 | text/plain       | etcd is on fire
`);
let server: MockServer;
beforeAll(async () => {
  server = await mockHttpServer(({ url = '' }, response) => {
    const [, code, type = '', body] = answers.find(([name]) => name === url.split('/')[1]) ?? [];
    response.writeHead(Number(code ?? 404), { 'content-type': type }).end(body);
  });
});
afterAll(() => server.close());

const lines = [
  'orphans -A -s SERVER/expired --token old',
  'owners pod/a -s SERVER/expired --token old',
  'orphans -A -s SERVER/nothing',
  'tree pod/a -s SERVER/login',
  'snapshot save - -s SERVER/broken',
];

/** `SERVER` stands for its address; what is wrong before is in test/fixtures/transcripts/connections.txt. */
test('a server that refuses or answers otherwise is an error on stderr alone', async () => {
  const shown: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await gc(line.replace('SERVER', server.url));
    expect([line, code, stdout]).toEqual([line, 3, '']);
    shown.push(`$ ${line}\n${stderr.replaceAll(server.url, 'SERVER')}`);
  }
  expect(shown.join('')).toMatchInlineSnapshot(`
    "$ orphans -A -s SERVER/expired --token old
    error: could not find out which kinds SERVER/expired serves: the server has asked for the client to provide credentials (HTTP 401)
      Log in again: the token or certificate may have expired.
      Check who you are: kubectl auth whoami --server SERVER/expired --token=TOKEN
    $ owners pod/a -s SERVER/expired --token old
    error: could not find out which kinds SERVER/expired serves: the server has asked for the client to provide credentials (HTTP 401)
      Log in again: the token or certificate may have expired.
      Check who you are: kubectl auth whoami --server SERVER/expired --token=TOKEN
    $ orphans -A -s SERVER/nothing
    error: could not find out which kinds SERVER/nothing serves: forbidden: User "bob" cannot get path "/api" (HTTP 403)
      Ask an administrator for the missing permission.
      To see what is permitted: kubectl auth can-i --list --server SERVER/nothing
    $ tree pod/a -s SERVER/login
    error: the server at SERVER/login does not answer as a Kubernetes API server: /api: the answer is not JSON
      Check the server's address; a proxy in front of it may require a login.
    $ snapshot save - -s SERVER/broken
    error: could not find out which kinds SERVER/broken serves: etcd is on fire (HTTP 500)
      Try again later.
    "
  `);
});
