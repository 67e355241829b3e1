import { describe, expect, test } from 'vitest';
import { statefulSetPvcRetention } from '../../../src/controllers/workloads/statefulset-pvc-retention.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, type Details, ownedBy, pod } from '../../support/builders.ts';
import { decide } from '../decided.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const full = { controller: true, blockOwnerDeletion: true };

function setOf(whenScaled: string, whenDeleted: string, details: Details = {}): ObjectRecord {
  return statefulSet('db', {
    facts: {
      replicas: 1,
      volumeClaimTemplates: ['data'],
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    },
    ...details,
  });
}

const podOf = (set: ObjectRecord, ordinal: number) =>
  pod(`db-${ordinal}`, { ownerReferences: [ownedBy(set, { controller: true })] });

/** The claim's new owners, by kind; undefined when it is left as it is. */
function ownersOf(records: readonly ObjectRecord[], name: string) {
  const decision = decide(statefulSetPvcRetention, records).find(
    ({ object }) => object.name === name,
  );
  const metadata = decision?.patch?.body.metadata as
    | { ownerReferences: OwnerReference[] }
    | undefined;
  return metadata?.ownerReferences.map(({ kind }) => kind);
}

describe('who owns the claims (STS-2)', () => {
  test.each([
    ['Retain', 'Retain', undefined, undefined],
    ['Retain', 'Delete', ['StatefulSet'], ['StatefulSet']],
    ['Delete', 'Retain', undefined, ['Pod']],
    ['Delete', 'Delete', ['StatefulSet'], ['Pod']],
  ])('whenScaled %s, whenDeleted %s', (whenScaled, whenDeleted, inRange, condemned) => {
    const set = setOf(whenScaled, whenDeleted);
    const records = [set, podOf(set, 0), podOf(set, 1), claim('data-db-0'), claim('data-db-1')];
    expect([ownersOf(records, 'data-db-0'), ownersOf(records, 'data-db-1')]).toEqual([
      inRange,
      condemned,
    ]);
  });
});

test('owners that are right are left, and one without controller is rewritten (STS-3)', () => {
  const set = setOf('Retain', 'Delete');
  const of = (changes: Partial<OwnerReference>) =>
    ownersOf([set, claim('data-db-0', { ownerReferences: [ownedBy(set, changes)] })], 'data-db-0');
  expect([of(full), of({})]).toEqual([undefined, ['StatefulSet']]);
});

test('owners that are no longer wanted go', () => {
  const set = setOf('Retain', 'Retain');
  const owned = claim('data-db-0', { ownerReferences: [ownedBy(set, full)] });
  expect(ownersOf([set, owned], 'data-db-0')).toEqual([]);
});

test('a stale owner is left, another’s controller keeps the claim (STS-4)', () => {
  const set = setOf('Delete', 'Delete');
  const of = (...ownerReferences: OwnerReference[]) =>
    ownersOf([set, claim('data-db-0', { ownerReferences })], 'data-db-0');
  const foreign = ownedBy(configMap('other'), full);
  expect([of(ownedBy(set, { uid: 'earlier' })), of(foreign), of(foreign, ownedBy(set))]).toEqual([
    undefined,
    undefined,
    ['ConfigMap'],
  ]);
});

test('pods that are gone already, and sets that are being deleted, change nothing (STS-5)', () => {
  const set = setOf('Delete', 'Retain');
  const deleting = setOf('Retain', 'Delete', { deleting: 'foreground' });
  expect([
    ownersOf([set, claim('data-db-3')], 'data-db-3'),
    ownersOf([deleting, claim('data-db-0')], 'data-db-0'),
  ]).toEqual([undefined, undefined]);
});

describe('the claims of a set', () => {
  const metadataOf = (records: readonly ObjectRecord[]) =>
    decide(statefulSetPvcRetention, records).map(({ object, patch }) => [
      object.name,
      patch?.body.metadata,
    ]);

  test('get a reference that blocks, with the uid of the owner', () => {
    const set = setOf('Delete', 'Delete');
    const records = [set, podOf(set, 1), claim('data-db-1'), claim('data-db-0')];
    const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: set.uid };
    const podReference = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'uid-pod-shop-db-1' };
    expect(metadataOf(records)).toEqual([
      ['data-db-0', { ownerReferences: [{ ...reference, ...full }] }],
      ['data-db-1', { ownerReferences: [{ ...podReference, ...full }] }],
    ]);
  });

  test('beyond the replicas are those of pods that are still there', () => {
    const set = setOf('Delete', 'Retain');
    const retained = setOf('Retain', 'Delete');
    const stranger = pod('db-1');
    expect([
      ownersOf([set, podOf(set, 10), claim('data-db-10')], 'data-db-10'),
      ownersOf([set, stranger, claim('data-db-1')], 'data-db-1'),
      ownersOf([retained, claim('data-db-1')], 'data-db-1'),
    ]).toEqual([['Pod'], undefined, undefined]);
  });

  test('change their owner when the replicas are fewer, once', () => {
    const set = setOf('Delete', 'Delete');
    const gone = podOf(set, 1);
    const of = (owner: OwnerReference) =>
      ownersOf([set, gone, claim('data-db-1', { ownerReferences: [owner] })], 'data-db-1');
    expect([
      of(ownedBy(set, full)),
      of(ownedBy(gone, full)),
      of(ownedBy(gone, { ...full, uid: 'earlier' })),
    ]).toEqual([['Pod'], undefined, undefined]);
  });

  test('keep other owners that do not control them, whatever these are called', () => {
    const set = setOf('Delete', 'Delete');
    const others = [
      ownedBy(configMap('db')),
      ownedBy(statefulSet('other')),
      { ...ownedBy(set, { uid: 'another' }), apiVersion: 'example.com/v1' },
    ];
    expect(
      others.map((other) =>
        ownersOf([set, claim('data-db-0', { ownerReferences: [other] })], 'data-db-0'),
      ),
    ).toEqual([
      ['ConfigMap', 'StatefulSet'],
      ['StatefulSet', 'StatefulSet'],
      ['StatefulSet', 'StatefulSet'],
    ]);
  });
});

test('ordinals may start elsewhere', () => {
  const set = setOf('Delete', 'Retain');
  const shifted = { ...set, facts: { ...set.facts, firstOrdinal: 5 } };
  const records = [shifted, podOf(set, 0), claim('data-db-0'), claim('data-db-5')];
  expect([ownersOf(records, 'data-db-0'), ownersOf(records, 'data-db-5')]).toEqual([
    ['Pod'],
    undefined,
  ]);
});
