import { describe, expect, test } from 'vitest';
import { statusError } from '../../../src/cluster/api-failure.ts';
import type { ApiResponse } from '../../../src/cluster/connection/cluster-client.ts';
import { rowsOf } from '../../support/rows.ts';

function answer(status: number, text: string, contentType = 'application/json'): ApiResponse {
  async function* body() {
    yield Buffer.from(text);
  }
  return { status, headers: { 'content-type': contentType }, body: body() };
}

const status = (message: string) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', message });

describe('statusError', () => {
  const explained = rowsOf(`
    401 | unauthorized      | the server has asked for the client to provide credentials
    403 | forbidden         | it is not permitted
    404 | not-found         | the server could not find it
    406 | not-acceptable    | the server cannot answer in this format
    429 | too-many-requests | the server is too busy
    503 | unavailable       | the server is not available
    504 | timeout           | the server ran out of time
    302 | redirected        | the answer is a redirect, for example to a login page
    500 | server-error      | the server failed
  `);
  test.each(explained)('%s is %s', async (status, name, why) => {
    const { code, message, exitCode } = await statusError(
      answer(Number(status), '', ''),
      'list pods',
    );
    expect([code, message, exitCode]).toEqual([
      name,
      `could not list pods: ${why} (HTTP ${status})`,
      3,
    ]);
  });

  test("prefers the server's own reason", async () => {
    const why = 'pods is forbidden: User "ann" cannot list resource "pods"';
    const error = await statusError(answer(403, status(why)), 'list pods');
    expect(error.message).toContain(why);
    expect([error.message, ...error.suggestions].join('\n')).toMatchInlineSnapshot(`
      "could not list pods: pods is forbidden: User "ann" cannot list resource "pods" (HTTP 403)
      Ask an administrator for the missing permission.
      To see what is permitted: kubectl auth can-i --list"
    `);
  });

  test('explains the bare word Unauthorized, quotes a line of plain text, and no HTML', async () => {
    const answers = [
      answer(401, status('Unauthorized')),
      answer(503, 'no healthy upstream\nx', 'text/plain'),
      answer(503, '<html>login</html>', 'text/html'),
    ];
    const errors = await Promise.all(answers.map((one) => statusError(one, 'list pods')));
    expect(errors.map(({ message }) => message).join('\n')).toMatchInlineSnapshot(`
      "could not list pods: the server has asked for the client to provide credentials (HTTP 401)
      could not list pods: no healthy upstream (HTTP 503)
      could not list pods: the server is not available (HTTP 503)"
    `);
  });

  test('reads no more of an endless body than it needs', async () => {
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent++;
        yield Buffer.alloc(16 * 1024, 'x');
      }
    }
    await statusError({ status: 500, headers: {}, body: endless() }, 'list pods');
    expect(sent).toBe(4);
  });
});
