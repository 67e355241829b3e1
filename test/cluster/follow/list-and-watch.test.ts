import { expect, test } from 'vitest';
import { listAndWatch } from '../../../src/cluster/follow/list-and-watch.ts';
import { reflectorBackoff } from '../../../src/cluster/pacing.ts';
import { pod } from '../../support/builders.ts';
import { clientThat, refusal, responseOf } from '../fake-client.ts';

test('behind an event that cannot be read, a list says what is there', async () => {
  const ended = new AbortController();
  const odd = { type: 'ADDED', object: { metadata: { resourceVersion: '8' } } };
  const client = clientThat(() => ({ body: `${JSON.stringify(odd)}\n` }));
  const failures: string[] = [];
  let version = 6;
  await listAndWatch(
    {
      client,
      target: { type: pod('any').type, namespace: 'shop' },
      pace: { firstWait: 1, longestWait: 1 },
      list: async () => {
        version += 1;
        if (version === 9) ended.abort();
        return `${version}`;
      },
      changed: () => undefined,
      failed: (error, what) => {
        failures.push(String(error));
        return what;
      },
    },
    ended.signal,
  );
  const from = client.paths.map((path) => /resourceVersion=(\d+)/.exec(path)?.[1]);
  expect(from.slice(0, 2)).toEqual(['7', '8']);
  expect(failures[0]).toContain('a watch event');
});

/** What is asked while each watch lasts so many seconds and then ends, or is refused with this status. */
async function waitsOf(answers: readonly (number | 'gone')[]) {
  const ended = new AbortController();
  const asked: string[] = [];
  const waits: number[] = [];
  let now = 0;
  const left = [...answers];
  const client = {
    ...clientThat(() => ({})),
    request: async () => {
      asked.push('watch');
      const lasts = left.shift();
      if (lasts === undefined) ended.abort();
      if (lasts === 'gone') return responseOf(refusal(410, 'too old'));
      async function* body() {
        yield Buffer.from('');
        now += Number(lasts ?? 0) * 1000;
      }
      return { ...responseOf({}), body: body() };
    },
  };
  await listAndWatch(
    {
      client,
      target: { type: pod('any').type, namespace: undefined },
      pace: { ...reflectorBackoff, random: () => 1 },
      clock: {
        now: () => now,
        sleep: async (milliseconds) => {
          if (!ended.signal.aborted) waits.push(milliseconds / 1000);
          now += milliseconds;
        },
      },
      list: async () => {
        asked.push('list');
        return '7';
      },
      changed: () => undefined,
      failed: () => 'list',
    },
    ended.signal,
  );
  return { asked: asked.join(' '), waits };
}

test.each<[string, (number | 'gone')[], string, number[]]>([
  [
    'short watches wait longer, up to a minute',
    Array(8).fill(0),
    `list${' watch'.repeat(9)}`,
    [1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 60, 60],
  ],
  [
    'expired lists wait longer',
    Array(4).fill('gone'),
    Array(5).fill('list watch').join(' '),
    [1.6, 3.2, 6.4, 12.8],
  ],
  ['watched time counts', [0, 2, 60, 5], `list${' watch'.repeat(5)}`, [1.6, 1.2, 7.8]],
  ['long watches reset the waits', [0, 0, 120, 0], `list${' watch'.repeat(5)}`, [1.6, 3.2, 3.2]],
])("%s, as in client-go's reflector", async (_, answers, asked, waits) => {
  expect(await waitsOf(answers)).toEqual({ asked, waits });
});
