import { describe, expect, test, vi } from 'vitest';
import { fromCluster, type ReadingProgress } from '../../src/cluster/from-cluster.ts';
import { GcError } from '../../src/errors.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { groupResourceOf, isMonitored } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { builtIn } from './built-in.ts';
import { aggregated, group, served, version } from './discovery-answer.ts';
import { encodeList } from './encode-list.ts';
import { type Answer, clientThat, fakeClient, patience, protobuf, refusal } from './fake-client.ts';

const failed = [
  {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    message: 'metrics.k8s.io/v1beta1 is not answering',
  },
];
const discovery = {
  types: new ResourceTypes(builtInTypes, { exhaustive: true, failed }),
  serverVersion: 'v1.36.3',
};
const someTypes = { types: [builtIn('pods'), builtIn('nodes'), builtIn('deployments.apps')] };

function list(names: readonly string[], date?: string): Answer {
  const answer = protobuf(encodeList(names.map((name) => ({ name, namespace: 'shop' }))));
  return date ? { ...answer, headers: { ...answer.headers, date } } : answer;
}

describe('fromCluster', () => {
  test('lists every kind that can be listed and deleted, but for events', async () => {
    const client = fakeClient({}, { server: 'https://api.example.com' });
    vi.setSystemTime('2026-01-01T00:00:00.5Z');
    const reading = fromCluster(client, {}, { discovery, retry: patience() });
    const { coverage, observedAt } = await reading.finally(() => vi.useRealTimers());
    const listed = coverage.problems.flatMap(({ resource }) => resource ?? []);
    expect(listed.toSorted()).toEqual(
      builtInTypes
        .filter(
          (type) => isMonitored(type) && !(type.group === 'autoscaling' && type.version === 'v1'),
        )
        .map(groupResourceOf)
        .toSorted(),
    );
    expect(coverage.problems[0]).toEqual({
      reason: 'discovery-failed',
      message: 'metrics.k8s.io/v1beta1 is not answering',
      apiVersion: 'metrics.k8s.io/v1beta1',
    });
    expect(observedAt).toBe('2026-01-01T00:00:00Z');
  });

  test('an answer that cannot be decoded leaves its kind unread, and no other', async () => {
    const client = clientThat(({ path }) => {
      if (path !== '/api/v1/pods?resourceVersion=0') return list(['web']);
      throw new GcError('the answer is encoded as br', { code: 'unknown-encoding' });
    });
    const { records, coverage } = await fromCluster(client, someTypes, { discovery });
    expect(records.map(({ type }) => type.kind).sort()).toEqual(['Deployment', 'Node']);
    expect(coverage.problems.flatMap(({ resource }) => resource ?? [])).toEqual(['pods']);
  });

  test('reports what it read, when and where', async () => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': list(['a', 'b'], 'Sat, 21 Nov 2026 08:00:01 GMT'),
      '/apis/apps/v1/deployments?resourceVersion=0': list(['web'], 'Sat, 21 Nov 2026 08:00:03 GMT'),
      '/api/v1/nodes?resourceVersion=0': refusal(403, 'nodes is forbidden'),
    });
    const progress: ReadingProgress[] = [];
    const snapshot = await fromCluster(client, someTypes, {
      discovery,
      concurrency: 1,
      onProgress: (step) => progress.push(step),
    });
    const { records, types, ...rest } = snapshot;
    expect(types).toBe(discovery.types);
    expect(records.map(({ name, namespace, type }) => [type.kind, namespace, name])).toEqual([
      ['Deployment', 'shop', 'web'],
      ['Pod', 'shop', 'a'],
      ['Pod', 'shop', 'b'],
    ]);
    expect(rest).toEqual({
      coverage: {
        read: [{ resource: 'pods' }, { resource: 'deployments.apps' }],
        asked: [],
        problems: [
          {
            reason: 'forbidden',
            verb: 'list',
            status: 403,
            message: 'cannot list nodes: nodes is forbidden',
            resource: 'nodes',
            apiVersion: 'v1',
          },
        ],
      },
      observedFrom: '2026-11-21T08:00:01Z',
      observedAt: '2026-11-21T08:00:03Z',
      serverVersion: 'v1.36.3',
      origin: { kind: 'cluster', server: 'https://api.example.com:6443' },
    });
    expect(progress).toEqual([
      { done: 1, total: 3, objects: 2 },
      { done: 2, total: 3, objects: 3 },
      { done: 3, total: 3, objects: 3 },
    ]);
  });

  test('lists namespaced kinds in the given namespaces only, cluster-scoped ones whole', async () => {
    const client = fakeClient({});
    await fromCluster(
      client,
      { ...someTypes, namespaces: ['shop', 'bank'] },
      { discovery, concurrency: 1 },
    );
    expect(client.paths).toEqual([
      '/api/v1/namespaces/shop/pods?resourceVersion=0',
      '/api/v1/namespaces/bank/pods?resourceVersion=0',
      '/apis/apps/v1/namespaces/shop/deployments?resourceVersion=0',
      '/apis/apps/v1/namespaces/bank/deployments?resourceVersion=0',
      '/api/v1/nodes?resourceVersion=0',
    ]);
  });

  test('reads several kinds at a time, but no more than allowed', async () => {
    const client = fakeClient({});
    await fromCluster(client, {}, { discovery, concurrency: 3, retry: patience() });
    expect(client.busiest()).toBe(3);
  });

  test('gets the newest state in one piece from servers that cache it, else in pages', async () => {
    const paths = async (serverVersion: string | undefined) => {
      const client = fakeClient({});
      await fromCluster(
        client,
        { types: [builtIn('nodes')] },
        { discovery: { ...discovery, serverVersion }, freshness: 'latest' },
      );
      return client.paths;
    };
    expect(await paths('v1.31.0+k3s1')).toEqual(['/api/v1/nodes']);
    expect(await paths('v1.30.9')).toEqual(['/api/v1/nodes?limit=1000']);
    expect(await paths(undefined)).toEqual(['/api/v1/nodes?limit=1000']);
  });

  test('does without compression where the server is near, and only there', async () => {
    const encodings = async (isNear: boolean) => {
      const client = fakeClient({});
      const known = { ...discovery, isNear };
      await fromCluster(client, { types: [builtIn('nodes')] }, { discovery: known });
      return client.requests.map(({ path, headers }) => [path, headers?.['accept-encoding']]);
    };
    expect(await encodings(true)).toEqual([['/api/v1/nodes?resourceVersion=0', 'identity']]);
    expect(await encodings(false)).toEqual([['/api/v1/nodes?resourceVersion=0', undefined]]);
  });

  test('reads what is in one namespace alone, more kinds at a time than of all or several', async () => {
    const reading = async (namespaces?: readonly string[]) => {
      const client = fakeClient({});
      const scope = { namespaces, namespacedOnly: true };
      await fromCluster(client, scope, { discovery, retry: patience() });
      return client;
    };
    const one = await reading(['shop']);
    expect(one.paths.filter((path) => !path.includes('/namespaces/shop/'))).toEqual([]);
    expect([one.busiest(), (await reading()).busiest()]).toEqual([16, 6]);
    expect((await reading(['shop', 'bank'])).busiest()).toBe(12);
  });

  test('discovers types that were not given', async () => {
    const client = fakeClient({
      '/api': aggregated(group(undefined, version('v1', served('nodes', { scope: 'Cluster' })))),
      '/apis': aggregated(group('apps')),
      '/version': { body: { gitVersion: 'v1.36.3' } },
      '/api/v1/nodes?resourceVersion=0': list(['n1']),
    });
    const { records, serverVersion } = await fromCluster(client);
    expect([records.map(({ name }) => name), serverVersion]).toEqual([['n1'], 'v1.36.3']);
  });
});
