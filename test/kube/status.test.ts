import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectFacts } from '../../src/kube/facts/object-facts.ts';
import { readyOf, statusOf } from '../../src/kube/object-status.ts';
import { builderOf, pod } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

// What kubectl prints of an API server's objects is held by test/live/ready-and-status.test.ts: what follows was not read.
const readiness = rowsOf(`
  v1 Pod             | phase: Running, containers: [{name: web}]                | no
  v1 Pod             | phase: Pending, containers: [{name: web}]                | 0/1
  v1 Pod             | phase: Failed, containers: [{name: web}]                 | 0/1
  v1 Pod             | containers: [{name: web}], conditions: [{type: Ready, status: "True"}] | 1/1
  apps/v1 Deployment | replicas: 3, readyReplicas: 2                            | 2/3
  apps/v1 ReplicaSet | replicas: 3, readyReplicas: 2                            | 2/3
  apps/v1 ReplicaSet | replicas: 0                                              | 0/0
  apps/v1 ReplicaSet | replicas: 3, statusReplicas: 3                           | 0/3
  apps/v1 DaemonSet  | numberReady: 2, desiredNumberScheduled: 3                | 2/3
`);

test.each(readiness)('READY of %s by %s: %j', (kind = '', text, told) => {
  const [apiVersion = '', name = ''] = kind.split(' ');
  const facts = parse(`{${text}}`) as ObjectFacts;
  expect(readyOf(builderOf(apiVersion, name)('web', { facts }))).toBe(told);
});

test('READY is nothing where the pod was not read', () => {
  expect(readyOf(pod('web-1'))).toBe('');
});

test('STATUS of a pod that waits for its scheduling gates', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
  expect(statusOf(pod('a', { facts: { phase: 'Pending', conditions } }))).toBe('SchedulingGated');
});

test('STATUS of a Node is that of its condition Ready, with what keeps pods away', () => {
  const node = builderOf('v1', 'Node');
  const conditions = [{ type: 'Ready', status: 'True' }];
  expect(statusOf(node('a', { facts: { conditions, taints: [] } }))).toBe('Ready');
  expect(statusOf(node('a', { facts: { taints: [], unschedulable: true } }))).toBe(
    'Unknown,SchedulingDisabled',
  );
});
