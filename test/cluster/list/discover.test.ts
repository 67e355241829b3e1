import { describe, expect, test } from 'vitest';
import { discover } from '../../../src/cluster/list/discover.ts';
import { groupResourceOf, type ResourceType } from '../../../src/kube/resource-type.ts';
import { aggregated, group, served, version } from '../discovery-answer.ts';
import { type Answer, fakeClient, patience, refusal } from '../fake-client.ts';

const versionAnswer: Answer = { body: { major: '1', minor: '36', gitVersion: 'v1.36.3' } };

const eviction = { subresource: 'eviction', responseKind: { kind: 'Eviction' }, verbs: ['create'] };
const verbs = ['delete', 'list', 'watch'];
const core: Answer = aggregated(
  group(
    undefined,
    version(
      'v1',
      served('pods', {
        singularResource: 'pod',
        verbs,
        shortNames: ['po'],
        categories: ['all'],
        subresources: [eviction],
      }),
      { resource: 'ghosts', responseKind: null, scope: 'Cluster', verbs: ['get'] },
    ),
  ),
);

const autoscalers = served('horizontalpodautoscalers', {
  responseKind: { kind: 'HorizontalPodAutoscaler' },
  verbs,
});
const groups: Answer = aggregated(
  group('autoscaling', version('v2', autoscalers), version('v1', autoscalers)),
  group('metrics.k8s.io', { version: 'v1beta1', freshness: 'Stale' }),
);

const told = (types: readonly ResourceType[]) =>
  types.map(({ kind, singular, shortNames, categories, namespaced, ...type }) =>
    [groupResourceOf(type), type.version, kind, singular, namespaced, shortNames, categories].join(
      ' ',
    ),
  );
const pod = 'pods v1 Pod pod true po all';
const autoscaler = 'HorizontalPodAutoscaler horizontalpodautoscaler true  ';
const scalers = ['v2', 'v1'].map(
  (of) => `horizontalpodautoscalers.autoscaling ${of} ${autoscaler}`,
);

const answers = { '/api': core, '/apis': groups, '/version': versionAnswer };

describe('discover', () => {
  test('takes three requests when the server aggregates', async () => {
    const client = fakeClient(answers);
    const { types, serverVersion } = await discover(client);
    expect(serverVersion).toBe('v1.36.3');
    expect(told(types.all)).toEqual([pod, ...scalers]);
    expect(types.all.map((type) => type.verbs)).toEqual([verbs, verbs, verbs]);
    expect(told(types.preferred())).toEqual([pod, scalers[0]]);
    expect(types.exhaustive).toBe(true);
    expect(client.paths.toSorted()).toEqual(['/api', '/apis', '/version']);
    expect(client.requests[0]?.headers).toEqual({
      accept:
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
        'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,' +
        'application/json',
    });
  });

  test('takes a name that only begins like the one of this machine for another server', async () => {
    const client = fakeClient(answers, { server: 'https://127.0.0.1.example.com' });
    expect((await discover(client)).isNear).toBe(false);
  });

  test('asks a server of this machine for its version once it is connected', async () => {
    const busiest = async (server: string) => {
      const client = fakeClient(answers, { server });
      await discover(client);
      return client.busiest();
    };
    expect(await busiest('https://127.0.0.1:6443')).toBe(2);
    expect(await busiest('https://api.example.com')).toBe(3);
  });

  test('takes a tunnel to a server elsewhere for what it is', async () => {
    const client = fakeClient(answers, { server: 'https://127.0.0.1:6443' });
    const slow: typeof client = {
      ...client,
      request: async (request) => {
        const answer = await client.request(request);
        if (request.path === '/version') await new Promise((resolve) => setTimeout(resolve, 20));
        return answer;
      },
    };
    expect((await discover(slow)).isNear).toBe(false);
  });

  test('knows of an API that does not answer that its kinds are unknown', async () => {
    const client = fakeClient(answers);
    const { types } = await discover(client);
    expect(types.failed).toEqual([
      {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        message: expect.stringContaining('metrics.k8s.io/v1beta1'),
      },
    ]);
    expect(types.mapKind('metrics.k8s.io/v1beta1', 'PodMetrics').kind).toBe('unknown');
  });

  test.each([
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', groups: [] }],
  ])('refuses unaggregated discovery at %s', async (path, body) => {
    const reading = discover(fakeClient({ ...answers, [path]: { body } }));
    const { code, exitCode, message } = await reading.catch((error) => error);
    expect([code, exitCode]).toEqual(['no-api-server', 3]);
    expect(message.replace(` ${path}:`, ' PATH:')).toMatchInlineSnapshot(
      `"the server at https://api.example.com:6443 does not answer as a Kubernetes API server: PATH: it lists its kinds API by API, as before Kubernetes v1.27"`,
    );
  });

  test('works without the version of a server that refuses /version', async () => {
    const client = fakeClient({ ...answers, '/version': refusal(403, 'forbidden') });
    expect((await discover(client, { retry: patience() })).serverVersion).toBeUndefined();
  });

  test('takes no answer that is longer than any can be', async () => {
    const body = ' '.repeat(65 * 1024 * 1024);
    const endless = (path: string) => fakeClient({ ...answers, [path]: { body } });
    const { serverVersion, types } = await discover(endless('/version'));
    expect([serverVersion, types.all.length]).toEqual([
      undefined,
      (await discover(fakeClient(answers))).types.all.length,
    ]);
    await expect(discover(endless('/apis'))).rejects.toMatchObject({
      code: 'no-api-server',
    });
    await expect(discover(endless('/apis'))).rejects.toThrowErrorMatchingInlineSnapshot(
      `[GcError: the server at https://api.example.com:6443 does not answer as a Kubernetes API server: /apis: the answer is longer than 67108864 bytes]`,
    );
  });

  test('fails when the server does not say what it serves', async () => {
    const client = fakeClient({ '/api': core, '/apis': refusal(401, 'Unauthorized') });
    await expect(discover(client)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/ https:\/\/api\.example\.com:6443 .*\(HTTP 401\)$/),
    });
  });
});
