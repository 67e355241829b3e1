import { expect, test } from 'vitest';
import { RealClock } from '../../src/runner/real-clock.ts';
import { Server } from '../../src/runner/server.ts';
import { fakeClient, refusal } from '../cluster/fake-client.ts';
import { configMap, servedTypes } from '../support/builders.ts';
import { controllerClearance } from '../support/cleared.ts';

test('a request that keeps failing is reported, until it is answered', async () => {
  const record = configMap('a');
  const busy = refusal(503, 'the server is busy');
  const path = '/api/v1/namespaces/shop/configmaps/a';
  const client = fakeClient({
    [path]: [busy, busy, { body: { metadata: { name: 'a', uid: 'a' } } }],
  });
  const server = new Server(client, controllerClearance, servedTypes, new AbortController().signal);
  const clock = new RealClock((error) => {
    throw error;
  });
  const ask = () => new Promise((resolve) => clock.start(server.get(record), resolve));
  await ask();
  await ask();
  expect(server.failingFor(0)).toContain('the server is busy');
  expect(server.failingFor(60_000)).toBeUndefined();
  await ask();
  expect(server.failingFor(0)).toBeUndefined();
});
