import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectFacts } from '../../src/kube/facts/object-facts.ts';
import { readyOf, statusOf } from '../../src/kube/status/object-status.ts';
import { builderOf, deployment, pod } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

describe('READY of a pod', () => {
  const containers = [{ name: 'web' }, { name: 'proxy' }];
  const ready = (facts: Partial<ObjectFacts>) =>
    readyOf(pod('web-1', { facts: { containers, phase: 'Running', ...facts } }));
  const isReady = [{ type: 'Ready', status: 'True' }];

  test('counts its containers', () => {
    expect(ready({ conditions: isReady })).toBe('2/2');
    expect(ready({ containerStatuses: [{ ready: true }, {}] })).toBe('1/2');
    expect(ready({ containerStatuses: [{}, {}] })).toBe('0/2');
    expect(ready({ phase: 'Pending' })).toBe('0/2');
  });

  test('is no number where its containers were not read', () => {
    expect(ready({})).toBe('no');
  });

  test('is none of them once it has ended, and nothing where the pod was not read', () => {
    expect(
      ready({ phase: 'Succeeded', containerStatuses: [{ exitCode: 0 }, { exitCode: 0 }] }),
    ).toBe('0/2');
    expect(ready({ phase: 'Failed' })).toBe('0/2');
    expect(readyOf(pod('web-1'))).toBe('');
  });

  test('counts sidecars, but not init containers', () => {
    const sidecar = { name: 'log', restartPolicy: 'Always' };
    const withSidecar = (facts: Partial<ObjectFacts>) =>
      ready({ initContainers: [{ name: 'migrate' }, sidecar], ...facts });
    const started = [
      { name: 'migrate', exitCode: 0 },
      { name: 'log', started: true, ready: true },
    ];
    const containerStatuses = [{ ready: true }, { ready: true }];
    expect(withSidecar({ containerStatuses, initContainerStatuses: started })).toBe('3/3');
    const waiting = [{ name: 'migrate' }, { name: 'log', waitingReason: 'PodInitializing' }];
    expect(withSidecar({ containerStatuses: [{}, {}], initContainerStatuses: waiting })).toBe(
      '0/3',
    );
  });
});

const statuses = rowsOf(`
  phase: Running, containerStatuses: [{ready: true}] | Running
  phase: Running, containerStatuses: [{waitingReason: CrashLoopBackOff}] | CrashLoopBackOff
  phase: Pending, containerStatuses: [{waitingReason: ImagePullBackOff}] | ImagePullBackOff
  phase: Succeeded, containerStatuses: [{exitCode: 0, endReason: Completed}] | Completed
  phase: Failed, containerStatuses: [{exitCode: 1, endReason: Error}] | Error
  phase: Failed, containerStatuses: [{exitCode: 137, signal: 9}] | Signal:9
  phase: Failed, containerStatuses: [{exitCode: 3}]  | ExitCode:3
  phase: Failed, reason: Evicted                     | Evicted
  phase: Running, containerStatuses: [{exitCode: 0, endReason: Completed}, {ready: true}] | NotReady
  phase: Pending, initContainers: [{name: a}, {name: b}], initContainerStatuses: [{name: a, exitCode: 0}, {name: b}] | Init:1/2
  phase: Pending, initContainers: [{name: a}], initContainerStatuses: [{name: a, exitCode: 2, endReason: Error}] | Init:Error
  phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: SchedulingGated}] | SchedulingGated
`);

test.each(statuses)('STATUS of a pod: %s', (text, status) => {
  expect(statusOf(pod('a', { facts: parse(`{${text}}`) as ObjectFacts }))).toBe(status);
});

test('READY of workloads is what is ready of what they want', () => {
  const web = { replicas: 3, readyReplicas: 2, availableReplicas: 1 };
  expect(readyOf(deployment('web', { facts: web }))).toBe('2/3');
  // Of an older snapshot.
  expect(readyOf(deployment('web', { facts: { replicas: 3, availableReplicas: 2 } }))).toBe('2/3');
  const [replicaSet, daemonSet, job] = [
    builderOf('apps/v1', 'ReplicaSet'),
    builderOf('apps/v1', 'DaemonSet'),
    builderOf('batch/v1', 'Job'),
  ];
  expect(readyOf(replicaSet('web-1', { facts: { replicas: 3, readyReplicas: 2 } }))).toBe('2/3');
  expect(readyOf(replicaSet('web-1', { facts: { replicas: 0 } }))).toBe('0/0');
  expect(readyOf(replicaSet('web-1', { facts: { replicas: 3, statusReplicas: 3 } }))).toBe('');
  expect(readyOf(daemonSet('log', { facts: { desiredNumberScheduled: 3, numberReady: 2 } }))).toBe(
    '2/3',
  );
  expect(readyOf(daemonSet('log', { facts: { numberReady: 2 } }))).toBe('2');
  expect(readyOf(job('migrate', { facts: { completions: 2 } }))).toBe('0/2');
  expect(readyOf(job('migrate', { facts: { parallelism: 3, succeeded: 1 } }))).toBe('1/1 of 3');
});

test('STATUS of what is being deleted is Terminating, unless it has ended', () => {
  const deleting = 'background';
  expect(statusOf(pod('a', { facts: { phase: 'Running' }, deleting }))).toBe('Terminating');
  expect(statusOf(pod('a', { facts: { phase: 'Succeeded' }, deleting }))).toBe('Succeeded');
  expect(statusOf(pod('a', { facts: { phase: 'Running', reason: 'NodeLost' }, deleting }))).toBe(
    'Unknown',
  );
  const done = { conditions: [{ type: 'Complete', status: 'True' }] };
  expect(statusOf(builderOf('batch/v1', 'Job')('j', { facts: done, deleting }))).toBe('Complete');
});

test('STATUS of a Node is that of its condition Ready, with what keeps pods away', () => {
  const node = builderOf('v1', 'Node');
  const conditions = [{ type: 'Ready', status: 'True' }];
  expect(statusOf(node('a', { facts: { conditions, taints: [] } }))).toBe('Ready');
  expect(statusOf(node('a', { facts: { taints: [], unschedulable: true } }))).toBe(
    'Unknown,SchedulingDisabled',
  );
});
