import { describe, expect, test } from 'vitest';
import { event, lines, readText } from './audit-events.ts';

/** What is kept of one event with these fields. */
async function keptOf(fields: object) {
  const { requests, problems } = await readText(lines(event(fields)));
  expect(problems).toEqual([]);
  return requests[0];
}

const options = (fields: object) => ({ requestObject: { kind: 'DeleteOptions', ...fields } });
const uri = (query: string) => ({ requestURI: `/api/v1/namespaces/shop/pods/web-1?${query}` });

describe('of a request', () => {
  test.each<[string, object, object]>([
    [
      'the propagationPolicy',
      options({ propagationPolicy: 'Orphan' }),
      { propagationPolicy: 'Orphan' },
    ],
    [
      'what the guard noted',
      {
        annotations: {
          'guard.kubectl-gc.io/verdict': 'approved',
          'guard.kubectl-gc.io/objects': '3',
          'guard.kubectl-gc.io/kinds': '2 Pods, 1 ReplicaSet',
        },
      },
      { guard: { verdict: 'approved', objects: '3', kinds: '2 Pods, 1 ReplicaSet' } },
    ],
    [
      'orphanDependents as the policy Orphan',
      options({ orphanDependents: true }),
      { propagationPolicy: 'Orphan' },
    ],
    [
      'no policy for orphanDependents: false',
      options({ orphanDependents: false }),
      { propagationPolicy: undefined },
    ],
    [
      'no invalid propagationPolicy',
      options({ propagationPolicy: 'All' }),
      { propagationPolicy: undefined },
    ],
    [
      'the policy in its URI',
      uri('propagationPolicy=Background'),
      { propagationPolicy: 'Background' },
    ],
    ['that it is dry, from its URI', uri('fieldManager=x&dryRun=All'), { isDryRun: true }],
    ['that it is dry, from its options', options({ dryRun: ['All'] }), { isDryRun: true }],
    [
      'the selectors of deletecollection',
      uri('labelSelector=app%3Dweb%2Ctier+in+%28a%29&fieldSelector=spec.nodeName%3Dn1'),
      { labelSelector: 'app=web,tier in (a)', fieldSelector: 'spec.nodeName=n1' },
    ],
    [
      'both impersonation users',
      { impersonatedUser: { username: 'robot' } },
      { user: 'jane@example.com', impersonated: 'robot' },
    ],
    ['no omitted user', { user: undefined }, { user: '' }],
    ['status 0 without a responseStatus', { responseStatus: undefined }, { status: 0 }],
    [
      "its reference's uid",
      {
        objectRef: { resource: 'pods', name: 'a', uid: 'u1' },
        ...options({ preconditions: { uid: 'u2' } }),
      },
      { uid: 'u1' },
    ],
    [
      "its precondition's uid",
      { ...options({ preconditions: { uid: 'u2' } }), responseObject: { metadata: { uid: 'u3' } } },
      { uid: 'u2' },
    ],
    [
      "its response's uid",
      { responseObject: { kind: 'Pod', metadata: { uid: 'u3' } } },
      { uid: 'u3' },
    ],
    [
      'the uid in a Status',
      { responseObject: { kind: 'Status', details: { name: 'a', uid: 'u4' } } },
      { uid: 'u4', body: undefined },
    ],
    [
      "its patch's uid",
      { verb: 'patch', requestObject: { metadata: { uid: 'u5' } } },
      { uid: 'u5' },
    ],
    [
      'the generated name',
      {
        verb: 'create',
        objectRef: { resource: 'pods', namespace: 'shop' },
        responseObject: { metadata: { name: 'web-x7' } },
      },
      { name: 'web-x7' },
    ],
    [
      'no namespace of a Namespace',
      { objectRef: { resource: 'namespaces', namespace: 'shop', name: 'shop' } },
      { namespace: '', name: 'shop' },
    ],
    [
      "an eviction's options",
      {
        verb: 'create',
        objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'shop', name: 'web-1' },
        requestObject: {
          kind: 'Eviction',
          deleteOptions: { dryRun: ['All'], preconditions: { uid: 'u6' } },
        },
      },
      { subresource: 'eviction', uid: 'u6', isDryRun: true, body: undefined },
    ],
    [
      'microseconds',
      { stageTimestamp: '2026-11-28T09:30:00.123456Z' },
      { answeredAt: Date.parse('2026-11-28T09:30:00.123Z') + 0.456 },
    ],
    [
      'a time with offset',
      { stageTimestamp: '2026-11-28T10:30:00+01:00' },
      { answeredAt: Date.parse('2026-11-28T09:30:00Z') },
    ],
    [
      'its first time alone',
      { stageTimestamp: undefined },
      { answeredAt: Date.parse('2026-11-28T09:30:00Z') + 0.25 },
    ],
  ])('is kept %s', async (_, fields, expected) => {
    expect(await keptOf(fields)).toMatchObject(expected);
  });

  test('no body, group or extra of a user is kept', async () => {
    const secret = { kind: 'Secret', metadata: { name: 'x' }, data: { password: 'aHVudGVyMg==' } };
    const kept = await keptOf({
      verb: 'create',
      user: { username: 'jane', groups: ['aHVudGVyMg=='], extra: { a: ['aHVudGVyMg=='] } },
      requestObject: secret,
      responseObject: secret,
    });
    expect(JSON.stringify(kept)).not.toContain('aHVudGVyMg');
  });
});

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u9' };
const owned = { ownerReferences: [{ ...owner, controller: true }] };
const unknown = { owners: undefined, finalizers: undefined, replicas: undefined };

describe('of the bodies of a request', () => {
  test.each<[string, object, object | undefined]>([
    [
      'a creation has all, or has none',
      { verb: 'create', requestObject: { metadata: owned, spec: { replicas: 3 } } },
      {
        owners: [{ ...owner, controller: true }],
        finalizers: [],
        replicas: 3,
        isBeingDeleted: undefined,
      },
    ],
    [
      'response before request',
      {
        verb: 'update',
        requestObject: { metadata: { finalizers: ['a/b'] } },
        responseObject: {
          metadata: { finalizers: ['c/d'], deletionTimestamp: '2026-11-28T09:30:00Z' },
        },
      },
      { finalizers: ['c/d'], isBeingDeleted: true },
    ],
    [
      'an answer without deletionTimestamp is not being deleted',
      { responseObject: { kind: 'Pod', metadata: {} } },
      { isBeingDeleted: false, finalizers: [], owners: [] },
    ],
    ['DeleteOptions alone', options({}), undefined],
    [
      'an omitted body',
      { verb: 'update', requestObject: 'skipped-too-big-size-object' },
      { ...unknown },
    ],
    [
      'a list',
      { verb: 'deletecollection', responseObject: { kind: 'PodList', metadata: {}, items: [] } },
      undefined,
    ],
    [
      'merge patch',
      { verb: 'patch', requestObject: { metadata: { finalizers: ['a/b'] } } },
      { ...unknown, finalizers: ['a/b'] },
    ],
    [
      'merge patch, null',
      { verb: 'patch', requestObject: { metadata: { finalizers: null, ownerReferences: null } } },
      { finalizers: [], owners: [] },
    ],
    [
      'merge patch, labels',
      { verb: 'patch', requestObject: { metadata: { labels: {} } } },
      { ...unknown },
    ],
    [
      'strategic patch, last finalizer',
      {
        verb: 'patch',
        requestObject: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a/b'] } },
      },
      { finalizers: [] },
    ],
    [
      'strategic patch, one finalizer',
      {
        verb: 'patch',
        requestObject: {
          metadata: {
            '$deleteFromPrimitiveList/finalizers': ['a/b'],
            '$setElementOrder/finalizers': ['c/d'],
          },
        },
      },
      { finalizers: ['c/d'] },
    ],
    [
      'strategic patch, one owner',
      {
        verb: 'patch',
        requestObject: { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'u9' }] } },
      },
      { ...unknown },
    ],
    [
      'JSON patch, replicas and finalizers',
      {
        verb: 'patch',
        requestObject: [
          { op: 'replace', path: '/spec/replicas', value: 0 },
          { op: 'remove', path: '/metadata/finalizers' },
        ],
      },
      { ...unknown, replicas: 0, finalizers: [] },
    ],
    [
      'JSON patch, one entry',
      { verb: 'patch', requestObject: [{ op: 'remove', path: '/metadata/finalizers/0' }, null, 7] },
      { ...unknown },
    ],
    [
      'a Scale',
      {
        verb: 'update',
        objectRef: { resource: 'deployments', apiGroup: 'apps', subresource: 'scale', name: 'web' },
        requestObject: { kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 0 } },
      },
      { ...unknown, replicas: 0 },
    ],
  ])('%s', async (_, fields, expected) => {
    const kept = await keptOf(fields);
    if (expected === undefined) expect(kept?.body).toBeUndefined();
    else expect(kept?.body).toMatchObject(expected);
  });
});
