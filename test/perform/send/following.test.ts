import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  configMap,
  deployment,
  gadget,
  job,
  ownedBy,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { dropped, FakeCluster, type FakeRequest, failure } from './fake-cluster.ts';
import { deletionOf, deletionsOf, perform, told, whenGone } from './plans.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const plan = deletionOf(web, set);

const forbidden = failure(403, 'Forbidden', 'it is forbidden');

const isWatch = ({ query }: FakeRequest) => query.has('watch');
const isList = (request: FakeRequest) =>
  request.method === 'GET' && !isWatch(request) && /s$/.test(request.path);
const isSets = ({ path }: FakeRequest) => path.includes('replicasets');

/** Its ReplicaSet goes when the test says. */
const slow = () => new FakeCluster([web, set]);

function lists(cluster: FakeCluster): string[] {
  return cluster.requests.filter(isList).map(({ path }) => path.split('/').at(-1) ?? '');
}

describe('watches of what a plan was made from', () => {
  const versions = new Map(
    ['deployments', 'replicasets'].map((kind) => [`${kind}.apps shop`, '102']),
  );
  const listed = { records: [web, set], versions };

  test('go on from its lists, and show a dependent that has appeared since', async () => {
    const cluster = slow();
    const late = replicaSet('late', { ownerReferences: [ownedBy(web)] });
    cluster.put(late);
    const end = () => {
      cluster.remove(late);
      cluster.remove(set);
    };
    const events = await whenGone(cluster, plan, end, { listed });
    expect(told(events).filter((line) => /^(unplanned|done)/.test(line))).toEqual([
      'unplanned late of web, gone',
      'done gone',
    ]);
    expect(lists(cluster)).toEqual([]);
  });

  test('list again where the server does not remember what happened since', async () => {
    const cluster = slow();
    cluster.put(secret('other'));
    cluster.oldest = cluster.version;
    const events = await whenGone(cluster, plan, () => cluster.remove(set), { listed });
    expect(told(events).at(-1)).toBe('done gone');
    expect(lists(cluster).toSorted()).toEqual(['deployments', 'replicasets']);
  });
});

test('a watch that ends is opened again from where it was, without a message', async () => {
  const cluster = slow();
  const events = await whenGone(cluster, plan, () => {
    cluster.cutWatches();
    cluster.remove(set);
  });
  expect(told(events).slice(2)).toEqual(['observed web gone', 'observed web-1 gone', 'done gone']);
  expect(lists(cluster)).toEqual(['deployments', 'replicasets']);
});

test('a broken watch is reported, and when it is resumed', async () => {
  const cluster = slow();
  let refusals = 2;
  cluster.before = (request) => {
    if (!cluster.has(web) && isWatch(request) && isSets(request) && refusals-- > 0) throw dropped();
    return undefined;
  };
  const events = await whenGone(cluster, plan, () => {
    cluster.cutWatches(dropped());
    setTimeout(() => cluster.remove(set), 50);
  });
  const sets = 'watch replicasets.apps in shop';
  const lines = told(events);
  expect(lines.filter((line) => line.startsWith(sets))).toEqual([
    `${sets} lost`,
    `${sets} resumed`,
  ]);
  expect(lines.at(-1)).toBe('done gone');
  expect(lists(cluster)).toEqual(['deployments', 'replicasets']);
});

test('a version that is too old is read again from a list, which shows what went', async () => {
  const cluster = slow();
  const events = await whenGone(cluster, plan, () => {
    cluster.oldest = 1_000;
    cluster.cutWatches();
    cluster.remove(set);
    // The next watch begins where the list says.
    setTimeout(() => {
      cluster.oldest = 0;
    }, 30);
  });
  expect(told(events).slice(2)).toEqual(['observed web gone', 'observed web-1 gone', 'done gone']);
  expect(lists(cluster).filter((name) => name === 'replicasets').length).toBeGreaterThan(1);
});

const sets = 'watch replicasets.apps';
test.each<[string, (request: FakeRequest) => boolean, string[], string[]]>([
  ['polls without watch permission', isWatch, [`${sets} in shop polling`], ['']],
  [
    'watches objects without list permission',
    ({ query }) => !query.has('fieldSelector'),
    [],
    ['metadata.name=web-1'],
  ],
  [
    'polls objects without list and watch permission',
    ({ path }) => !path.endsWith('/web-1'),
    [`${sets}/web-1 in shop polling`],
    [],
  ],
])('%s', async (_, isRefused, said, watched) => {
  const cluster = slow();
  cluster.before = (request) => (isSets(request) && isRefused(request) ? forbidden : undefined);
  const events = await whenGone(cluster, plan, () => cluster.remove(set));
  expect(told(events)).toEqual([
    'planned 1 2',
    ...said,
    'sent web 200',
    'observed web gone',
    'observed web-1 gone',
    'done gone',
  ]);
  const watches = cluster.requests.filter((request) => isSets(request) && isWatch(request));
  expect([...new Set(watches.map(({ query }) => query.get('fieldSelector') ?? ''))]).toEqual(
    watched,
  );
});

test('an object that may not be read is unknown, and not waited for', async () => {
  const cluster = slow();
  cluster.before = (request) => (isSets(request) ? forbidden : undefined);
  const events = await perform(cluster, plan);
  expect(told(events).filter((line) => !line.startsWith('watch'))).toEqual([
    'planned 1 2',
    'observed web-1 unknown',
    'sent web 200',
    'observed web gone',
    'left web-1',
    'done settled',
  ]);
});

test('a refusal by a server that has just started is not believed immediately', async () => {
  const cluster = slow();
  let refusals = 2;
  cluster.before = (request) =>
    !cluster.has(web) && isSets(request) && refusals-- > 0 ? forbidden : undefined;
  const events = await whenGone(cluster, plan, () => {
    cluster.cutWatches();
    setTimeout(() => cluster.remove(set), 40);
  });
  const sets = 'watch replicasets.apps in shop';
  expect(told(events).slice(2)).toEqual([
    'observed web gone',
    `${sets} lost`,
    `${sets} resumed`,
    'observed web-1 gone',
    'done gone',
  ]);
});

const everywhere = ['a', 'b', 'c', 'd', 'e'].map((namespace) => configMap('same', { namespace }));
const wide = deletionsOf(...everywhere);

test('a kind in many namespaces is watched in all of them with one request', async () => {
  const cluster = new FakeCluster(everywhere);
  const events = await perform(cluster, wide);
  expect(told(events).at(-1)).toBe('done gone');
  const watched = cluster.requests.filter(isWatch).map(({ path }) => path);
  expect(watched).toEqual(['/api/v1/configmaps']);
});

test('or in each, if all namespaces are forbidden', async () => {
  const cluster = new FakeCluster(everywhere);
  cluster.before = ({ path }) => (path === '/api/v1/configmaps' ? forbidden : undefined);
  const events = await perform(cluster, wide);
  expect(told(events).at(-1)).toBe('done gone');
  const listed = cluster.requests.filter(isList).map(({ path }) => path);
  const each = everywhere.map(({ namespace }) => `/api/v1/namespaces/${namespace}/configmaps`);
  expect([...new Set(listed)]).toEqual(['/api/v1/configmaps', ...each]);
});

const kinds = [configMap, secret, job, pod, replicaSet, widget, deployment].map((build) =>
  build('x'),
);

/** What is seen of a run in which these objects are deleted, and how many watches were open at most. */
async function mostWatchesOf(
  cluster: FakeCluster,
  records: readonly ObjectRecord[],
  options: Parameters<typeof perform>[2] = {},
) {
  let most = 0;
  cluster.onDelete = (record) => {
    most = Math.max(most, cluster.watching);
    setTimeout(() => cluster.remove(record), 30);
  };
  const events = await perform(cluster, deletionsOf(...records), options);
  return { most, end: events.at(-1), lines: told(events) };
}

test('each kind is watched, so that the end of many is reported immediately', async () => {
  const records = [...kinds, gadget('g')];
  const slowPoll = { pace: { poll: 60_000 } };
  const { most, end } = await mostWatchesOf(new FakeCluster(records), records, slowPoll);
  expect(most).toBe(8);
  expect(end).toMatchObject({ ended: 'gone', gone: 8, sent: 8 });
});

test('no more than 24 watches are open; further kinds are listed in turn, and not reported as polled', async () => {
  const names = Array.from({ length: 13 }, (_, index) => `x-${index}`);
  const records = names.flatMap((name) => [configMap(name), secret(name)]);
  const cluster = new FakeCluster(records);
  cluster.before = (request) =>
    isList(request) && !request.query.has('fieldSelector') ? forbidden : undefined;
  const { most, end, lines } = await mostWatchesOf(cluster, records);
  expect(most).toBe(24);
  expect(lines.filter((line) => line.startsWith('watch'))).toEqual([]);
  expect(end).toMatchObject({ ended: 'gone', gone: 26, sent: 26 });
});

test('a report that fails stops the run', async () => {
  const cluster = slow();
  const told: string[] = [];
  const run = perform(cluster, plan, { timeout: undefined }, ({ type }) => {
    told.push(type);
    if (type === 'observed') throw new Error('nobody listens');
  });
  await expect(run).rejects.toThrow('nobody listens');
  expect(told.slice(-2)).toEqual(['sent', 'observed']);
  expect(cluster.watching).toBe(0);
  const asked = cluster.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(cluster.requests).toHaveLength(asked);
});

test('a run that has ended leaves nothing that keeps the process', async () => {
  const cluster = new FakeCluster([web]);
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await perform(cluster, deletionOf(web), {
    timeout: 100_000,
    pace: { open: 100_000, poll: 100_000, quiet: 100_000 },
  });
  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  expect(after).toBeLessThanOrEqual(before);
});
