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
    expect({ message: error.message, suggestions: error.suggestions }).toEqual({
      message: `could not list pods: ${why} (HTTP 403)`,
      suggestions: [
        'Ask an administrator for the missing permission.',
        'To see what is permitted: kubectl auth can-i --list',
      ],
    });
  });

  test.each([
    [
      'explains what the bare word Unauthorized leaves open',
      answer(401, status('Unauthorized')),
      'the server has asked for the client to provide credentials (HTTP 401)',
    ],
    [
      'takes the first line of plain text',
      answer(503, 'no healthy upstream\nx', 'text/plain'),
      'no healthy upstream (HTTP 503)',
    ],
    [
      'takes nothing of HTML',
      answer(503, '<html>login</html>', 'text/html'),
      'the server is not available (HTTP 503)',
    ],
  ])('%s', async (_, response, why) => {
    expect((await statusError(response, 'list pods')).message).toBe(`could not list pods: ${why}`);
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
