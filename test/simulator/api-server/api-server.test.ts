import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, ownedByGone, pod, widget } from '../../support/builders.ts';
import { on, type Request, serveAlone } from './api-server-alone.ts';

const priorityClass = builderOf('scheduling.k8s.io/v1', 'PriorityClass');
const namespace = builderOf('v1', 'Namespace');
const hold = 'example.com/hold';

/** By an API server alone. */
function serve(records: readonly ObjectRecord[], ...requests: Request[]) {
  const { replies, objects } = serveAlone(records, ...requests);
  return {
    replies: replies.map(({ code, reason }) => (reason === '' ? code : `${code} ${reason}`)),
    left: objects.map(
      ({ name, deletionTimestamp, deletionGracePeriodSeconds: grace, finalizers }) =>
        [
          name,
          deletionTimestamp ?? 'alive',
          ...(grace === undefined ? [] : [grace]),
          ...finalizers,
        ].join(' '),
    ),
    messages: replies.map(({ message }) => message),
  };
}

const web = configMap('web', { resourceVersion: '7' });
const held = configMap('web', { finalizers: [hold] });

describe('DELETE', () => {
  test('removes what nothing holds', () => {
    expect(serve([web], on(web, 'delete'))).toMatchObject({ replies: [200], left: [] });
  });

  test('only marks what a finalizer holds, and does not touch it again', () => {
    expect(serve([held], on(held, 'delete'), on(held, 'delete', { after: '30m' }))).toMatchObject({
      replies: [200, 200],
      left: [`web 2026-02-01T00:00:00Z 0 ${hold}`],
    });
  });

  test('takes another policy the second time', () => {
    const foreground = on(web, 'delete', { propagationPolicy: 'Foreground' });
    const orphan = on(web, 'delete', { propagationPolicy: 'Orphan' });
    const background = on(web, 'delete', { propagationPolicy: 'Background' });
    expect(serve([web], foreground, orphan).left).toEqual(['web 2026-02-01T00:00:00Z 0 orphan']);
    expect(serve([web], foreground, background).left).toEqual([]);
    expect(serve([held], background, foreground).left).toEqual([
      `web 2026-02-01T00:00:00Z 0 ${hold} foregroundDeletion`,
    ]);
  });

  test('answers 404 for what is not there, or no longer', () => {
    expect(serve([web], on(web, 'delete'), on(web, 'delete'))).toMatchObject({
      replies: [200, '404 NotFound'],
      messages: [undefined, 'configmaps "web" not found'],
    });
    const unserved = on(web, 'delete', { apiVersion: 'v1beta9' });
    expect(serve([web], unserved).replies).toEqual(['404 NotFound']);
  });

  test('keeps to preconditions', () => {
    const withPreconditions = (preconditions: Request) => on(web, 'delete', { preconditions });
    expect(serve([web], withPreconditions({ uid: 'another' }))).toEqual({
      replies: ['409 Conflict'],
      left: ['web alive'],
      messages: [
        `Operation cannot be fulfilled on ConfigMap "web": the UID in the precondition (another) does not match the UID in record (${web.uid}). The object might have been deleted and then recreated`,
      ],
    });
    expect(serve([web], withPreconditions({ resourceVersion: '6' })).replies).toEqual([
      '409 Conflict',
    ]);
    const right = withPreconditions({ uid: web.uid, resourceVersion: '7' });
    expect(serve([web], right).replies).toEqual([200]);
  });

  test('is tried only with dryRun', () => {
    expect(serve([web, held], on(web, 'delete', { dryRun: ['All'] })).left).toContain('web alive');
    const marked = on(held, 'delete', { dryRun: ['All'] });
    expect(serve([held], marked).left).toEqual([`web alive ${hold}`]);
  });

  test('understands orphanDependents, and says 202 when the object stays', () => {
    expect(serve([web], on(web, 'delete', { orphanDependents: true }))).toMatchObject({
      replies: [200],
      left: ['web 2026-02-01T00:00:00Z 0 orphan'],
    });
    expect(serve([web], on(web, 'delete', { orphanDependents: false })).replies).toEqual([200]);
    expect(serve([held], on(held, 'delete', { orphanDependents: false })).replies).toEqual([202]);
    const both = { orphanDependents: true, propagationPolicy: 'Orphan' };
    expect(serve([web], on(web, 'delete', both)).replies).toEqual(['422 Invalid']);
  });

  test('is forbidden for system priority classes and three namespaces', () => {
    const critical = priorityClass('system-node-critical');
    const system = namespace('kube-system');
    expect(serve([critical, system], on(critical, 'delete'), on(system, 'delete'))).toMatchObject({
      replies: ['403 Forbidden', '403 Forbidden'],
      left: ['system-node-critical alive', 'kube-system alive'],
    });
  });

  test('of a collection deletes each, and nothing where the kind has none', () => {
    const other = configMap('other', { labels: { app: 'other' } });
    const collection = { verb: 'deletecollection', apiVersion: 'v1', kind: 'ConfigMap' };
    const labelSelector = 'app=other';
    expect(serve([web, other], { ...collection, namespace: 'shop', labelSelector })).toMatchObject({
      replies: [200],
      left: ['web alive'],
    });
    expect(serve([web, other], { ...collection, namespace: 'elsewhere' }).left).toHaveLength(2);
    expect(serve([web], collection).replies).toEqual(['405 MethodNotAllowed']);
    expect(serve([], { ...collection, kind: 'Namespace' }).replies).toEqual([
      '405 MethodNotAllowed',
    ]);
  });
});

describe('DELETE of a pod', () => {
  const bound = (phase: string) =>
    pod('p', { facts: { nodeName: 'node', phase, terminationGracePeriodSeconds: 60 } });
  const seconds = (gracePeriodSeconds: number, after = '0s') =>
    on(bound('Running'), 'delete', { gracePeriodSeconds, after });
  const plain = (after = '0s') => on(bound('Running'), 'delete', { after });

  test.each<[string, ObjectRecord, Request[], string[]]>([
    ['waits for its own grace period', bound('Running'), [plain()], ['p 2026-02-01T00:01:00Z 60']],
    ['takes a requested one', bound('Running'), [seconds(5)], ['p 2026-02-01T00:00:05Z 5']],
    [
      'takes a negative one as a second',
      bound('Running'),
      [seconds(-3)],
      ['p 2026-02-01T00:00:01Z 1'],
    ],
    ['is immediate with 0', bound('Running'), [seconds(0)], []],
    ['is immediate when it failed', bound('Failed'), [seconds(30)], []],
    [
      'is immediate when it is not bound',
      pod('p', { facts: { nodeName: '', phase: 'Pending' } }),
      [plain()],
      [],
    ],
    [
      'has 30 seconds where none are said',
      pod('p', { facts: { nodeName: 'node' } }),
      [plain()],
      ['p 2026-02-01T00:00:30Z 30'],
    ],
    [
      'is pending when asked again',
      bound('Running'),
      [plain(), plain('10s')],
      ['p 2026-02-01T00:01:00Z 60'],
    ],
    [
      'is pending for a longer period',
      bound('Running'),
      [plain(), seconds(90)],
      ['p 2026-02-01T00:01:00Z 60'],
    ],
    ['can be shortened', bound('Running'), [plain(), seconds(50)], ['p 2026-02-01T00:00:50Z 50']],
    [
      'shortened into the past leaves a second',
      bound('Running'),
      [plain(), seconds(5, '20s')],
      ['p 2026-02-01T00:00:20Z 1'],
    ],
    ['shortened to nothing is immediate', bound('Running'), [plain(), seconds(0, '10s')], []],
  ])('%s', (_, record, requests, left) => {
    expect(serve([record], ...requests).left).toEqual(left);
  });

  test('that is terminating gracefully does not even take a finalizer', () => {
    const foreground = on(bound('Running'), 'delete', { propagationPolicy: 'Foreground' });
    expect(serve([bound('Running')], plain(), foreground).left).toEqual([
      'p 2026-02-01T00:01:00Z 60',
    ]);
  });

  test('goes with its last finalizer only when its grace period is 0', () => {
    const record = { ...bound('Running'), finalizers: [hold] };
    const free = on(record, 'patch', { removeFinalizers: [hold] });
    expect(serve([record], plain(), free).left).toEqual(['p 2026-02-01T00:01:00Z 60']);
    expect(serve([record], plain(), seconds(0), free).left).toEqual([]);
  });
});

describe('PATCH and PUT', () => {
  const terminating = configMap('web', { deleting: 'background', finalizers: [hold] });

  test.each<[string, Request]>([
    ['merge', { patch: { metadata: { finalizers: null } } }],
    [
      'strategic',
      {
        patchType: 'strategic',
        patch: { metadata: { '$deleteFromPrimitiveList/finalizers': [hold] } },
      },
    ],
    ['json', { patchType: 'json', patch: [{ op: 'remove', path: '/metadata/finalizers/0' }] }],
    ['by name', { removeFinalizers: [hold] }],
  ])('that take the last finalizer off a terminating object remove it: %s', (_, patch) => {
    expect(serve([terminating], on(terminating, 'patch', patch))).toMatchObject({
      replies: [200],
      left: [],
    });
  });

  test('may not add a finalizer to a terminating object', () => {
    const patch = { metadata: { finalizers: [hold, 'example.com/new'] } };
    expect(serve([terminating], on(terminating, 'patch', { patch }))).toMatchObject({
      replies: ['422 Invalid'],
      messages: [
        'ConfigMap "web" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}',
      ],
    });
  });

  test.each<[string, unknown]>([
    ['without a kind', [{ apiVersion: 'v1', name: 'x', uid: 'u' }]],
    ['without a version', [{ apiVersion: '', kind: 'Pod', name: 'x', uid: 'u' }]],
    ['with two slashes', [{ apiVersion: 'a/b/c', kind: 'Pod', name: 'x', uid: 'u' }]],
    ['to a core Event', [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }]],
    [
      'to two controllers',
      ['a', 'b'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        name,
        uid: name,
        controller: true,
      })),
    ],
  ])('are refused with a reference %s', (_, ownerReferences) => {
    const patch = { metadata: { ownerReferences } };
    expect(serve([web], on(web, 'patch', { patch })).replies).toEqual(['422 Invalid']);
  });

  test('are refused with both finalizers of the collector, or a stale resourceVersion', () => {
    const both = { metadata: { finalizers: ['orphan', 'foregroundDeletion'] } };
    expect(serve([web], on(web, 'patch', { patch: both })).replies).toEqual(['422 Invalid']);
    const stale = { metadata: { resourceVersion: '6', finalizers: [hold] } };
    expect(serve([web], on(web, 'update', { object: stale })).replies).toEqual(['409 Conflict']);
  });

  test('cannot be strategic for custom resources', () => {
    const custom = widget('w', { finalizers: [hold] });
    const patch = { patchType: 'strategic', patch: { metadata: { finalizers: [] } } };
    expect(serve([custom], on(custom, 'patch', patch)).replies).toEqual([
      '415 UnsupportedMediaType',
    ]);
  });

  test('drop exact duplicates of a reference, and keep the same uid with any difference', () => {
    const reference = ownedByGone('v1 ConfigMap x');
    const plain = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: reference.uid };
    const ownerReferences = [plain, plain, { ...plain, name: 'y' }];
    const { objects } = serveAlone(
      [web],
      on(web, 'patch', { patch: { metadata: { ownerReferences } } }),
    );
    expect(objects[0]?.ownerReferences.map(({ name }) => name)).toEqual(['x', 'y']);
  });

  test('create and replace', () => {
    const made = on(configMap('new'), 'create', { object: { metadata: { name: 'new' } } });
    expect(serve([web], made, made).replies).toEqual([201, '409 AlreadyExists']);
    const object = { metadata: { finalizers: [hold] } };
    expect(serve([web], on(web, 'update', { object })).left).toEqual([`web alive ${hold}`]);
  });
});
