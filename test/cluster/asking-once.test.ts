import { expect, test } from 'vitest';
import { askingOnce } from '../../src/cluster/asking-once.ts';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
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

test('questions that are posted are told apart by what they ask, and refused ones are asked again', async () => {
  const asked: string[] = [];
  const client: ClusterClient = {
    ...fakeClient({}),
    request: async ({ body = '' }) => {
      asked.push(body);
      const status = body === 'b' && asked.length < 3 ? 503 : 201;
      return { status, headers: {}, body: chunksOf(`${body} ${status}`) };
    },
  };
  const once = askingOnce(client, { paths: /^\/reviews$/ });
  const answers: string[] = [];
  for (const body of ['a', 'b', 'a', 'b', 'b']) {
    const response = await once.request({ method: 'POST', path: '/reviews', body });
    answers.push((await readBody(response)).toString());
  }
  expect(answers).toEqual(['a 201', 'b 503', 'a 201', 'b 201', 'b 201']);
  expect(asked).toEqual(['a', 'b', 'b']);
});

async function* chunksOf(text: string) {
  yield new TextEncoder().encode(text);
}

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
