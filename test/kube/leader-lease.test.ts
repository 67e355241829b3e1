import { expect, test } from 'vitest';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import { memoryFromLease } from '../../src/controllers/decision.ts';
import { isLeaseValid, readingTime } from '../../src/kube/leader-lease.ts';
import { builderOf, snapshotOf } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

const renewed = Date.parse('2026-01-03T00:00:00Z');
const renewTime = '2026-01-03T00:00:00.000000Z';

/** Its duration, how long after its renewal that is asked, in milliseconds, and whether there is time to read. */
const rows = rowsOf(`
  at once                                           | 15 | 0      |      | valid
  just before its duration is over                  | 15 | 14_999 |      | valid
  at its end, as others may lead from then on       | 15 | 15_000 |      | over
  by its own duration                               | 60 | 59_999 |      | valid
  after its release, which asks for one second      | 1  | 1_000  |      | over
  without a duration, by the usual one              |    | 14_999 |      | valid
  with time to read                                 | 15 | 59_999 | read | valid
  after that                                        | 15 | 60_000 | read | over
`);
test.each(rows)('a Lease %s', (_, duration = '', after = '', allowance, end) => {
  const lease = { renewTime, ...(duration && { leaseDurationSeconds: Number(duration) }) };
  const at = renewed + Number(after.replace('_', ''));
  expect(isLeaseValid(lease, at, allowance ? readingTime : 0)).toBe(end === 'valid');
});

test('a Lease that was never renewed, or at no time', () => {
  expect([{}, { renewTime: '' }].map((lease) => isLeaseValid(lease, 0, readingTime))).toEqual([
    false,
    false,
  ]);
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
