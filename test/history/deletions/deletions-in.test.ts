import { expect, test } from 'vitest';
import { deletionsIn, type SearchedPeriod } from '../../../src/history/deletions/deletions-in.ts';
import { historyOf } from '../../../src/history/deletions/history.ts';
import { configMap, pod, snapshotOf } from '../../support/builders.ts';
import { noon, requestsOf } from './audited-requests.ts';

const anyTime: SearchedPeriod = {
  namespace: undefined,
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
};

/** `request alice: Pod/web-1 deleted seen, …; all secrets` */
function groupsIn(
  log: string,
  {
    period = anyTime,
    ...more
  }: Partial<Parameters<typeof historyOf>[0]> & { period?: SearchedPeriod } = {},
) {
  const history = historyOf({ requests: requestsOf(log), ...more });
  return [...deletionsIn(history, period)].map(({ began, objects, collections }) => {
    const named = objects.map(
      ({ object, state, certainty }) => `${object.kind}/${object.name} ${state} ${certainty}`,
    );
    const who = began.controller ?? began.requester?.user ?? '';
    return `${began.cause} ${who}: ${[...named, ...collections.map((kind) => `all ${kind}`)].join(', ')}`;
  });
}

const cascade = `
  deploy create replicasets.apps shop/web uid=r owners=Deployment/web:d
  rs create pods shop/web-1 uid=p owners=ReplicaSet/web:r
  bob delete secrets shop/token uid=t
  alice delete deployments.apps shop/web uid=d
  gc delete replicasets.apps shop/web uid=r
  gc delete pods shop/web-1 uid=p
`;

test('objects stand below the request that began their deletion, the largest group first', () => {
  expect(groupsIn(cascade)).toEqual([
    'request alice: Deployment/web unknown seen, Pod/web-1 unknown seen, ReplicaSet/web unknown seen',
    'request bob: Secret/token unknown seen',
  ]);
});

test('a period and a namespace choose among deletions', () => {
  const second = { ...anyTime, from: noon + 2_500, to: noon + 3_500 };
  expect(groupsIn(cascade, { period: second })).toEqual(['request bob: Secret/token unknown seen']);
  expect(groupsIn(cascade, { period: { ...anyTime, namespace: 'blog' } })).toEqual([]);
});

test('data comes first, and objects of a later snapshot remain', () => {
  const log =
    'alice delete namespaces shop\nns deletecollection pods shop/\nns deletecollection configmaps shop/';
  const records = [
    pod('a', { namespace: 'shop', uid: 'a' }),
    configMap('b', { namespace: 'shop', uid: 'b' }),
  ];
  const before = snapshotOf(records, { observedAt: '2026-01-31T11:00:00Z' });
  const after = snapshotOf(records.slice(0, 1), { observedAt: '2026-01-31T13:00:00Z' });
  expect(groupsIn(log, { before })).toEqual([
    'request alice: ConfigMap/b unknown might be, Namespace/shop unknown seen, Pod/a unknown might be',
  ]);
  expect(groupsIn(log, { before, after })).toEqual([
    'request alice: ConfigMap/b deleted might be, Namespace/shop deleted seen',
  ]);
});

test('collections without a snapshot are named by their kinds', () => {
  const log =
    'alice delete namespaces shop\nns deletecollection pods shop/\nbob deletecollection secrets shop/';
  expect(groupsIn(log)).toEqual([
    'request alice: Namespace/shop unknown seen, all pods',
    'request bob: all secrets',
  ]);
});

test('deletions by one rule of a controller are one group', () => {
  expect(groupsIn('ttl delete jobs.batch shop/a\nttl delete jobs.batch shop/b')).toEqual([
    'controller ttl-after-finished-controller: Job/a unknown seen, Job/b unknown seen',
  ]);
});

test('two snapshots show unexplained deletions, and their consequences', () => {
  const owner = configMap('owner', { namespace: 'shop', uid: 'o' });
  const reference = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: 'o',
    controller: true,
    blockOwnerDeletion: true,
  };
  const owned = configMap('owned', { namespace: 'shop', uid: 'w', ownerReferences: [reference] });
  const before = snapshotOf([owner, owned], { observedAt: '2026-01-31T11:00:00Z' });
  const after = snapshotOf([], { observedAt: '2026-01-31T13:00:00Z' });
  const history = historyOf({ before, after });
  const [group, ...others] = deletionsIn(history, anyTime);
  expect([group?.began.cause, group?.objects.map(({ object }) => object.name), others]).toEqual([
    'unknown',
    ['owned', 'owner'],
    [],
  ]);
});

test('of groups of one size the one with data comes first, and of data volumes, claims and Secrets', () => {
  const log = `
    alice deletecollection pods shop/
    bob delete pods shop/a
    carol delete secrets shop/a
    carol delete persistentvolumeclaims shop/b
    dana delete pods shop/x
    dana delete pods shop/y
  `;
  expect(groupsIn(log.trim()).slice(0, 4)).toMatchInlineSnapshot(`
    [
      "request alice: Pod/a unknown might be, Pod/x unknown might be, Pod/y unknown might be, all pods",
      "request carol: Secret/a unknown seen",
      "request carol: PersistentVolumeClaim/b unknown seen",
    ]
  `);
});
