import { describe, expect, test } from 'vitest';
import { statefulSetPvcRetention } from '../../../src/controllers/workloads/statefulset-pvc-retention.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { builderOf, configMap, type Details, ownedBy, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide } from '../decided.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const full = { controller: true, blockOwnerDeletion: true };

function setOf(whenScaled: string, whenDeleted: string, details: Details = {}): ObjectRecord {
  return statefulSet('db', {
    facts: {
      replicas: 1,
      volumeClaimTemplates: [{ name: 'data' }],
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

describe('who owns a claim', () => {
  const [set, gone, foreign] = [setOf('', ''), podOf(setOf('', ''), 1), configMap('other')];
  const owners: Readonly<Record<string, OwnerReference>> = {
    set: ownedBy(set, full),
    'set-without-controller': ownedBy(set),
    'earlier-set': ownedBy(set, { uid: 'earlier' }),
    pod: ownedBy(gone, full),
    'earlier-pod': ownedBy(gone, { uid: 'earlier' }),
    foreign: ownedBy(foreign, full),
  };
  // When scaled and when deleted, the ordinals of pods (x: of nobody's) and of the claim, its owners, and those that it gets.
  const rows = rowsOf(`
    STS-2: nobody                            | Retain Retain | 0 1 | 0  |                        |
    STS-2: nobody                            | Retain Retain | 0 1 | 1  |                        |
    STS-2: the set                           | Retain Delete | 0 1 | 0  |                        | StatefulSet
    STS-2: the set, of one beyond its range  | Retain Delete | 0 1 | 1  |                        | StatefulSet
    STS-2: nobody within the range           | Delete Retain | 0 1 | 0  |                        |
    STS-2: the pod, beyond the range         | Delete Retain | 0 1 | 1  |                        | Pod
    STS-2: the set within the range          | Delete Delete | 0 1 | 0  |                        | StatefulSet
    STS-2: the pod, not the set              | Delete Delete | 0 1 | 1  |                        | Pod
    STS-3: who owns it rightly               | Retain Delete |     | 0  | set                    |
    STS-3: the set, now as its controller    | Retain Delete |     | 0  | set-without-controller | StatefulSet
    nobody any more                          | Retain Retain |     | 0  | set                    | none
    STS-4: a set that was before             | Delete Delete |     | 0  | earlier-set            |
    STS-4: another controller                | Delete Delete |     | 0  | foreign                |
    STS-4: another controller alone          | Delete Delete |     | 0  | foreign set-without-controller | ConfigMap
    STS-5: nobody, as the pod is gone        | Delete Retain |     | 3  |                        |
    a pod far beyond the range               | Delete Retain | 0 10 | 10 |                        | Pod
    nobody, as the pod is another's          | Delete Retain | x   | 1  |                        |
    nobody, beyond the range without a pod   | Retain Delete |     | 1  |                        |
    the pod, once the replicas are fewer     | Delete Delete | 0 1 | 1  | set                    | Pod
    the pod that owns it already             | Delete Delete | 0 1 | 1  | pod                    |
    a pod that was before                    | Delete Delete | 0 1 | 1  | earlier-pod            |
  `);
  test.each(rows)('%s: %s, pods %s, claim %s, of %s', (...row) => {
    const [, policy = '', ordinals = '', claimed, before = '', after] = row;
    const [whenScaled = '', whenDeleted = ''] = policy.split(' ');
    const owner = setOf(whenScaled, whenDeleted);
    const pods = ordinals.split(' ').filter(Boolean);
    const name = `data-db-${claimed}`;
    const ownerReferences = before.split(' ').flatMap((word) => owners[word] ?? []);
    const of = ownersOf(
      [
        owner,
        ...pods.map((one) => (one === 'x' ? pod('db-1') : podOf(owner, Number(one)))),
        claim(name, { ownerReferences }),
      ],
      name,
    );
    expect(of && (of.join(' ') || 'none')).toBe(after || undefined);
  });

  test('of a set that is being deleted: nobody (STS-5)', () => {
    const deleting = setOf('Retain', 'Delete', { deleting: 'foreground' });
    expect(ownersOf([deleting, claim('data-db-0')], 'data-db-0')).toBeUndefined();
  });
});

describe('the claims of a set', () => {
  const metadataOf = (records: readonly ObjectRecord[]) =>
    decide(statefulSetPvcRetention, records)
      .filter(({ action }) => action === 'patch')
      .map(({ object, patch }) => [object.name, patch?.body.metadata]);

  test('get a reference that blocks, with the uid of the owner', () => {
    const set = setOf('Delete', 'Delete');
    const records = [set, podOf(set, 0), podOf(set, 1), claim('data-db-1'), claim('data-db-0')];
    const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: set.uid };
    const podReference = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'uid-pod-shop-db-1' };
    expect(metadataOf(records)).toEqual([
      ['data-db-0', { ownerReferences: [{ ...reference, ...full }] }],
      ['data-db-1', { ownerReferences: [{ ...podReference, ...full }] }],
    ]);
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

const readySince = (milliseconds: number): Details => {
  const lastTransitionTime = ago(milliseconds);
  return {
    facts: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
    },
  };
};

// The pods of a set with two replicas and one beyond them, and whose claims are decided.
test.each(
  rowsOf(`
    until a pod is not ready        | OrderedReady | ready unready ready          | 0
    until a pod is being deleted    | OrderedReady | leaving ready ready          |
    until a pod has ended           | OrderedReady | ended ready ready            |
    up to a pod that waits          | OrderedReady | pending ready ready          | 0
    up to a pod that is made anew   | OrderedReady | missing ready ready          | 0
    all, where all are ready        | OrderedReady | ready ready ready            | 0 1 2
    all, beyond the replicas too    | OrderedReady | ready ready unready          | 0 1 2
    all but those that have ended   | Parallel     | ended unready leaving        | 1 2
    perhaps all after one not read  | OrderedReady | ready unread ready           | 0 1? 2?
    perhaps all, ready just now     | OrderedReady | fresh ready ready            | 0? 1? 2?
    at once, ready just now         | Parallel     | fresh ready ready            | 0 1 2
    perhaps, if one can be made     | Parallel     | missing ready ready          | 0 1? 2?
    perhaps, if its claim is gone   | Parallel     | stuck ready ready            | 0? 1? 2?
    beyond the replicas first       | Parallel     | stuck ready ready            | 2 0? 1? | v1.38.0
    as before, in order             | OrderedReady | ready unread ready           | 0 1? 2? | v1.38.0
  `),
)('claims are checked %s (STS-5): %s, %s', (...row) => {
  const [, podManagementPolicy = '', states = '', want, serverVersion = 'v1.37.2'] = row;
  const bare = setOf('Retain', 'Retain');
  const set = {
    ...bare,
    facts: { ...bare.facts, replicas: 2, minReadySeconds: 60, podManagementPolicy },
  };
  const stateOf: Readonly<Record<string, Details>> = {
    ready: readySince(61_000),
    fresh: readySince(60_000),
    unready: { facts: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } },
    leaving: { facts: { phase: 'Running' }, deletionTimestamp: '2026-01-02T00:00:00Z' },
    ended: { facts: { phase: 'Failed' } },
    pending: { facts: { phase: 'Pending' } },
    stuck: { facts: { phase: 'Pending' } },
    unread: {},
  };
  const pods = states.split(' ').flatMap((state, ordinal) => {
    const ownerReferences = [ownedBy(set, { controller: true })];
    return state === 'missing'
      ? []
      : [pod(`db-${ordinal}`, { ...stateOf[state], ownerReferences })];
  });
  const ownerReferences = [ownedBy(set, full)];
  const claims = states.split(' ').map((state, ordinal) => {
    const ending = state === 'stuck' && { deletionTimestamp: ago(0) };
    return claim(`data-db-${ordinal}`, { ownerReferences, ...ending });
  });
  const found = decide(statefulSetPvcRetention, [set, ...pods, ...claims], { serverVersion })
    .filter(({ action }) => action === 'patch')
    .map(
      ({ object, confidence }) => `${object.name.slice(8)}${confidence === 'certain' ? '' : '?'}`,
    );
  expect(found.join(' ')).toBe(want ?? '');
});

test('ordinals may start elsewhere', () => {
  const set = setOf('Delete', 'Retain');
  const shifted = { ...set, facts: { ...set.facts, firstOrdinal: 5 } };
  const records = [shifted, podOf(set, 0), podOf(set, 5), claim('data-db-0'), claim('data-db-5')];
  expect([ownersOf(records, 'data-db-0'), ownersOf(records, 'data-db-5')]).toEqual([
    ['Pod'],
    undefined,
  ]);
});
