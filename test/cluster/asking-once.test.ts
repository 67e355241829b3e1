import { expect, test } from 'vitest';
import { askingOnce } from '../../src/cluster/asking-once.ts';
import { readBody } from '../../src/cluster/read-body.ts';
import { fakeClient } from './fake-client.ts';

test('a kubelet is asked once for what several readers need, and others as often as they ask', async () => {
  const configz = '/api/v1/nodes/a/proxy/configz';
  const pods = '/api/v1/nodes/a/proxy/pods';
  const client = fakeClient({ [configz]: { body: { kubeletconfig: {} } }, [pods]: { body: {} } });
  const once = askingOnce(client);
  const bodies = await Promise.all(
    [configz, configz, pods, pods].map(async (path) => {
      const response = await once.request({ path });
      return (await readBody(response)).toString();
    }),
  );
  expect(bodies).toEqual(['{"kubeletconfig":{}}', '{"kubeletconfig":{}}', '{}', '{}']);
  expect(client.paths.sort()).toEqual([configz, pods, pods]);
  expect([once.server, once.namespace]).toEqual([client.server, client.namespace]);
});

test('a question that failed is asked anew', async () => {
  const path = '/api/v1/nodes/a/proxy/configz';
  const client = fakeClient({ [path]: [{ body: '{"cut":', dropAfter: 3 }, { body: '{}' }] });
  const once = askingOnce(client);
  await expect(once.request({ path })).rejects.toMatchObject({ code: 'connection-dropped' });
  const bodies = await Promise.all(
    [1, 2].map(async () => (await readBody(await once.request({ path }))).toString()),
  );
  expect([bodies, client.paths]).toEqual([
    ['{}', '{}'],
    [path, path],
  ]);
});
