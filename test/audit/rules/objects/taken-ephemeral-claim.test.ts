import { expect, test } from 'vitest';
import { takenEphemeralClaim } from '../../../../src/audit/rules/objects/taken-ephemeral-claim.ts';
import { builderOf, configMap, type Details, ownedBy, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const batch = (phase = 'Pending', details: Details = {}) =>
  pod('batch', { facts: { phase, volumes: [{ name: 'scratch', ephemeral: true }] }, ...details });
const scratch = (details: Details = {}) => claim('batch-scratch', details);

test.each([
  ['the claim has no owner', {}],
  ['the claim is owned by ConfigMap x', { ownerReferences: [ownedBy(configMap('x'))] }],
])('a claim is in the way: %s', (words, details) => {
  expect(violationsOf(takenEphemeralClaim, [batch(), scratch(details)])).toEqual([
    {
      at: 'PersistentVolumeClaim batch-scratch',
      message: `pod batch has an ephemeral volume of this name, and ${words}`,
      command: 'kubectl delete persistentvolumeclaim/batch-scratch -n shop',
      related: ['Pod batch'],
    },
  ]);
});

test.each([
  [
    'the pod has its own',
    [batch(), scratch({ ownerReferences: [ownedBy(batch(), { controller: true })] })],
  ],
  ['the pod has started', [batch('Running'), scratch()]],
  ['the pod is being deleted', [batch('Pending', { deleting: 'background' }), scratch()]],
  ['there is no claim yet', [batch()]],
])('nothing is in the way: %s', (_, records) => {
  expect(violationsOf(takenEphemeralClaim, records)).toEqual([]);
});

test('is not checked while claims were not read', () => {
  const unread = ['persistentvolumeclaims'];
  expect(violationsOf(takenEphemeralClaim, [batch()], { unread })).toEqual([
    { notChecked: 1, because: 'persistentvolumeclaims in shop were not read' },
  ]);
});
