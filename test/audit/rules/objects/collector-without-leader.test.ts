import { expect, test } from 'vitest';
import { collectorWithoutLeader } from '../../../../src/audit/rules/garbage-collector.ts';
import { builderOf, type Details } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const manager = (renewTime: string, more: Details['facts'] = {}) =>
  lease('kube-controller-manager', {
    namespace: 'kube-system',
    facts: { holderIdentity: 'control-1', leaseDurationSeconds: 15, renewTime, ...more },
  });
const kubelet = (renewTime: string) =>
  lease('worker-1', { namespace: 'kube-node-lease', facts: { renewTime } });
const files = { origin: { kind: 'files', paths: ['leases.yaml'] } } as const;

test.each([
  ['control-1', 'it is still held by control-1'],
  ['', 'no instance holds it'],
])('nobody renews its Lease, holder "%s"', (holderIdentity, who) => {
  const records = [manager('2026-01-02T22:00:00.000000Z', { holderIdentity })];
  expect(violationsOf(collectorWithoutLeader, records)).toEqual([
    {
      at: 'Lease kube-controller-manager',
      message: `kube-controller-manager last renewed its Lease 120m before; ${who}`,
      command: 'kubectl get pods -n kube-system -l component=kube-controller-manager',
      confidence: 'likely',
    },
  ]);
});

test('in a file, the other Leases tell what time it was', () => {
  const old = manager('2025-12-01T00:00:00.000000Z');
  expect(violationsOf(collectorWithoutLeader, [old], files)).toEqual([]);
  const same = [old, kubelet('2025-12-01T00:00:05.000000Z')];
  expect(violationsOf(collectorWithoutLeader, same, files)).toEqual([]);
  const later = [old, kubelet('2025-12-01T00:05:00.000000Z')];
  expect(violationsOf(collectorWithoutLeader, later, files)).toMatchObject([
    { message: expect.stringContaining('last renewed its Lease 5m before') },
  ]);
});

test.each([
  ['it is renewed', [manager('2026-01-02T23:59:55.000000Z')]],
  ['a renewal or two is missing', [manager('2026-01-02T23:59:10.000000Z')]],
  ['there is no such Lease', [kubelet('2026-01-02T22:00:00.000000Z')]],
])('not when %s', (_, records) => {
  expect(violationsOf(collectorWithoutLeader, records)).toEqual([]);
});

test('metadata alone does not tell', () => {
  const bare = lease('kube-controller-manager', { namespace: 'kube-system' });
  expect(violationsOf(collectorWithoutLeader, [bare])).toEqual([
    { notChecked: 1, because: 'only metadata of its Lease was read' },
  ]);
});
