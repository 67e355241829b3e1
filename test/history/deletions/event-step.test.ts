import { expect, test } from 'vitest';
import { historyOf } from '../../../src/history/deletions/history.ts';
import { removalOf } from '../../../src/history/deletions/removal-chain.ts';
import { type ObjectEvent, ReportedEvents } from '../../../src/kube/object-event.ts';
import { builderOf, pod, snapshotOf } from '../../support/builders.ts';

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
