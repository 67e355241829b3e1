import { describe, expect, test } from 'vitest';
import type { ApiResponse, ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import { type GetOptions, get } from '../../../src/cluster/get.ts';
import type { RetryPolicy } from '../../../src/cluster/pacing.ts';
import { GcError } from '../../../src/errors.ts';
import { rowsOf } from '../../support/rows.ts';

/** A client that answers with these in turn: `503; 429 retry-after 7`, or the code of an error. */
function playing(steps: string) {
  const drained: number[] = [];
  const waits: number[] = [];
  const left = steps.split('; ');
  let calls = 0;
  async function* body(call: number) {
    yield Buffer.from('x');
    drained.push(call);
  }
  const client: ClusterClient = {
    server: 'https://a.test',
    namespace: 'default',
    close: () => {},
    request: async () => {
      const [code = '', after] = (left[calls++] ?? 'asked-too-often').split(' retry-after ');
      if (!/^\d/.test(code)) throw new GcError(code, { code });
      const headers = after === undefined ? {} : { 'retry-after': after };
      return { status: Number(code), headers, body: body(calls) };
    },
  };
  const policy: RetryPolicy = {
    tries: 4,
    firstWait: 100,
    longestWait: 350,
    sleep: async (milliseconds) => waits.push(milliseconds),
    random: () => 1,
  };
  const send = async (more: Partial<RetryPolicy> = {}) => {
    const outcome = await ask(client, { retry: { ...policy, ...more } }).then(
      ({ status }) => `${status}`,
      (error: GcError) => error.code,
    );
    return [outcome, `${calls}`, waits.join(' '), drained.join(' ')];
  };
  return { send, client, policy };
}

const ask = (client: ClusterClient, options: GetOptions) =>
  get(client, '/api', 'application/json', options);

describe('get', () => {
  test.each([200, 401, 403, 404, 409, 410, 501])('leaves the answer %d alone', async (status) => {
    expect(await playing(`${status}`).send()).toEqual([`${status}`, '1', '', '']);
  });

  /** What is answered; how it ends, after how many requests, what was waited, and whose bodies were read. */
  const again = rowsOf(`
    500; 500; 200                                      | 200                | 3 | 100 200     | 1 2
    502; 502; 200                                      | 200                | 3 | 100 200     | 1 2
    503; 503; 200                                      | 200                | 3 | 100 200     | 1 2
    504; 504; 200                                      | 200                | 3 | 100 200     | 1 2
    429; 429; 200                                      | 200                | 3 | 100 200     | 1 2
    connection-dropped; 200                            | 200                | 2 | 100         |
    503; 503; 503; 503                                 | 503                | 4 | 100 200 350 | 1 2 3 4
    connection-dropped; 503; 503; connection-dropped   | connection-dropped | 4 | 100 200 350 | 2 3
    connection-refused                                 | connection-refused | 1 |             |
    429 retry-after 0; 200                             | 200                | 2 | 100         | 1
    429 retry-after 0.2; 200                           | 200                | 2 | 100         | 1
    429 retry-after 1; 200                             | 200                | 2 | 1000        | 1
    507 retry-after 2; 200                             | 200                | 2 | 2000        | 1
    507; 200                                           | 507                | 1 |             |
    400 retry-after 2; 200                             | 400                | 1 |             |
    429 retry-after Thu, 01 Jan 1970 00:00:00 GMT; 200 | 200                | 2 | 100         | 1
    429 retry-after Thu, 01 Jan 2150 00:00:00 GMT; 200 | 200                | 2 | 100         | 1
  `);
  test.each(again)('of %s makes %s after %s requests', async (steps = '', ...ended) => {
    expect(await playing(steps).send()).toEqual(ended);
  });

  const times = (count: number, answer: string) => Array(count).fill(answer).join('; ');

  test.each([
    ['429 retry-after 1', '1000 '.repeat(10).trim()],
    ['503 retry-after 0', `100 200 350${' 350'.repeat(7)}`],
  ])(
    'repeats a request ten times after Retry-After, as client-go does: %s',
    async (answer, waited) => {
      const [outcome, calls, waits] = await playing(times(12, answer)).send();
      expect([outcome, calls, waits]).toEqual([answer.slice(0, 3), '11', waited]);
    },
  );

  test('counts what the server asks for and what fails without a word apart', async () => {
    const bounds = { tries: 3, longestInAll: 1000 };
    const play = playing(`${times(9, '429 retry-after 1')}; 500; 500; ${times(2, '500')}`);
    const [outcome, calls, waits] = await play.send(bounds);
    expect([outcome, calls, waits]).toEqual(['500', '12', `${'1000 '.repeat(9)}350 350`]);
  });

  test('does not wait as long as a server wants that wants more than 30 s', async () => {
    const bounds = { tries: 5, longestWait: 30_000, longestInAll: 500 };
    const [outcome, , waits] = await playing(times(4, '429 retry-after 31')).send(bounds);
    expect([outcome, waits]).toEqual(['429', '100 200']);
  });

  test('asks as soon as after any failure where the wait that is asked for does not count', async () => {
    const { client, policy } = playing('429 retry-after 20; 200');
    const asked: number[] = [];
    const sleep = async (milliseconds: number) => asked.push(milliseconds);
    const heedsRetryAfter = async ({ status }: ApiResponse) => status !== 429;
    await ask(client, { heedsRetryAfter, retry: { ...policy, sleep } });
    expect(asked).toEqual([100]);
  });

  test('stops waiting when it is interrupted', async () => {
    const { client, policy } = playing('503');
    const controller = new AbortController();
    const sleep = async () => {
      controller.abort();
      throw controller.signal.reason;
    };
    const { signal } = controller;
    await expect(ask(client, { signal, retry: { ...policy, sleep } })).rejects.toMatchObject({
      code: 'cancelled',
      exitCode: 130,
    });
  });

  test('wakes its own clock when it is interrupted', async () => {
    const { client } = playing('503 retry-after 20');
    const signal = AbortSignal.timeout(20);
    const started = performance.now();
    await expect(ask(client, { signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
