import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, pod, widget } from '../../support/builders.ts';
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

  test('is tried only with dryRun', () => {
    expect(serve([web, held], on(web, 'delete', { dryRun: ['All'] })).left).toContain('web alive');
    const marked = on(held, 'delete', { dryRun: ['All'] });
    expect(serve([held], marked).left).toEqual([`web alive ${hold}`]);
  });

  test('says 202 when the object stays with orphanDependents: false', () => {
    expect(serve([web], on(web, 'delete', { orphanDependents: false })).replies).toEqual([200]);
    expect(serve([held], on(held, 'delete', { orphanDependents: false })).replies).toEqual([202]);
  });

  test('is forbidden for system priority classes and three namespaces, not for what has their names', () => {
    const critical = priorityClass('system-node-critical');
    const system = namespace('kube-system');
    const others = [critical, system].map(({ name }) => configMap(name));
    const all = [critical, system, priorityClass('own'), ...others];
    expect(serve(all, ...all.map((record) => on(record, 'delete')))).toMatchObject({
      replies: ['403 Forbidden', '403 Forbidden', 200, 200, 200],
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

test('DELETE of a pod that is terminating gracefully does not even take a finalizer', () => {
  const running = pod('p', {
    facts: { nodeName: 'node', phase: 'Running', terminationGracePeriodSeconds: 60 },
  });
  const plain = on(running, 'delete');
  const foreground = on(running, 'delete', { propagationPolicy: 'Foreground' });
  expect(serve([running], plain, foreground).left).toEqual(['p 2026-02-01T00:01:00Z 60']);
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
  ])('that remove the last finalizer delete it: %s', (_, patch) => {
    expect(serve([terminating], on(terminating, 'patch', patch))).toMatchObject({
      replies: [200],
      left: [],
    });
  });

  test('cannot be strategic for custom resources', () => {
    const custom = widget('w', { finalizers: [hold] });
    const patch = { patchType: 'strategic', patch: { metadata: { finalizers: [] } } };
    expect(serve([custom], on(custom, 'patch', patch)).replies).toEqual([
      '415 UnsupportedMediaType',
    ]);
  });

  test('are refused with a stale resourceVersion', () => {
    const stale = { metadata: { resourceVersion: '6', finalizers: [hold] } };
    expect(serve([web], on(web, 'update', { object: stale })).replies).toEqual(['409 Conflict']);
    const preconditions = { resourceVersion: '6' };
    expect(serve([web], on(web, 'delete', { preconditions })).replies).toEqual(['409 Conflict']);
  });

  test('create and replace', () => {
    const made = on(configMap('new'), 'create', { object: { metadata: { name: 'new' } } });
    expect(serve([web], made, made).messages[1]).toBe('configmaps "new" already exists');
    expect(
      serve([terminating], { ...made, name: 'web', object: { metadata: { name: 'web' } } }),
    ).toMatchObject({
      replies: ['409 AlreadyExists'],
      messages: ['object is being deleted: configmaps "web" already exists'],
    });
    const object = { metadata: { finalizers: [hold] } };
    expect(serve([web], on(web, 'update', { object })).left).toEqual([`web alive ${hold}`]);
  });
});
