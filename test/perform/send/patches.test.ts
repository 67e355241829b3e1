import { beforeEach, expect, test } from 'vitest';
import type { ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import type { PlannedRequest } from '../../../src/deletion/plan/plan.ts';
import { GcError } from '../../../src/errors.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { deniedRequests } from '../../../src/perform/check-access.ts';
import { rehearsePatches } from '../../../src/perform/send/send-request.ts';
import { node, pod, servedTypes } from '../../support/builders.ts';
import { type Answer, dropped, FakeCluster, failure } from './fake-cluster.ts';
import { perform, planned, planOf, requestFor, told } from './plans.ts';

const dead = pod('dead', { facts: { nodeName: 'lost', phase: 'Running' } });
const lost = (ready: string, taints: readonly string[]) =>
  node('lost', {
    facts: {
      conditions: [{ type: 'Ready', status: ready }],
      taints: taints.map((key) => ({ key, effect: 'NoExecute' })),
    },
  });
const taint = 'node.kubernetes.io/out-of-service';
const patch = {
  subresource: 'status',
  type: 'strategic',
  body: { status: { phase: 'Failed' } },
} as const;
const path = '/api/v1/namespaces/shop/pods/dead';

const request = (changes: Partial<PlannedRequest> = {}): PlannedRequest =>
  requestFor(dead, { gracePeriodSeconds: 0, patch, ...changes });
const plan = (changes: Partial<PlannedRequest> = {}) =>
  planOf([request(changes)], [planned(dead, 'deleted')]);

/** Writes, with what was written. */
const writesOf = ({ requests }: FakeCluster) =>
  requests.flatMap(({ method, path: at, body }) => (method === 'GET' ? [] : [[method, at, body]]));

const rehearsed = (
  requests: readonly PlannedRequest[],
  signal: AbortSignal = new AbortController().signal,
) => rehearsePatches(cluster.client, servedTypes, requests, signal);

let cluster: FakeCluster;
let answers: (() => Answer)[];
beforeEach(() => {
  answers = [];
  cluster = new FakeCluster([dead]);
  cluster.before = ({ method }) =>
    method === 'PATCH' ? (answers.shift()?.() ?? { status: 200 }) : undefined;
});

test('the status is written first, and both requests are bound to the uid', async () => {
  const events = await perform(cluster, plan());
  expect(writesOf(cluster)).toEqual([
    ['PATCH', `${path}/status`, { metadata: { uid: dead.uid }, status: { phase: 'Failed' } }],
    [
      'DELETE',
      path,
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        gracePeriodSeconds: 0,
        preconditions: { uid: dead.uid },
      },
    ],
  ]);
  expect(told(events).filter((line) => !line.startsWith('observed'))).toEqual([
    'planned 1 1',
    'sent dead 200',
    'done gone',
  ]);
});

test('bound to a version, the deletion is bound to the one that the status has made', async () => {
  answers = [
    () => ({
      status: 200,
      body: { kind: 'Pod', metadata: { uid: dead.uid, resourceVersion: '8' } },
    }),
  ];
  const bound = { ...request(), resourceVersion: '7' };
  await perform(cluster, planOf([bound], plan().objects), { useResourceVersion: true });
  expect(writesOf(cluster).map(([, , body]) => body)).toEqual([
    expect.objectContaining({ metadata: { uid: dead.uid, resourceVersion: '7' } }),
    expect.objectContaining({ preconditions: { uid: dead.uid, resourceVersion: '8' } }),
  ]);
});

test('a deletion without a policy sends none', async () => {
  const { propagationPolicy: _, ...bare } = request();
  await perform(cluster, planOf([bare], plan().objects));
  expect(writesOf(cluster)[1]?.[2]).not.toHaveProperty('propagationPolicy');
});

test('a pod whose status is refused is not deleted', async () => {
  answers = [() => failed(422, 'it is frozen')];
  const events = await perform(cluster, plan());
  expect(cluster.deletes).toEqual([]);
  expect(events.find(({ type }) => type === 'refused')).toMatchObject({
    code: 422,
    message: expect.stringMatching(/^its status .*: it is frozen$/),
  });
  expect(told(events).at(-1)).toBe('done failed');
});

test('a pod whose status is written and whose deletion is refused may be changed', async () => {
  const before = cluster.before;
  cluster.before = (asked) =>
    asked.method === 'DELETE' ? failed(422, 'it is frozen') : before?.(asked);
  const events = await perform(cluster, plan());
  expect(events.find(({ type }) => type === 'refused')).toMatchObject({
    code: 422,
    message: 'its status was written, not its deletion: it is frozen',
    begun: true,
  });
});

test('a temporary failure of a patch is retried', async () => {
  answers = [
    () => failed(429, 'later'),
    () => {
      throw dropped();
    },
  ];
  const events = await perform(cluster, plan());
  expect(told(events).filter((line) => line.startsWith('retrying'))).toHaveLength(2);
  expect(told(events).at(-1)).toBe('done gone');
});

test.each([
  [409, 'modified'],
  [422, 'Pod "dead" is invalid: metadata.uid: Invalid value: "x": field is immutable'],
])('skips a replaced pod: %d', async (code, message) => {
  answers = [
    () => {
      cluster.remove(dead);
      cluster.put({ ...dead, uid: 'other' });
      return failed(code, message);
    },
  ];
  const events = await perform(cluster, plan());
  expect(cluster.deletes).toEqual([]);
  expect(told(events)).toContain('skipped dead replaced');
});

test('a patch alone deletes nothing', async () => {
  const alone = planOf([request({ verb: 'patch' })], [planned(dead, 'kept')]);
  expect(told(await perform(cluster, alone)).at(-1)).toBe('done gone');
  expect(cluster.deletes).toEqual([]);
});

const unchanged = 'sent dead 200';
test.each([
  ['gone', undefined, unchanged],
  ['gone', lost('True', []), 'Node lost is there and Ready'],
  ['gone', lost('Unknown', []), 'Node lost is there again, although not ready'],
  ['out-of-service', lost('Unknown', [taint]), unchanged],
  ['out-of-service', lost('True', [taint]), 'Node lost is there and Ready'],
  ['out-of-service', lost('False', []), expect.stringContaining(` the taint ${taint}`)],
  ['out-of-service', undefined, 'Node lost was deleted meanwhile'],
] as const)('a Node that was %s is read again: %#', async (is, now, expected) => {
  if (now) cluster.put(now);
  const events = await perform(cluster, plan({ node: { name: 'lost', is } }));
  const skipped = events.find((event) => event.type === 'skipped');
  if (expected === unchanged) expect(told(events)).toContain(unchanged);
  else expect(skipped).toMatchObject({ reason: 'node', message: expected });
  expect(writesOf(cluster)).toHaveLength(expected === unchanged ? 2 : 0);
});

test('a Node that is there is not looked at again because the pod is as it was', async () => {
  cluster.put(lost('True', []));
  const dependsOn = { finalizers: [], owners: [], terminating: false };
  const bound = plan({ dependsOn, resourceVersion: '101', node: { name: 'lost', is: 'gone' } });
  const events = await perform(cluster, bound, { useResourceVersion: true });
  expect(told(events)).toContain('skipped dead node');
  expect(cluster.requests.filter(({ path: at }) => at.includes('/nodes/'))).toHaveLength(1);
});

test('the Node is read again before the deletion, too', async () => {
  answers = [
    () => {
      cluster.put(lost('True', []));
      return { status: 200 };
    },
  ];
  const events = await perform(cluster, plan({ node: { name: 'lost', is: 'gone' } }));
  expect(cluster.deletes).toEqual([]);
  expect(told(events)).toContain('skipped dead node');
});

test('a Node that cannot be read may be there', async () => {
  cluster.before = ({ path: at }) =>
    at.startsWith('/api/v1/nodes/') ? failed(403, 'nodes are forbidden') : undefined;
  const events = await perform(cluster, plan({ node: { name: 'lost', is: 'gone' } }));
  expect(writesOf(cluster)).toEqual([]);
  expect(told(events)).toContain('refused dead 0 NodeUnknown');
});

test('a dry run reports refusals and generations, and defers the rest', async () => {
  const others = ['taken', 'gone', 'other'].map((name) => pod(name));
  const answered = [
    { status: 422, body: { kind: 'Status', message: 'it is frozen' } },
    { status: 200, body: { kind: 'PartialObjectMetadata', metadata: { generation: 4 } } },
    { status: 404, body: { kind: 'Status', message: 'not found' } },
    failed(422, 'metadata.uid: Invalid value: "x": field is immutable'),
  ];
  answers = answered.map((answer) => () => answer);
  const requests = [dead, ...others].map((record) => requestFor(record, { patch }));
  const told = [...(await rehearsed(requests)).values()];
  expect(told).toEqual([{ refusal: 'it is frozen' }, { generation: 4 }, {}, {}]);
  expect(cluster.requests.every(({ query }) => query.get('dryRun') === 'All')).toBe(true);
});

test('only patches of served kinds are sent as dry runs', async () => {
  const [unserved, alone] = [pod('unserved'), pod('alone')];
  const requests = [
    requestFor(unserved, { patch, apiVersion: 'gone.example.com/v1', kind: 'Gone' }),
    requestFor(alone),
  ];
  expect([...(await rehearsed(requests))]).toEqual([[unserved.uid, {}]]);
  expect(cluster.requests).toEqual([]);
});

test('a rehearsal without an answer is none', async () => {
  answers = [
    () => {
      throw new GcError('lost', { code: 'unknown-host' });
    },
  ];
  await expect(rehearsed([request()], AbortSignal.timeout(20))).rejects.toMatchObject({
    code: 'unknown-host',
  });
});

test('no data of an object is answered to a write, and a Node is read as a whole', async () => {
  cluster.put(lost('Unknown', [taint]));
  const asked: string[] = [];
  const { client } = cluster;
  const listening: ClusterClient = {
    ...client,
    request: (sent) => {
      const kind = sent.path.includes('/nodes/') ? 'Node' : sent.method;
      const isBare = /^application\/[^,]*PartialObjectMetadata/.test(sent.headers?.accept ?? '');
      asked.push(`${kind} ${isBare ? 'metadata' : 'whole'}`);
      if (sent.method === 'PATCH') {
        expect(sent.headers?.['content-type']).toBe('application/strategic-merge-patch+json');
      }
      return client.request(sent);
    },
  };
  const bound = plan({ node: { name: 'lost', is: 'out-of-service' } });
  await perform({ client: listening }, bound, { wait: 'none' });
  expect(asked).toEqual(['Node whole', 'PATCH metadata', 'Node whole', 'DELETE metadata']);
});

test('without the kind Node, it is unknown whether a Node exists', async () => {
  const types = new ResourceTypes([dead.type], { exhaustive: true });
  const gone = plan({ node: { name: 'lost', is: 'gone' } });
  const events = await perform(cluster, gone, { wait: 'none', types });
  const refused = events.find((event) => event.type === 'refused');
  expect(refused?.reason).toBe('NodeUnknown');
  expect(refused?.message).toMatchInlineSnapshot(
    `"Node lost could not be read, so it may be there: Nodes are not served"`,
  );
  expect(writesOf(cluster)).toEqual([]);
});

const { signal } = new AbortController();

test.each([
  ['for the patch alone', request({ verb: 'patch' }), [], ['patch pods status'], []],
  [
    'to read Nodes too',
    request({ node: { name: 'lost', is: 'gone' } }),
    ['patch', 'get'],
    ['patch pods status', 'delete pods', 'get nodes'],
    [
      { verb: 'patch', subresource: 'status', kind: 'Pod', namespace: 'shop', name: 'dead' },
      { verb: 'get', kind: 'Node', namespace: '', name: 'lost' },
    ],
  ],
])('permission is asked %s', async (_, sent, denied: string[], questions, refused) => {
  const asked = new Set<string>();
  cluster.before = ({ body }) => {
    const { verb, resource, subresource } = Object(body).spec.resourceAttributes;
    asked.add([verb, resource, subresource].filter(Boolean).join(' '));
    return { status: 201, body: { status: { allowed: !denied.includes(verb) } } };
  };
  const served = { client: cluster.client, types: servedTypes };
  const answers = await deniedRequests([sent], served, signal);
  expect(answers.map(({ reason: _, type, ...rest }) => ({ ...rest, kind: type.kind }))).toEqual(
    refused,
  );
  expect([...asked].sort()).toEqual([...questions].sort());
});

function failed(code: number, message: string): Answer {
  return failure(code, '', message);
}
