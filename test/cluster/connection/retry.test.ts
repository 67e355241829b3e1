import { describe, expect, test } from 'vitest';
import type {
  ApiRequest,
  ApiResponse,
  ClusterClient,
} from '../../../src/cluster/connection/cluster-client.ts';
import { requestWithRetry } from '../../../src/cluster/get.ts';
import type { RetryPolicy } from '../../../src/cluster/pacing.ts';
import { GcError } from '../../../src/errors.ts';

type Step = GcError | Partial<ApiResponse>;

/** A client that answers with these steps in turn, and what became of them. */
function playing(...steps: readonly Step[]) {
  const drained: number[] = [];
  const waits: number[] = [];
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
      const step = steps[calls++];
      if (step === undefined) throw new Error('asked too often');
      if (step instanceof GcError) throw step;
      return { status: 200, headers: {}, body: body(calls), ...step };
    },
  };
  const policy: RetryPolicy = {
    tries: 4,
    firstWait: 100,
    longestWait: 350,
    sleep: async (milliseconds) => waits.push(milliseconds),
    random: () => 1,
  };
  const send = async (request: ApiRequest) => {
    const outcome = await requestWithRetry(client, request, policy).then(
      ({ status }) => status,
      (error: GcError) => error.code,
    );
    return { outcome, calls, waits, drained };
  };
  return { send, client, policy };
}

const get: ApiRequest = { path: '/api' };
const dropped = new GcError('dropped', { code: 'connection-dropped' });
const refused = new GcError('refused', { code: 'connection-refused' });

describe('requestWithRetry', () => {
  test('leaves good answers and refusals alone', async () => {
    const outcomes = [];
    for (const status of [200, 401, 403, 404, 409, 410, 501]) {
      outcomes.push((await playing({ status }).send(get)).outcome);
    }
    expect(outcomes).toEqual([200, 401, 403, 404, 409, 410, 501]);
  });

  test.each([500, 502, 503, 504, 429])(
    'asks again after %d, waiting longer each time',
    async (status) => {
      expect(await playing({ status }, { status }, {}).send(get)).toEqual({
        outcome: 200,
        calls: 3,
        waits: [100, 200],
        drained: [1, 2],
      });
    },
  );

  test('asks again when the connection drops', async () => {
    expect(await playing(dropped, {}).send(get)).toEqual({
      outcome: 200,
      calls: 2,
      waits: [100],
      drained: [],
    });
  });

  test('gives the last answer after the last try', async () => {
    const busy = { status: 503 };
    expect(await playing(busy, busy, busy, busy).send(get)).toEqual({
      outcome: 503,
      calls: 4,
      waits: [100, 200, 350],
      drained: [1, 2, 3],
    });
  });

  test('gives the error of the last try', async () => {
    expect((await playing(dropped, dropped, dropped, dropped).send(get)).outcome).toBe(
      'connection-dropped',
    );
  });

  test('does not knock on a closed door', async () => {
    expect(await playing(refused).send(get)).toEqual({
      outcome: 'connection-refused',
      calls: 1,
      waits: [],
      drained: [],
    });
  });

  test.each([
    ['0', 0],
    ['0.2', 100],
    ['1', 350],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Thu, 01 Jan 2150 00:00:00 GMT', 350],
  ])('waits for Retry-After: %s, within limits', async (value, wait) => {
    const { waits } = await playing({ status: 429, headers: { 'retry-after': value } }, {}).send(
      get,
    );
    expect(waits).toEqual([wait]);
  });

  test('waits no more than it may in all, and asks earlier than a server wants that wants more', async () => {
    const busy = { status: 429, headers: { 'retry-after': '30' } };
    const { client, policy } = playing(busy, busy, busy, busy, {});
    const waits: number[] = [];
    const bounded = {
      ...policy,
      tries: 5,
      longestWait: 30_000,
      longestInAll: 500,
      sleep: async (milliseconds: number) => waits.push(milliseconds),
    };
    const { status } = await requestWithRetry(client, get, bounded);
    expect({ status, waits }).toEqual({ status: 429, waits: [100, 200] });
  });

  test('stops waiting when it is interrupted', async () => {
    const { client, policy } = playing({ status: 503 });
    const controller = new AbortController();
    const sleep = async () => {
      controller.abort();
      throw controller.signal.reason;
    };
    const request = { ...get, signal: controller.signal };
    await expect(requestWithRetry(client, request, { ...policy, sleep })).rejects.toMatchObject({
      code: 'cancelled',
      exitCode: 130,
    });
  });

  test('wakes its own clock when it is interrupted', async () => {
    const { client } = playing({ status: 503, headers: { 'retry-after': '20' } });
    const signal = AbortSignal.timeout(20);
    const started = performance.now();
    await expect(requestWithRetry(client, { ...get, signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
