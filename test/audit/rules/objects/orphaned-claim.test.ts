import { describe, expect, test } from 'vitest';
import { orphanedClaim } from '../../../../src/audit/rules/claims.ts';
import { builderOf, type Details, ownedBy, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const facts = { phase: 'Bound' };
const ofSet = (details: Details = {}) =>
  claim('data-db-0', { facts, labels: { app: 'db' }, ...details });
const ofPod = claim('web-6c4f9d8b7c-x7k2p-scratch', { facts });
const volumes = [{ name: 'scratch', ephemeral: true }];
const setWith = (template: string) =>
  statefulSet('db', { facts: { volumeClaimTemplates: [template] } });
const mounting = (claimName: string) =>
  pod('job', { facts: { volumes: [{ name: 'v', claimName }] } });

describe('a claim that was left behind', () => {
  test('by a StatefulSet', () => {
    expect(violationsOf(orphanedClaim, [ofSet(), setWith('logs')])).toEqual([
      {
        at: 'PersistentVolumeClaim data-db-0',
        message:
          'it is named as the claim of a StatefulSet, and no such set exists; no pod mounts it, and nothing owns it',
        command: 'kubectl describe persistentvolumeclaim/data-db-0 -n shop',
        confidence: 'likely',
      },
    ]);
  });

  test('by a pod with an ephemeral volume', () => {
    expect(violationsOf(orphanedClaim, [ofPod])).toMatchObject([
      {
        message:
          "it is named as a pod's ephemeral volume, and no such pod exists; no pod mounts it, and nothing owns it",
      },
    ]);
  });
});

test.each<[string, Details]>([
  ['has an owner', { ownerReferences: [ownedBy(statefulSet('db'))] }],
  ['has no labels', { labels: undefined }],
  ['is not bound', { facts: { phase: 'Pending' } }],
  ['is being deleted', { deleting: 'background' }],
  ['Helm applied', { annotations: { 'meta.helm.sh/release-name': 'db' } }],
])('one is left alone that %s', (_, details) => {
  expect(violationsOf(orphanedClaim, [ofSet(details)])).toEqual([]);
});

test.each([
  ['the claim of a set, whatever its replicas', [ofSet(), setWith('data')]],
  ['of a set of which only metadata was read', [ofSet(), statefulSet('db')]],
  ['mounted', [ofSet(), mounting('data-db-0')]],
  ["a living pod's", [ofPod, pod('web-6c4f9d8b7c-x7k2p', { facts: { volumes } })]],
])('one is left alone that is %s', (_, records) => {
  expect(violationsOf(orphanedClaim, records)).toEqual([]);
});

test('pods of which only metadata was read leave open what they mount', () => {
  expect(violationsOf(orphanedClaim, [ofSet(), pod('job')])).toEqual([
    { notChecked: 1, because: 'only metadata of pods was read' },
  ]);
});
