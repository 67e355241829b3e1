import { expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { memoryFromLease } from '../../../src/controllers/leader-lease.ts';
import { apiServerLease } from '../../../src/controllers/nodes/apiserver-lease.ts';
import { missingNode } from '../../../src/controllers/nodes/missing-node.ts';
import { nodeLease } from '../../../src/controllers/nodes/node-lease.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, node, ownedBy, snapshotOf } from '../../support/builders.ts';
import { ago, decide, hour, now, timed } from '../decided.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const attachment = builderOf('storage.k8s.io/v1', 'VolumeAttachment');
const csiNode = builderOf('storage.k8s.io/v1', 'CSINode');
const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
const renewed = (ms: number, duration: number | undefined = 3600): ObjectFacts => ({
  renewTime: ago(ms),
  ...(duration !== undefined && { leaseDurationSeconds: duration }),
});

function own(name: string, facts: ObjectFacts, details: Details = {}) {
  return lease(name, { namespace: 'kube-system', labels, facts, ...details });
}

test('API servers’ Leases that have expired go within an hour (LEASE-5)', () => {
  const records = [
    own('expired', renewed(2 * hour)),
    own('alive', renewed(5000)),
    own('silent', renewed(hour / 2)),
    own('timeless', { leaseDurationSeconds: 3600 }),
    own('endless', { renewTime: ago(2 * hour) }),
    own('elsewhere', renewed(2 * hour), { namespace: 'default' }),
    own('leader', renewed(2 * hour), { labels: undefined }),
  ];
  expect(timed(apiServerLease, records)).toEqual([
    ['expired', 0, 3600],
    ['silent', 1800, 5400],
    ['timeless', 0, 3600],
    ['endless', 0, 3600],
  ]);
  expect(decide(apiServerLease, records).map(({ confidence }) => confidence)).toEqual([
    'certain',
    'likely',
    'certain',
    'certain',
  ]);
});

test('nodes’ Leases without an owner and a Node are not deleted (LEASE-3)', () => {
  const inLeases = { namespace: 'kube-node-lease' };
  const records = [
    node('here'),
    lease('here', inLeases),
    lease('gone', { ...inLeases, facts: { renewTime: ago(hour) } }),
    lease('owned', { ...inLeases, ownerReferences: [ownedBy(node('owned'))] }),
  ];
  const left = (options = {}) =>
    nodeLease.leftovers?.(viewOf(snapshotOf(records, options)), now).map(({ because }) => because);
  expect([left(), left({ unread: ['nodes'] })]).toEqual([
    [`Node gone does not exist, and the Lease has no owner; it was last renewed ${ago(hour)}`],
    [],
  ]);
});

test('what is tied to a Node that is gone', () => {
  const records = [
    node('here'),
    attachment('a', { facts: { attachment: { nodeName: 'here' } } }),
    attachment('b', { facts: { attachment: { nodeName: 'gone' } } }),
    csiNode('gone'),
    csiNode('owned', { ownerReferences: [ownedBy(node('owned'))] }),
  ];
  const left = missingNode.leftovers?.(viewOf(snapshotOf(records)), now);
  expect(left?.map(({ object }) => `${object.type.kind} ${object.name}`)).toEqual([
    'VolumeAttachment b',
    'CSINode gone',
  ]);
});

test('the leader’s Lease tells since when all memory is new, while it is renewed (KCM-7)', () => {
  const of = (ms: number) => {
    const facts = { ...renewed(ms, 15), acquireTime: ago(hour) };
    const leader = lease('kube-controller-manager', { namespace: 'kube-system', facts });
    return memoryFromLease(viewOf(snapshotOf([leader])), now);
  };
  expect([of(2000), of(60_000), memoryFromLease(viewOf(snapshotOf([])), now)]).toEqual([
    { startedAt: now - hour },
    {},
    {},
  ]);
});
