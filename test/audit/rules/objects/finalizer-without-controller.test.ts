import { expect, test } from 'vitest';
import { finalizerWithoutController } from '../../../../src/audit/rules/stuck-objects.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import { configMap, deployment, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const queue = configMap('queue', { finalizers: ['example.com/other', 'finalizer.keda.sh'] });
const operator = (facts: ObjectRecord['facts']) => deployment('keda-operator', { facts });
const protects =
  'it protects the autoscaler and the scale of the workload that a ScaledObject changed';
const command = `kubectl patch configmap/queue -n shop --type=json -p '[{"op":"test","path":"/metadata/finalizers/1","value":"finalizer.keda.sh"},{"op":"remove","path":"/metadata/finalizers/1"}]'`;

test('no workload looks like its controller', () => {
  expect(
    violationsOf(finalizerWithoutController, [
      queue,
      deployment('web', { facts: { replicas: 1 } }),
    ]),
  ).toEqual([
    {
      at: 'ConfigMap queue',
      message: `finalizer.keda.sh is removed by the KEDA operator, and no Deployment, StatefulSet, DaemonSet or Pod looks like it; ${protects}`,
      command,
      confidence: 'likely',
    },
  ]);
});

test.each([
  ['a workload', deployment('web')],
  ['a pod', pod('web')],
])('it may be %s of which only metadata was read: its image was not', (_, bare) => {
  expect(violationsOf(finalizerWithoutController, [queue, bare])).toEqual([
    { notChecked: 1, because: 'of workloads or pods only metadata was read' },
  ]);
});

test.each([
  ['no pod of it is ready', { observedGeneration: 1, availableReplicas: 0 }, 'has no ready pod'],
  ['it is scaled to nothing', { replicas: 0 }, 'is scaled to 0'],
])('%s', (_, facts, how) => {
  expect(violationsOf(finalizerWithoutController, [queue, operator(facts)])).toEqual([
    {
      at: 'ConfigMap queue',
      message: `finalizer.keda.sh is removed by the KEDA operator, which does not run: Deployment shop/keda-operator ${how}; ${protects}`,
      command,
    },
  ]);
});

test('a pod with its image may be its controller', () => {
  const containers = [{ name: 'x', image: 'ghcr.io/kedacore/keda:2' }];
  const keda = pod('x', { facts: { phase: 'Running', containers } });
  expect(violationsOf(finalizerWithoutController, [queue, keda])).toEqual([]);
});

test('a manifest of a workload does not say whether it runs', () => {
  const origin = { kind: 'files', paths: [] } as const;
  expect(violationsOf(finalizerWithoutController, [queue, operator({})], { origin })).toEqual([]);
});

test.each([
  ['nobody knows it', ['example.com/other']],
  ['the controller manager takes it off', ['kubernetes.io/pvc-protection']],
  ['it says how to delete', ['foregroundDeletion', 'orphan']],
])('not when %s', (_, finalizers) => {
  expect(violationsOf(finalizerWithoutController, [configMap('x', { finalizers })])).toEqual([]);
});

test('what is being deleted is told by the rules about deletions', () => {
  const ending = { ...queue, deletionTimestamp: '2026-01-02T00:00:00Z' };
  expect(violationsOf(finalizerWithoutController, [ending])).toEqual([]);
});

test('without the workloads it is not checked', () => {
  const unread = ['statefulsets.apps'];
  expect(violationsOf(finalizerWithoutController, [queue], { unread })).toEqual([
    { notChecked: 1, because: 'statefulsets.apps were not read in every namespace' },
  ]);
});
