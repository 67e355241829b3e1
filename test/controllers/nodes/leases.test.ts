import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { apiServerLease } from '../../../src/controllers/nodes/apiserver-lease.ts';
import { missingNode } from '../../../src/controllers/nodes/missing-node.ts';
import { nodeLease } from '../../../src/controllers/nodes/node-lease.ts';
import { waysToFree, whySilent } from '../../../src/controllers/nodes/silent-node.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
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
import { rowsOf } from '../../support/rows.ts';
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

/** Some API server has answered. */
const living = own('living', renewed(0));

/** From when to when, in seconds, how sure, and why. */
const told = (record: ObjectRecord, types: ResourceTypes = servedTypes) =>
  decide(apiServerLease, [record, living], { types }).map(
    ({ notBefore, notAfter = 0, confidence, because }) =>
      `${(notBefore - now) / 1000} to ${(notAfter - now) / 1000} ${confidence}: ${because}`,
  );

describe('API servers’ Leases that have expired go within an hour (LEASE-5)', () => {
  const rows = rowsOf(`
    expired     | 2   | 3600 |                      | 0 to 3600 certain: it was last renewed at AGO and lasts 3600 seconds
    silent      | 0.5 | 3600 |                      | 1800 to 5400 likely: it was last renewed at AGO and lasts 3600 seconds, unless its API server returns
    just over   | 1   | 3600 |                      | 0 to 3600 likely: it was last renewed at AGO and lasts 3600 seconds, unless its API server returns
    alive       | 0   | 3600 |                      |
    timeless    |     | 3600 |                      | 0 to 3600 certain: it was never renewed
    endless     | 2   |      |                      | 0 to 3600 certain: it has no duration
    elsewhere   | 2   | 3600 | {namespace: default} |
    of a leader | 2   | 3600 | {labels: }           |
    unread      |     |      | {facts: }            |
  `);
  test.each(rows)('%s', (_, hours, seconds, details = '', end = '') => {
    const renewTime = hours ? ago(Number(hours) * hour) : undefined;
    const leaseDurationSeconds = seconds ? Number(seconds) : undefined;
    const changes = Object.entries(parse(details) ?? {}).map(([key, value]) => [
      key,
      value ?? undefined,
    ]);
    const facts = { renewTime, leaseDurationSeconds } as ObjectFacts;
    const record = own('a', facts, Object.fromEntries(changes));
    expect(told(record).join()).toBe(end.replace('AGO', `${renewTime}`));
  });
});

test('the passes of an API server follow its last one, and not the start of the controllers', () => {
  const records = [own('expired', renewed(2 * hour)), living];
  const startedAt = now - hour / 6;
  const lastPasses = new Map([['apiserver-lease', startedAt] as const]);
  expect([
    timed(apiServerLease, records, { memory: { startedAt } }),
    timed(apiServerLease, records, { memory: { lastPasses } }),
  ]).toEqual([[['expired', 0, 3600]], [['expired', 3000, 3060]]]);
});

test('LeaseCandidates go half an hour after their last renewal, in any namespace (LEASE-6)', () => {
  const types = new ResourceTypes([...servedTypes.all, candidates], { exhaustive: true });
  const renewedBefore = (hours: number | undefined) => {
    const facts = hours === undefined ? {} : { renewTime: ago(hours * hour) };
    const record = objectOfType(candidates, 'a', { namespace: 'shop', facts });
    return told(record, types).join();
  };
  const renewals = [1, undefined, 1 / 2, 1 / 6, 1 / 12];
  expect(renewals.map((hours) => renewedBefore(hours)).join('\n')).toMatchInlineSnapshot(`
    "0 to 1800 certain: it was last renewed at 2026-01-31T11:00:00Z
    0 to 1800 certain: it was never renewed
    0 to 1800 likely: it was last renewed at 2026-01-31T11:30:00Z
    1200 to 3000 likely: it was last renewed at 2026-01-31T11:50:00Z
    "
  `);
  expect(told(objectOfType(candidates, 'a', { facts: undefined }), types)).toEqual([]);
  const never = objectOfType(candidates, 'a', { facts: {} });
  const [decision] = decide(apiServerLease, [never, living], { types });
  expect(decision?.rule).toBe('LEASE-6');
  // Nothing that is not renewed is gone while nothing is: the input is of an earlier time.
  expect(decide(apiServerLease, [own('a', renewed(2 * hour))])).toEqual([]);
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

test('objects that refer to a deleted Node', () => {
  const records = [
    node('here'),
    attachment('a', { facts: { attachment: { nodeName: 'here' } } }),
    attachment('b', { facts: { attachment: { nodeName: 'gone' } } }),
    attachment('unread'),
    csiNode('gone'),
    csiNode('owned', { ownerReferences: [ownedBy(node('owned'))] }),
  ];
  const left = missingNode.leftovers?.(viewOf(snapshotOf(records)), now);
  expect(left?.map(({ object }) => `${object.type.kind} ${object.name}`)).toEqual([
    'VolumeAttachment b',
    'CSINode gone',
  ]);
});

test('why a Node is silent, and what frees its pods', () => {
  const ready = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'gone' };
  expect(whySilent(node('w1', { facts: { conditions: [ready] } }))).toBe('NodeStatusUnknown: gone');
  expect([waysToFree('w1'), waysToFree(undefined)].join('\n')).toMatchInlineSnapshot(`
    "Bring node w1 back. If the machine is certainly off, delete the Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.
    Bring the Nodes back. If a machine is certainly off, delete its Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods."
  `);
});
