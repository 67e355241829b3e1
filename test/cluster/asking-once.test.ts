import { expect, test } from 'vitest';
import { askingOnce } from '../../src/cluster/asking-once.ts';
import type { ApiRequest, ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { readBody } from '../../src/cluster/read-body.ts';
import { review } from '../../src/cluster/write/clearance.ts';
import { clientThat, fakeClient } from './fake-client.ts';

const configz = '/api/v1/nodes/a/proxy/configz';
const asked = async (client: ClusterClient, request: ApiRequest) =>
  (await readBody(await client.request(request))).toString();

test('a kubelet is asked once for what several readers need, and others as often as they ask', async () => {
  const pods = '/api/v1/nodes/a/proxy/pods';
  const client = fakeClient({ [configz]: { body: { kubeletconfig: {} } }, [pods]: { body: {} } });
  const once = askingOnce(client);
  const paths = [configz, configz, pods, pods];
  expect(await Promise.all(paths.map((path) => asked(once, { path })))).toEqual([
    '{"kubeletconfig":{}}',
    '{"kubeletconfig":{}}',
    '{}',
    '{}',
  ]);
  expect(client.paths.sort()).toEqual([configz, pods, pods]);
  expect([once.server, once.namespace]).toEqual([client.server, client.namespace]);
});

test('posted reviews are distinguished by their content, and refused ones are sent again', async () => {
  const client = clientThat(({ body = '' }) => {
    const status = body === 'b' && client.requests.length < 3 ? 503 : 201;
    return { status, body: `${body} ${status}` };
  });
  const once = askingOnce(client, { paths: /^\/reviews$/ });
  const answers: string[] = [];
  for (const body of ['a', 'b', 'a', 'b', 'b']) {
    const path = '/reviews';
    const request = { method: 'POST', path, body, cleared: review(path, { spec: {} }) } as const;
    answers.push(await asked(once, request));
  }
  expect(answers).toEqual(['a 201', 'b 503', 'a 201', 'b 201', 'b 201']);
  expect(client.requests.map(({ body }) => body)).toEqual(['a', 'b', 'b']);
});

test('an answer of a busy server is not kept, that of a kubelet that does not answer is', async () => {
  const object = '/api/v1/namespaces/shop/configmaps/a';
  const busy = [429, 500, 503].map((status) => ({ status, body: `${status}` }));
  const answers = [...busy, { body: '{}' }];
  const client = fakeClient({ [object]: answers, [configz]: answers });
  const once = askingOnce(client, { paths: /^/ });
  const statusesOf = async (path: string) => {
    const statuses: number[] = [];
    for (const _ of [...answers, undefined]) statuses.push((await once.request({ path })).status);
    return statuses;
  };
  expect(await statusesOf(object)).toEqual([429, 500, 503, 200, 200]);
  expect(await statusesOf(configz)).toEqual([429, 429, 429, 429, 429]);
  expect(client.paths).toEqual([object, object, object, object, configz]);
});

test('a question that failed is asked anew', async () => {
  const client = fakeClient({ [configz]: [{ body: '{"cut":', dropAfter: 3 }, { body: '{}' }] });
  const once = askingOnce(client);
  await expect(once.request({ path: configz })).rejects.toMatchObject({
    code: 'connection-dropped',
  });
  const bodies = await Promise.all([1, 2].map(() => asked(once, { path: configz })));
  expect([bodies, client.paths]).toEqual([
    ['{}', '{}'],
    [configz, configz],
  ]);
});
