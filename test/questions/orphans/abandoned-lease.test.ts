import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { abandonedLeasesIn } from '../../../src/questions/orphans/abandoned-lease.ts';
import { builderOf, node, pod, type SnapshotOptions, snapshotOf } from '../../support/builders.ts';

/** The clock is at 2026-01-03T00:00:00Z. */
const old = '2026-01-02T20:00:00.000000Z';
const leader = builderOf('coordination.k8s.io/v1', 'Lease');
const lease = (facts: ObjectRecord['facts'], details: Partial<ObjectRecord> = {}) =>
  leader('operator-lock', { ...details, facts });
const heldBy = (holderIdentity: string, renewTime = old) =>
  lease({ holderIdentity, renewTime, leaseDurationSeconds: 15 });

function isAbandoned(
  one: ObjectRecord,
  others: readonly ObjectRecord[] = [],
  options: SnapshotOptions = {},
): boolean {
  return abandonedLeasesIn(snapshotOf([one, ...others], options))(one) !== undefined;
}

test('a Lease is abandoned once its holder was deleted, and it was not renewed for an hour', () => {
  expect(isAbandoned(heldBy('operator-7d9-x2_6f0c'))).toBe(true);
  expect(isAbandoned(heldBy('operator-7d9-x2'))).toBe(true);
});

test.each<[string, ObjectRecord, readonly ObjectRecord[], SnapshotOptions?]>([
  ['whose holder is a Pod', heldBy('operator-a_1'), [pod('operator-a')]],
  ['whose holder is a Node', heldBy('worker-1_1'), [node('worker-1')]],
  ['that was renewed lately', heldBy('operator-a_1', '2026-01-02T23:30:00.000000Z'), []],
  ['without a holder', heldBy(''), []],
  [
    'of a kubelet',
    lease({ holderIdentity: 'gone', renewTime: old }, { namespace: 'kube-node-lease' }),
    [],
  ],
  ['in a namespace whose Pods were not read', heldBy('operator-a_1'), [], { unread: ['pods'] }],
  ['in a cluster whose Nodes were not read', heldBy('operator-a_1'), [], { unread: ['nodes'] }],
  [
    'in files that show no time',
    heldBy('operator-a_1'),
    [],
    { origin: { kind: 'files', paths: [] } },
  ],
])('a Lease %s is not abandoned', (_, one, others, options) => {
  expect(isAbandoned(one, others, options)).toBe(false);
});
