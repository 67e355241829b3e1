import { describe, expect, test } from 'vitest';
import { discover } from '../../../src/cluster/list/discover.ts';
import { type Answer, fakeClient, patience, refusal } from '../fake-client.ts';

const version: Answer = { body: { major: '1', minor: '36', gitVersion: 'v1.36.3' } };
const time = { date: 'Sat, 21 Nov 2026 08:00:00 GMT' };

const core: Answer = {
  headers: time,
  body: {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'pods',
                responseKind: { group: '', version: '', kind: 'Pod' },
                scope: 'Namespaced',
                singularResource: 'pod',
                verbs: ['delete', 'list', 'watch'],
                shortNames: ['po'],
                categories: ['all'],
                subresources: [
                  {
                    subresource: 'eviction',
                    responseKind: { kind: 'Eviction' },
                    verbs: ['create'],
                  },
                ],
              },
              { resource: 'ghosts', responseKind: null, scope: 'Cluster', verbs: ['get'] },
            ],
          },
        ],
      },
    ],
  },
};

const groups: Answer = {
  headers: time,
  body: {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'autoscaling' },
        versions: ['v2', 'v1'].map((version) => ({
          version,
          freshness: 'Current',
          resources: [
            {
              resource: 'horizontalpodautoscalers',
              responseKind: { kind: 'HorizontalPodAutoscaler' },
              scope: 'Namespaced',
              verbs: ['delete', 'list', 'watch'],
            },
          ],
        })),
      },
      {
        metadata: { name: 'metrics.k8s.io' },
        versions: [{ version: 'v1beta1', freshness: 'Stale' }],
      },
    ],
  },
};

const pod = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  resource: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  verbs: ['delete', 'list', 'watch'],
};
const autoscaler = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['delete', 'list', 'watch'],
};

const served = { '/api': core, '/apis': groups, '/version': version };

describe('discover', () => {
  test('takes three requests when the server aggregates', async () => {
    const client = fakeClient({ '/api': core, '/apis': groups, '/version': version });
    const { types, serverVersion, serverTime } = await discover(client);
    expect({ serverVersion, serverTime }).toEqual({
      serverVersion: 'v1.36.3',
      serverTime: '2026-11-21T08:00:00Z',
    });
    expect(types.all).toEqual([pod, autoscaler, { ...autoscaler, version: 'v1' }]);
    expect(types.preferred()).toEqual([pod, autoscaler]);
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
    const client = fakeClient(served, { server: 'https://127.0.0.1.example.com' });
    expect((await discover(client)).isNear).toBe(false);
  });

  test('asks a server of this machine for its version once it is connected', async () => {
    const busiest = async (server: string) => {
      const client = fakeClient(served, { server });
      await discover(client);
      return client.busiest();
    };
    expect(await busiest('https://127.0.0.1:6443')).toBe(2);
    expect(await busiest('https://api.example.com')).toBe(3);
  });

  test('takes a tunnel to a server elsewhere for what it is', async () => {
    const client = fakeClient(served, { server: 'https://127.0.0.1:6443' });
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
    const client = fakeClient({ '/api': core, '/apis': groups, '/version': version });
    const { types } = await discover(client);
    expect(types.failed).toEqual([
      {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        message:
          'the API metrics.k8s.io/v1beta1 is not answering, so the kinds it serves are unknown',
      },
    ]);
    expect(types.mapKind('metrics.k8s.io/v1beta1', 'PodMetrics').kind).toBe('unknown');
  });

  test('asks each group version when the server cannot aggregate, and tells which failed', async () => {
    const resources = (name: string, kind: string) => ({
      body: {
        kind: 'APIResourceList',
        resources: [
          { name, kind, singularName: '', namespaced: true, verbs: ['delete', 'list', 'watch'] },
          { name: `${name}/status`, kind, singularName: '', namespaced: true, verbs: ['get'] },
        ],
      },
    });
    const autoscaling = {
      name: 'autoscaling',
      versions: [{ version: 'v1' }, { version: 'v2' }],
      preferredVersion: { version: 'v2' },
    };
    const broken = { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] };
    const garbled = { name: 'garbled.example.com', versions: [{ version: 'v1' }] };
    const client = fakeClient({
      '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
      '/apis': { body: { kind: 'APIGroupList', groups: [autoscaling, broken, garbled] } },
      '/api/v1': resources('pods', 'Pod'),
      '/apis/autoscaling/v1': resources('horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
      '/apis/autoscaling/v2': resources('horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
      '/apis/metrics.k8s.io/v1beta1': refusal(503, 'service unavailable'),
      '/apis/garbled.example.com/v1': { body: '<html>' },
      '/version': refusal(403, 'forbidden'),
    });
    const { types, serverVersion } = await discover(client, { retry: patience() });
    expect(serverVersion).toBeUndefined();
    expect(types.all).toEqual([
      { ...pod, shortNames: [], categories: [] },
      autoscaler,
      { ...autoscaler, version: 'v1' },
    ]);
    expect(types.failed).toEqual([
      {
        group: 'garbled.example.com',
        version: 'v1',
        message: 'the kinds of the API garbled.example.com/v1 are unknown: the answer is not JSON',
      },
      {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        message: 'the kinds of the API metrics.k8s.io/v1beta1 are unknown: service unavailable',
      },
    ]);
  });

  test('takes no answer that is longer than any can be', async () => {
    const body = ' '.repeat(65 * 1024 * 1024);
    const endless = (path: string) => fakeClient({ ...served, [path]: { body } });
    const { serverVersion, types } = await discover(endless('/version'));
    expect([serverVersion, types.all.length]).toEqual([
      undefined,
      (await discover(fakeClient(served))).types.all.length,
    ]);
    await expect(discover(endless('/apis'))).rejects.toMatchObject({
      code: 'no-api-server',
      message:
        'the server at https://api.example.com:6443 does not answer as a Kubernetes API server: /apis: the answer is longer than 67108864 bytes',
    });
  });

  test('fails when the server does not say what it serves', async () => {
    const client = fakeClient({ '/api': core, '/apis': refusal(401, 'Unauthorized') });
    await expect(discover(client)).rejects.toMatchObject({
      code: 'unauthorized',
      message:
        'could not find out which kinds https://api.example.com:6443 serves: ' +
        'the server has asked for the client to provide credentials (HTTP 401)',
    });
  });
});
