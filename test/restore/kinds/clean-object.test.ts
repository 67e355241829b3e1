import { expect, test } from 'vitest';
import { phaseOf } from '../../../src/restore/backup/saved-object.ts';
import { cleanObject, ownFinalizers } from '../../../src/restore/kinds/clean-object.ts';
import { kube } from '../saved.ts';

test.each([
  ['foregroundDeletion', false],
  ['orphan', false],
  ['kubernetes.io/pvc-protection', false],
  ['kubernetes.io/pv-protection', false],
  ['batch.kubernetes.io/job-tracking', false],
  ['customresourcecleanup.apiextensions.k8s.io', false],
  ['service.kubernetes.io/load-balancer-cleanup', false],
  ['example.com/own', true],
  // Written by the provisioner of the volume, which deletes the storage.
  ['external-provisioner.volume.kubernetes.io/finalizer', true],
])('the finalizer %s comes back: %s', (finalizer, comesBack) => {
  const finalizers = ['example.com/first', finalizer];
  const kept = comesBack ? finalizers : ['example.com/first'];
  expect(ownFinalizers(finalizers)).toEqual(kept);
  expect(cleanObject(kube('v1 ConfigMap app', { finalizers })).metadata.finalizers).toEqual(kept);
});

test.each([
  ['example.com/v1 Widget w', true],
  // A group that ends as built-in ones do.
  ['gateway.networking.k8s.io/v1 Gateway g', true],
  ['apps/v1 Deployment web', false],
  ['v1 ConfigMap app', false],
])('the status of %s is saved: %s', (text, isSaved) => {
  const status = { balance: 7 };
  expect(cleanObject(kube(text, {}, { status })).status).toEqual(isSaved ? status : undefined);
});

const condition = (type: string, status: string) => ({ type, status });
test.each([
  ['v1 Pod web', { phase: 'Succeeded' }, 'Succeeded'],
  ['v1 Pod web', { phase: '' }, undefined],
  ['v1 Pod web', { conditions: [condition('Complete', 'True')] }, undefined],
  ['batch/v1 Job once', { conditions: [condition('Complete', 'True')] }, 'Complete'],
  ['batch/v1 Job once', { conditions: [condition('Failed', 'True')] }, 'Failed'],
  ['batch/v1 Job once', { conditions: [condition('Failed', 'False')] }, undefined],
  ['batch/v1 Job once', { conditions: [condition('Suspended', 'True')] }, undefined],
  ['batch/v1 Job once', { phase: 'Running' }, undefined],
  ['batch/v1 Job once', {}, undefined],
])('the phase of %s with %j is %s', (text, status, phase) => {
  expect(phaseOf(kube(text, {}, { status }))).toBe(phase);
});
