import { expect, test } from 'vitest';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import { isLeaseValid, memoryFromLease, readingTime } from '../../src/controllers/leader-lease.ts';
import { builderOf, snapshotOf } from '../support/builders.ts';

const renewed = Date.parse('2026-01-03T00:00:00Z');
const renewTime = '2026-01-03T00:00:00.000000Z';

test.each([
  ['at once', { renewTime, leaseDurationSeconds: 15 }, 0, 0, true],
  ['just before its duration is over', { renewTime, leaseDurationSeconds: 15 }, 14_999, 0, true],
  [
    'at its end, as others may lead from then on',
    { renewTime, leaseDurationSeconds: 15 },
    15_000,
    0,
    false,
  ],
  ['by its own duration', { renewTime, leaseDurationSeconds: 60 }, 59_999, 0, true],
  [
    'after its release, which asks for one second',
    { renewTime, leaseDurationSeconds: 1 },
    1_000,
    0,
    false,
  ],
  ['without a duration, by the usual one', { renewTime }, 14_999, 0, true],
  ['with time to read', { renewTime, leaseDurationSeconds: 15 }, 59_999, readingTime, true],
  ['after that', { renewTime, leaseDurationSeconds: 15 }, 60_000, readingTime, false],
  ['never renewed', { leaseDurationSeconds: 15 }, 0, 0, false],
  ['renewed at no time', { renewTime: '', leaseDurationSeconds: 15 }, 0, readingTime, false],
])('a Lease %s', (_, lease, after, allowance, isValid) => {
  expect(isLeaseValid(lease, renewed + after, allowance)).toBe(isValid);
});

test('a leader remembers from when it began to lead, where its Lease is valid (KCM-7)', () => {
  const lease = (facts: object | undefined, name = 'kube-controller-manager') =>
    builderOf('coordination.k8s.io/v1', 'Lease')(name, { namespace: 'kube-system', facts });
  const memoryOf = (...records: ReturnType<typeof lease>[]) =>
    memoryFromLease(viewOf(snapshotOf(records)), renewed + 5000);
  const acquireTime = '2026-01-02T00:00:00.000000Z';
  const held = { acquireTime, renewTime, leaseDurationSeconds: 15 };
  expect([
    memoryOf(lease(held)),
    memoryOf(lease({ ...held, leaseDurationSeconds: 5 })),
    memoryOf(lease({ renewTime, leaseDurationSeconds: 15 })),
    memoryOf(lease(undefined)),
    memoryOf(lease(held, 'kube-scheduler')),
    memoryOf(),
  ]).toEqual([{ startedAt: Date.parse(acquireTime) }, {}, {}, {}, {}, {}]);
});
