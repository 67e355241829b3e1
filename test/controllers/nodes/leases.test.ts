import { expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { apiServerLease } from '../../../src/controllers/nodes/apiserver-lease.ts';
import { missingNode } from '../../../src/controllers/nodes/missing-node.ts';
import { nodeLease } from '../../../src/controllers/nodes/node-lease.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  builderOf,
  customType,
  type Details,
  node,
  objectOfType,
  ownedBy,
  servedTypes,
  snapshotOf,
} from '../../support/builders.ts';
import { ago, decide, hour, now, timed } from '../decided.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const candidates = customType('leasecandidates.coordination.k8s.io/v1beta1 LeaseCandidate');
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

test('the reason is what the Lease lacks, or when it was renewed', () => {
  const records = [
    own('expired', renewed(2 * hour)),
    own('silent', renewed(hour / 2)),
    own('timeless', { leaseDurationSeconds: 3600 }),
    own('endless', { renewTime: ago(2 * hour) }),
  ];
  expect(decide(apiServerLease, records).map(({ because }) => because)).toEqual([
    `it was last renewed at ${ago(2 * hour)} and lasts 3600 seconds`,
    `it was last renewed at ${ago(hour / 2)} and lasts 3600 seconds, unless its API server comes back`,
    'it was never renewed',
    'it has no duration',
  ]);
});

test('the passes of an API server follow its last one, and not the start of the controllers', () => {
  const records = [own('expired', renewed(2 * hour))];
  const startedAt = now - hour / 6;
  const lastPasses = new Map([['apiserver-lease', startedAt] as const]);
  expect([
    timed(apiServerLease, records, { memory: { startedAt } }),
    timed(apiServerLease, records, { memory: { lastPasses } }),
  ]).toEqual([[['expired', 0, 3600]], [['expired', 3000, 3060]]]);
});

test('LeaseCandidates go half an hour after their last renewal, in any namespace (LEASE-6)', () => {
  const at = (name: string, facts: ObjectFacts | undefined) =>
    objectOfType(candidates, name, { namespace: 'shop', facts });
  const types = new ResourceTypes([...servedTypes.all, candidates], { exhaustive: true });
  const records = [
    at('expired', { renewTime: ago(hour) }),
    at('never', {}),
    at('silent', { renewTime: ago(hour / 6) }),
    at('alive', { renewTime: ago(hour / 12) }),
    at('unread', undefined),
  ];
  expect(timed(apiServerLease, records, { types })).toEqual([
    ['expired', 0, 1800],
    ['never', 0, 1800],
    ['silent', 1200, 3000],
  ]);
  expect(
    decide(apiServerLease, records, { types }).map(({ confidence, because, rule }) => [
      confidence,
      because,
      rule,
    ]),
  ).toEqual([
    ['certain', `it was last renewed at ${ago(hour)}`, 'LEASE-6'],
    ['certain', 'it was never renewed', 'LEASE-6'],
    ['likely', `it was last renewed at ${ago(hour / 6)}`, 'LEASE-6'],
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
