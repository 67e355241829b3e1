import { expect, test } from 'vitest';
import { clusterIdentity } from '../../src/cluster/cluster-identity.ts';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { fakeClient, refusal } from './fake-client.ts';

const path = '/api/v1/namespaces/kube-system';

test.each([
  ['by its uid', { body: { metadata: { uid: 'u1' } } }, 'u1'],
  ['by its address alone, if reading kube-system is forbidden', refusal(403, 'no'), ''],
  ['by its address alone, behind a login page', { body: '<html>' }, ''],
])('a cluster is known %s', async (_, answer, uid) => {
  const client = fakeClient({ [path]: answer });
  expect(await clusterIdentity(client)).toEqual({ server: client.server, uid });
});

test('an answer that does not end is given up', async () => {
  let sent = 0;
  async function* endless() {
    for (; ; sent++) yield Buffer.alloc(2 ** 20, ' ');
  }
  const client = {
    server: 'https://a',
    request: async () => ({ status: 200, headers: {}, body: endless() }),
  } as unknown as ClusterClient;
  expect((await clusterIdentity(client)).uid).toBe('');
  expect(sent).toBeLessThan(100);
});
