import { describe, expect, test } from 'vitest';
import { claimRetentionMismatch } from '../../../../src/audit/rules/claims.ts';
import {
  builderOf,
  configMap,
  type Details,
  ownedBy,
  ownedByGone,
  pod,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const set = (whenDeleted = 'Retain', whenScaled = 'Retain', details: Details = {}) =>
  statefulSet('db', {
    facts: {
      replicas: 1,
      volumeClaimTemplates: ['data'],
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    },
    ...details,
  });
const controlledBySet = { ownerReferences: [ownedBy(set(), { controller: true })] };
const scales = 'StatefulSet db has whenScaled Retain and whenDeleted Delete';

describe('owners that the controller puts right', () => {
  test.each([
    ['none', set('Delete'), {}, `${scales}: the claim is to be owned by StatefulSet db`],
    [
      'too many',
      set(),
      controlledBySet,
      'StatefulSet db has whenScaled Retain and whenDeleted Retain: the claim is to be owned by no object',
    ],
  ])('%s', (_, owner, details, message) => {
    expect(violationsOf(claimRetentionMismatch, [owner, claim('data-db-0', details)])).toEqual([
      {
        at: 'PersistentVolumeClaim data-db-0',
        message,
        command: 'kubectl describe statefulset.apps/db -n shop',
        related: ['StatefulSet db'],
        consequence:
          'the claim goes or stays by its owners; the statefulset controller puts them right when it next looks at the set',
      },
    ]);
  });

  test('unless it is off', () => {
    const settings = { controllers: ['*', '-statefulset'] };
    const records = [set('Delete'), claim('data-db-0')];
    expect(violationsOf(claimRetentionMismatch, records, { settings })).toMatchObject([
      {
        consequence:
          'the claim goes or stays by its owners: statefulset-controller is switched off',
      },
    ]);
  });
});

describe('owners that it never sets', () => {
  test.each([
    [
      'data-db-3',
      {},
      `${scales}, but the claim has no owner: its pod was gone before the policy said so`,
    ],
    [
      'data-db-0',
      { ownerReferences: [ownedBy(configMap('x'), { controller: true })] },
      `${scales}, but the claim is controlled by ConfigMap x`,
    ],
  ])('%s', (name, details, message) => {
    expect(violationsOf(claimRetentionMismatch, [set('Delete'), claim(name, details)])).toEqual([
      {
        at: `PersistentVolumeClaim ${name}`,
        message,
        command: `kubectl delete persistentvolumeclaim/${name} -n shop`,
        related: ['StatefulSet db'],
        consequence: 'never collected: the claim stays when the set is deleted',
      },
    ]);
  });
});

const condemned = pod('db-1', { ownerReferences: [ownedBy(set(), { controller: true })] });
const controlledByPod = { ownerReferences: [ownedBy(condemned, { controller: true })] };
const gone = ownedByGone('apps/v1 StatefulSet db', { controller: true });
const controlledByGone = { ownerReferences: [gone] };
const going = { deleting: 'background' } as const;
test.each([
  ['the set owns it', [set('Delete'), claim('data-db-0', controlledBySet)]],
  ['nobody is to own it', [set(), claim('data-db-0'), claim('data-db-3')]],
  ['its pod owns it', [set('Retain', 'Delete'), condemned, claim('data-db-1', controlledByPod)]],
  ['an earlier set owns it', [set('Delete'), claim('data-db-0', controlledByGone)]],
  ['the set is being deleted', [set('Delete', 'Retain', going), claim('data-db-0')]],
  ['it is of no template', [set('Delete'), claim('logs-db-3')]],
])('a claim is left alone: %s', (_, records) => {
  expect(violationsOf(claimRetentionMismatch, records)).toEqual([]);
});
