import { describe, expect, test } from 'vitest';
import type { ObjectFacts } from '../../src/kube/facts/object-facts.ts';
import { readyOf, statusOf } from '../../src/kube/well-known-kinds.ts';
import { builderOf, deployment, pod } from '../support/builders.ts';

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

  test('is nothing once it has ended, and where its status was not read', () => {
    expect(ready({ phase: 'Succeeded', containerStatuses: [{}, {}] })).toBe('');
    expect(ready({ phase: 'Failed' })).toBe('');
    expect(readyOf(pod('web-1'))).toBe('');
  });
});

test('READY of a Deployment and of a Job is what they have of what they want', () => {
  expect(readyOf(deployment('web', { facts: { replicas: 3, availableReplicas: 2 } }))).toBe('2/3');
  const job = builderOf('batch/v1', 'Job');
  expect(readyOf(job('migrate', { facts: { completions: 2 } }))).toBe('0/2');
});

test('STATUS is the reason of a pod before its phase, and Terminating before both', () => {
  expect(statusOf(pod('a', { facts: { phase: 'Failed', reason: 'Evicted' } }))).toBe('Evicted');
  expect(statusOf(pod('a', { facts: { phase: 'Running' }, deleting: 'background' }))).toBe(
    'Terminating',
  );
});
