import { expect, test } from 'vitest';
import { historyOf } from '../../../src/history/deletions/history.ts';
import { removalOf } from '../../../src/history/deletions/removal-chain.ts';
import { type ObjectEvent, ReportedEvents } from '../../../src/programs/object-event.ts';
import { builderOf, configMap, pod, snapshotOf } from '../../support/builders.ts';
import { requestsOf } from './audited-requests.ts';

const place = { resource: 'pods', namespace: 'shop', name: 'web-1' };

function event(
  kind: string,
  name: string,
  reason: string,
  message: string,
  reportedBy: string,
): ObjectEvent {
  const about = { kind, namespace: 'shop', name, uid: '' };
  return { about, isWarning: false, reason, message, reportedBy, time: '2026-01-31T12:00:00Z' };
}

function seenOf(...events: ObjectEvent[]) {
  const before = snapshotOf([pod('web-1', { namespace: 'shop', uid: 'p' })], {
    observedAt: '2026-01-31T11:00:00Z',
  });
  const after = snapshotOf([], { observedAt: '2026-01-31T13:00:00Z' });
  const reported = new ReportedEvents();
  for (const one of events) reported.take(one);
  const links = removalOf(historyOf({ before, after, events: reported }), place)?.links ?? [];
  return links.map(({ cause, certainty, controller }) => [cause, certainty, controller]);
}

test.each([
  [
    'its controller reports it',
    event('ReplicaSet', 'web', 'SuccessfulDelete', 'Deleted pod: web-1', 'replicaset-controller'),
    'replicaset-controller',
  ],
  [
    'a taint evicts it',
    event(
      'Pod',
      'web-1',
      'TaintManagerEviction',
      'Marking for deletion Pod shop/web-1',
      'taint-eviction-controller',
    ),
    'taint-eviction-controller',
  ],
  [
    'the scheduler preempts it',
    event(
      'Pod',
      'web-1',
      'Preempted',
      'Preempted by shop/urgent on node worker-1',
      'default-scheduler',
    ),
    'kube-scheduler',
  ],
])('an Event says that %s', (_, told, controller) => {
  expect(seenOf(told)).toEqual([['controller', 'seen', controller]]);
});

test.each([
  [
    'another pod',
    event('ReplicaSet', 'web', 'SuccessfulDelete', 'Deleted pod: web-10', 'replicaset-controller'),
  ],
  [
    'a creation',
    event('ReplicaSet', 'web', 'SuccessfulCreate', 'Created pod: web-1', 'replicaset-controller'),
  ],
])('an Event about %s gives no step', (_, told) => {
  expect(seenOf(told)).toEqual([['unknown', 'might be', undefined]]);
});

test('what a StatefulSet reports of its Pods is no deletion of the StatefulSet', () => {
  const records = [builderOf('apps/v1', 'StatefulSet')('kafka', { namespace: 'shop', uid: 's' })];
  const before = snapshotOf(records, { observedAt: '2026-01-31T11:00:00Z' });
  const after = snapshotOf([], { observedAt: '2026-01-31T13:00:00Z' });
  const events = new ReportedEvents();
  const message = 'delete Pod kafka-1 in StatefulSet kafka successful';
  events.take(event('StatefulSet', 'kafka', 'SuccessfulDelete', message, 'statefulset-controller'));
  const sets = { resource: 'statefulsets.apps', namespace: 'shop', name: 'kafka' };
  const removal = removalOf(historyOf({ before, after, events }), sets);
  expect(removal?.links.map(({ cause }) => cause)).toEqual(['unknown']);
});

const flags = { resource: 'configmaps', namespace: 'shop', name: 'flags' };

function reasonsOf(log: string, time: string) {
  const events = new ReportedEvents();
  const message =
    'ownerRef [apps/v1/Deployment, namespace: shop, name: web, uid: w] does not exist in namespace "shop"';
  const about = { kind: 'ConfigMap', namespace: 'shop', name: 'flags', uid: 'f' };
  const reason = 'OwnerRefInvalidNamespace';
  const reportedBy = 'garbage-collector-controller';
  events.take({ about, isWarning: true, reason, message, reportedBy, time });
  const after = snapshotOf([configMap('other', { namespace: 'shop' })]);
  const history = historyOf({ requests: requestsOf(log), events, after });
  return removalOf(history, flags)?.links.map(({ cause, certainty, requester, evidence }) =>
    [cause, certainty, requester?.user, ...evidence.map(({ kind }) => kind)].join(' '),
  );
}

const collected = `
  bob create configmaps shop/flags uid=f
  gc delete configmaps shop/flags uid=f
`;

test('an Event names the owner that a log without bodies does not, and the log who created the object', () => {
  expect(reasonsOf(collected, '2026-01-31T12:00:02Z')).toEqual([
    'reference seen system:serviceaccount:kube-system:generic-garbage-collector audit event',
    'change might be bob audit',
  ]);
});

test('where the object was deleted long after the Event, another owner might have been deleted', () => {
  expect(reasonsOf(collected, '2026-01-31T11:00:02Z')).toEqual([
    'reference might be system:serviceaccount:kube-system:generic-garbage-collector audit event',
    'change might be bob audit',
  ]);
});

test('who wrote a reference is unknown where a later request can have written it', () => {
  const changed = `
    bob create configmaps shop/flags uid=f
    eve patch configmaps shop/flags uid=f
    gc delete configmaps shop/flags uid=f
  `;
  expect(reasonsOf(changed, '2026-01-31T12:00:03Z')?.at(-1)).toBe('unknown might be ');
});
