import { expect, test } from 'vitest';
import { listAndWatch } from '../../../src/cluster/follow/list-and-watch.ts';
import { pod } from '../../support/builders.ts';
import { clientThat } from '../fake-client.ts';

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
  expect(failures[0]).toContain('the object of a watch event is not an object with a name');
});
