import { expect, test } from 'vitest';
import { historyOf } from '../../../src/history/deletions/history.ts';
import { lifetimesAt } from '../../../src/history/deletions/lifetimes.ts';
import type { RemovalLink } from '../../../src/history/deletions/removal.ts';
import { removalOf } from '../../../src/history/deletions/removal-chain.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { builderOf, configMap, pod, snapshotOf } from '../../support/builders.ts';
import { requestsOf } from './audited-requests.ts';

const pods = { resource: 'pods', namespace: 'shop', name: 'web-1' };

/** `owner seen Pod/web-1 garbage-collector-controller` */
function linkText({ cause, certainty, object, controller, requester }: RemovalLink): string {
  const who = controller ?? requester?.user ?? '';
  return `${cause} ${certainty} ${object.kind}/${object.name} ${who}`.trim();
}

function chainOf(log: string, place = pods, more = {}) {
  const removal = removalOf(historyOf({ requests: requestsOf(log), ...more }), place);
  return removal?.links.map(linkText);
}

const created = `
  deploy create replicasets.apps shop/web uid=r owners=Deployment/web:d
  rs create pods shop/web-1 uid=p owners=ReplicaSet/web:r
`;

test('the garbage collector deletes along owners, up to who deleted the first', () => {
  expect(
    chainOf(`${created}
      alice delete deployments.apps shop/web uid=d
      gc delete replicasets.apps shop/web uid=r
      gc delete pods shop/web-1 uid=p
    `),
  ).toMatchInlineSnapshot(`
    [
      "owner seen Pod/web-1 garbage-collector-controller",
      "owner seen ReplicaSet/web garbage-collector-controller",
      "request seen Deployment/web alice",
    ]
  `);
});

test.each([
  ['a user deletes it', 'alice delete pods shop/web-1', ['request seen Pod/web-1 alice']],
  ['a user evicts it', 'drain create pods/eviction shop/web-1', ['request seen Pod/web-1 drain']],
  [
    'ignores dry runs',
    'bob delete pods shop/web-1 dry=yes\nalice delete pods shop/web-1',
    ['request seen Pod/web-1 alice'],
  ],
  [
    'a user, then a kubelet',
    'alice delete pods shop/web-1\nkubelet delete pods shop/web-1',
    ['request seen Pod/web-1 alice'],
  ],
  ['a kubelet alone', 'kubelet delete pods shop/web-1', ['unknown might be Pod/web-1']],
  [
    "the namespace controller's deletecollection",
    'alice delete namespaces shop\nns deletecollection pods shop/',
    ['namespace might be Pod/web-1 namespace-controller', 'request seen Namespace/shop alice'],
  ],
  [
    'a namespace without requests',
    'alice delete namespaces shop',
    ['namespace might be Pod/web-1 namespace-controller', 'request might be Namespace/shop alice'],
  ],
  ['nothing', 'alice delete pods shop/other', ['unknown might be Pod/web-1']],
  ['a collection', 'alice deletecollection pods shop/', ['request might be Pod/web-1 alice']],
  [
    'a collection, in which a later request shows it',
    'alice deletecollection pods shop/\nkubelet delete pods shop/web-1',
    ['request follows Pod/web-1 alice'],
  ],
  [
    'deletecollection with unknown labels',
    'alice deletecollection pods shop/ selector=app=web',
    ['request might be Pod/web-1 alice'],
  ],
  [
    'collections of two users, each of which can have contained it',
    'alice deletecollection pods shop/ selector=app=web\nbob deletecollection pods shop/ selector=app=api',
    ['unknown might be Pod/web-1'],
  ],
  [
    'two collections of one user',
    'alice deletecollection pods shop/ selector=app=web\nalice deletecollection pods shop/ selector=app=api',
    ['request might be Pod/web-1 alice'],
  ],
  [
    'the collector, without owners',
    'gc delete pods shop/web-1',
    ['collected seen Pod/web-1 garbage-collector-controller', 'unknown might be Pod/web-1'],
  ],
  [
    'deleted twice: the last one counts',
    'alice delete pods shop/web-1 uid=a\nbob create pods shop/web-1 uid=b\nbob delete pods shop/web-1 uid=b',
    ['request seen Pod/web-1 bob'],
  ],
  [
    "a controller's rule",
    'taints delete pods shop/web-1',
    ['controller seen Pod/web-1 taint-eviction-controller', 'unknown might be Pod/web-1'],
  ],
  [
    'a shared account',
    'system:kube-controller-manager delete pods shop/web-1 agent=kube-controller-manager/v1.36.3/pod-garbage-collector',
    ['controller seen Pod/web-1 pod-garbage-collector-controller', 'unknown might be Pod/web-1'],
  ],
  [
    'another account cannot',
    'mallory delete pods shop/web-1 agent=kube-controller-manager/v1.36.3/pod-garbage-collector',
    ['request seen Pod/web-1 mallory'],
  ],
])('%s', (_, log, chain) => {
  expect(chainOf(log)).toEqual(chain);
});

test('a DELETE that removes an object shows that no collection had contained it', () => {
  const log = requestsOf(`alice deletecollection configmaps shop/ selector=app=web
    bob delete secrets shop/owner uid=o
    gc delete configmaps shop/owned`);
  const requests = log.map((one) => ({ ...one, isRemoval: one.verb === 'delete' }));
  const owned = { resource: 'configmaps', namespace: 'shop', name: 'owned' };
  const causes = removalOf(historyOf({ requests }), owned)?.links.map(({ cause }) => cause);
  expect(causes).toEqual(['collected', 'unknown']);
});

test('fewer replicas lead to who changed them', () => {
  expect(
    chainOf(`${created}
      alice patch deployments.apps/scale shop/web uid=d replicas=0
      deploy update replicasets.apps shop/web uid=r replicas=0
      rs delete pods shop/web-1 uid=p
    `),
  ).toMatchInlineSnapshot(`
    [
      "controller seen Pod/web-1 replicaset-controller",
      "controller follows ReplicaSet/web deployment-controller",
      "change follows Deployment/web alice",
    ]
  `);
});

test('the last deleted of two owners counts, and the chain is uncertain if one is missing', () => {
  const both = 'ns create configmaps shop/c uid=c owners=Pod/a:a,Pod/b:b';
  const place = { resource: 'configmaps', namespace: 'shop', name: 'c' };
  const all = `${both}\nbob delete pods shop/a uid=a\nalice delete pods shop/b uid=b\ngc delete configmaps shop/c uid=c`;
  const one = `${both}\nbob delete pods shop/a uid=a\ngc delete configmaps shop/c uid=c`;
  expect([chainOf(all, place), chainOf(one, place)]).toMatchInlineSnapshot(`
    [
      [
        "owner seen ConfigMap/c garbage-collector-controller",
        "request seen Pod/b alice",
      ],
      [
        "owner seen ConfigMap/c garbage-collector-controller",
        "request might be Pod/a bob",
      ],
    ]
  `);
});

test('instances are deleted with their definition, without a request', () => {
  const place = { resource: 'widgets.example.com', namespace: 'shop', name: 'w' };
  const definition = 'customresourcedefinitions.apiextensions.k8s.io';
  expect(
    chainOf(
      `bob create widgets.example.com shop/w uid=w\nalice delete ${definition} widgets.example.com`,
      place,
    ),
  ).toMatchInlineSnapshot(`
    [
      "definition might be widgets.example.com/w",
      "request might be CustomResourceDefinition/widgets.example.com alice",
    ]
  `);
});

test('owners are known from an earlier snapshot', () => {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'r',
    controller: true,
    blockOwnerDeletion: true,
  };
  const before = snapshotOf([
    pod('web-1', { namespace: 'shop', uid: 'p', ownerReferences: [owner] }),
    builderOf('apps/v1', 'ReplicaSet')('web', { namespace: 'shop', uid: 'r' }),
  ]);
  const log = 'alice delete replicasets.apps shop/web\ngc delete pods shop/web-1';
  const removal = removalOf(historyOf({ requests: requestsOf(log), before }), pods);
  expect(removal?.links[0]?.evidence.map(({ kind }) => kind)).toEqual(['audit', 'snapshot']);
  expect(chainOf(log, pods, { before })).toMatchInlineSnapshot(`
    [
      "owner seen Pod/web-1 garbage-collector-controller",
      "request seen ReplicaSet/web alice",
    ]
  `);
});

const twoPods = `
  deploy create replicasets.apps shop/web-1 uid=r owners=Deployment/web:d
  rs create pods shop/ prefix=web-1- owners=ReplicaSet/web-1:r
  rs create pods shop/ prefix=web-1- owners=ReplicaSet/web-1:r
`;
const generated = { ...pods, name: 'web-1-abcde' };

test('creations without a name show the owner of each object whose name begins as they ask', () => {
  const log = `${twoPods}
    alice patch deployments.apps shop/web uid=d replicas=1
    deploy update replicasets.apps shop/web-1 uid=r replicas=1
    rs delete pods shop/web-1-abcde
  `;
  expect(chainOf(log, generated)).toMatchInlineSnapshot(`
    [
      "controller seen Pod/web-1-abcde replicaset-controller",
      "controller might be ReplicaSet/web-1 deployment-controller",
      "change might be Deployment/web alice",
    ]
  `);
});

test.each([
  [
    'another owner',
    'rs create pods shop/ prefix=web-1- owners=ReplicaSet/web-1:other',
    'web-1-abcde',
  ],
  ['another prefix', '', 'web-2-abcde'],
])('creations without a name do not show the owner after one with %s', (_, more, name) => {
  const requests = requestsOf(`${twoPods.trim()}\n${more || 'alice create configmaps shop/a'}`);
  expect(historyOf({ requests }).index.generatedAt({ ...pods, name })).toBeUndefined();
});

test.each([
  ['was created in the second in which the snapshot was read', '2026-01-31T12:00:01Z', ['p']],
  ['was created long before, and another one after it', '2026-01-01T00:00:00Z', ['p', undefined]],
])('an object of a snapshot %s', (_, creationTimestamp, uids) => {
  const log = requestsOf(`alice create pods shop/web-1
    alice delete pods shop/web-1`);
  const late = log.map((one) => ({
    ...one,
    receivedAt: one.receivedAt + 600,
    answeredAt: one.answeredAt + 600,
  }));
  const records = [pod('web-1', { namespace: 'shop', uid: 'p', creationTimestamp })];
  const before = { ...snapshotOf(records), observedAt: '2026-01-31T12:00:01Z' };
  const lifetimes = lifetimesAt(historyOf({ requests: late, before }), pods);
  expect(lifetimes.map(({ record }) => record?.uid)).toEqual(uids);
});

test('two snapshots show that an object was deleted after an instance of a definition that does not exist', () => {
  const owner = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    name: 'w',
    uid: 'w',
    controller: true,
    blockOwnerDeletion: true,
  };
  const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const before = snapshotOf([
    definition('widgets.example.com', { uid: 'd' }),
    configMap('owned', { namespace: 'shop', uid: 'o', ownerReferences: [owner] }),
  ]);
  const place = { resource: 'configmaps', namespace: 'shop', name: 'owned' };
  const removal = removalOf(historyOf({ before, after: snapshotOf([]) }), place);
  expect(removal?.links.map(linkText)).toMatchInlineSnapshot(`
    [
      "owner follows ConfigMap/owned garbage-collector-controller",
      "definition follows Widget/w",
      "unknown might be CustomResourceDefinition/widgets.example.com",
    ]
  `);
});

test('a later deletion by the garbage collector does not explain the deletion of another controller', () => {
  const controlled = { controller: true, blockOwnerDeletion: true };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', ...controlled };
  const before = snapshotOf([
    pod('web-1', { namespace: 'shop', uid: 'p', ownerReferences: [owner] }),
    builderOf('apps/v1', 'ReplicaSet')('web', { namespace: 'shop', uid: 'r' }),
  ]);
  const requests = requestsOf('rs delete pods shop/web-1\nalice delete replicasets.apps shop/web');
  const removal = removalOf(historyOf({ requests, before, after: snapshotOf([]) }), pods);
  expect(removal?.links.map(({ controller, rule }) => [controller, rule])).toEqual([
    ['replicaset-controller', undefined],
  ]);
});

test('an idle garbage collector does not wait: an owner that ended long before is not the whole reason', () => {
  const log = (busy: string) => `
    op create configmaps shop/c uid=c owners=Pod/a:a
    alice delete pods shop/a uid=a
    ${busy}
    bob get pods shop/x
    gc delete configmaps shop/c uid=c
  `;
  const place = { resource: 'configmaps', namespace: 'shop', name: 'c' };
  expect(chainOf(log('bob get pods shop/x'), place)?.at(-1)).toBe('request might be Pod/a alice');
  expect(chainOf(log('gc delete configmaps shop/d uid=d'), place)?.at(-1)).toBe(
    'request seen Pod/a alice',
  );
});

test('clocks of two API servers may differ by two seconds, where the uid shows the owner', () => {
  const place = { resource: 'configmaps', namespace: 'shop', name: 'c' };
  const log = (between: string, uid: string) => `
    op create configmaps shop/c uid=c owners=Pod/a:a
    gc delete configmaps shop/c uid=c
    ${between}
    alice delete pods shop/a ${uid}
  `;
  const last = (text: string) => chainOf(text, place)?.at(-1);
  expect(last(log('bob get pods shop/x', 'uid=a'))).toBe('request seen Pod/a alice');
  const later = 'bob get pods shop/x\nbob get pods shop/x';
  expect(last(log(later, 'uid=a'))).toBe('unknown might be ConfigMap/c');
  expect(last(log('bob get pods shop/x', ''))).toBe('unknown might be ConfigMap/c');
});

test('an owner reference to another uid is the reason, and no owner was deleted', () => {
  const stale = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'old' };
  const owner = { ...stale, controller: true, blockOwnerDeletion: true };
  const before = snapshotOf([
    pod('web-1', { namespace: 'shop', uid: 'p', ownerReferences: [owner] }),
    builderOf('apps/v1', 'ReplicaSet')('web', { namespace: 'shop', uid: 'r' }),
  ]);
  const log = 'gc delete pods shop/web-1';
  expect(chainOf(log, pods, { before })?.[0]).toBe(
    'reference seen Pod/web-1 garbage-collector-controller',
  );
  // A link is published: of the owners, it has the reason alone.
  const removal = removalOf(historyOf({ requests: requestsOf(log), before }), pods);
  expect(Object.keys(removal?.links[0] ?? {}).sort()).toEqual(
    [...'object cause certainty at requester controller rule because evidence'.split(' ')].sort(),
  );
});

test('without a log, only an object of an earlier snapshot was held against the rules', () => {
  const because = (before: Snapshot | undefined) =>
    removalOf(historyOf({ before, after: snapshotOf([]) }), pods)?.links[0]?.because;
  const seen = because(snapshotOf([pod('web-1', { namespace: 'shop', uid: 'p' })]));
  expect(because(undefined)).not.toBe(seen);
});

test('an owner that a snapshot shows is not called missing where a request that was not read may have removed the reference', () => {
  const controlled = { controller: true, blockOwnerDeletion: true };
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', ...controlled };
  const before = {
    ...snapshotOf([
      builderOf('apps/v1', 'ReplicaSet')('web', { namespace: 'shop', uid: 'r' }),
      configMap('data', { namespace: 'shop', uid: 'c', ownerReferences: [set] }),
    ]),
    observedAt: '2026-01-31T11:59:00Z',
  };
  const place = { resource: 'configmaps', namespace: 'shop', name: 'data' };
  const deletion = 'gc delete configmaps shop/data uid=c';
  const namesOwner = (log: string) =>
    removalOf(historyOf({ requests: requestsOf(log), before }), place)?.links[0]?.because.includes(
      'ReplicaSet web',
    );
  expect([
    namesOwner(deletion),
    namesOwner(`rs patch configmaps shop/data uid=c\n${deletion}`),
  ]).toEqual([true, false]);
});

test('an object whose deletion began, and that is still there, remains; one that was created afterwards does not make it so', () => {
  const place = { resource: 'namespaces', namespace: '', name: 'shop' };
  const remains = (uid: string) => {
    const after = {
      ...snapshotOf([builderOf('v1', 'Namespace')('shop', { uid })]),
      observedAt: '2026-01-31T13:00:00Z',
    };
    const requests = requestsOf('alice delete namespaces shop uid=n');
    return removalOf(historyOf({ requests, after }), place)?.remains ?? false;
  };
  expect([remains('n'), remains('other')]).toEqual([true, false]);
});

test('a name says after which owner that was deleted just before, as a guess', () => {
  const set = { resource: 'replicasets.apps', namespace: 'shop', name: 'web-5c6d7f8b9' };
  const named = { resource: 'pods', namespace: 'shop', name: `${set.name}-x2k4l` };
  const log = `
    alice delete deployments.apps shop/web
    gc delete replicasets.apps shop/${set.name}
    gc delete pods shop/${named.name}
  `;
  expect(chainOf(log, named)).toEqual([
    `owner might be Pod/${named.name} garbage-collector-controller`,
    `owner might be ReplicaSet/${set.name} garbage-collector-controller`,
    'request might be Deployment/web alice',
  ]);
});

test('an owner by name is unknown where two were deleted, or the one long before', () => {
  const named = { resource: 'pods', namespace: 'shop', name: 'web-x2k4l' };
  const collected = 'gc delete pods shop/web-x2k4l';
  const later = Array.from({ length: 10 }, () => 'bob patch secrets shop/other').join('\n');
  const unknown = [
    'collected seen Pod/web-x2k4l garbage-collector-controller',
    'unknown might be Pod/web-x2k4l',
  ];
  const two = `alice delete jobs.batch shop/web\nbob delete daemonsets.apps shop/web\n${collected}`;
  expect(chainOf(two, named)).toEqual(unknown);
  expect(chainOf(`alice delete jobs.batch shop/web\n${later}\n${collected}`, named)).toEqual(
    unknown,
  );
});

test('a name leads to the workload whose change its controller might have followed', () => {
  const named = { resource: 'pods', namespace: 'shop', name: 'web-5c6d7f8b9-x2k4l' };
  const log = `
    alice patch deployments.apps shop/web uid=d
    deploy update replicasets.apps shop/web-5c6d7f8b9 uid=r
    rs delete pods shop/${named.name}
  `;
  expect(chainOf(log, named)).toEqual([
    `controller seen Pod/${named.name} replicaset-controller`,
    'controller might be ReplicaSet/web-5c6d7f8b9 deployment-controller',
    'change might be Deployment/web alice',
  ]);
});
