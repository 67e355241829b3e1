import { expect, test } from 'vitest';
import { controllerRevisionHistory } from '../../../src/controllers/workloads/controllerrevision-history.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy, pod } from '../../support/builders.ts';
import { decide, decided, inWords } from '../decided.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const revision = builderOf('apps/v1', 'ControllerRevision');
const selector = { matchLabels: { app: 'db' } };

function revisionsOf(owner: ObjectRecord, numbers: readonly number[]): ObjectRecord[] {
  return numbers.map((number) =>
    revision(`db-${number}`, {
      ownerReferences: [ownedBy(owner, { controller: true })],
      labels: { app: 'db', 'controller-revision-hash': `hash-${number}` },
      facts: { revision: number },
    }),
  );
}

function podOf(owner: ObjectRecord, hash: string): ObjectRecord {
  return pod(`pod-${hash}`, {
    ownerReferences: [ownedBy(owner, { controller: true })],
    labels: { 'controller-revision-hash': hash },
  });
}

test('StatefulSet: what is current, updated to or run by a pod does not count (CRH-1)', () => {
  const set = statefulSet('db', {
    facts: { selector, revisionHistoryLimit: 1, currentRevision: 'db-5', updateRevision: 'db-6' },
  });
  const revisions = revisionsOf(set, [6, 5, 4, 3, 2, 1]);
  expect(decided(controllerRevisionHistory, [set, ...revisions, podOf(set, 'db-1')])).toEqual([
    'db-2',
    'db-3',
  ]);
});

test('StatefulSet: a negative limit is none, and the default is 10', () => {
  const of = (revisionHistoryLimit?: number) => {
    const limit = revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit };
    const set = statefulSet('db', { deleting: 'background', facts: { selector, ...limit } });
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    return decided(controllerRevisionHistory, [set, ...revisionsOf(set, numbers)]);
  };
  expect([of(-1), of()]).toEqual([[], ['db-1', 'db-2']]);
});

test('StatefulSet: adopts those without a controller, not those of others', () => {
  const set = statefulSet('db', { facts: { selector, revisionHistoryLimit: 0 } });
  const [free, taken] = revisionsOf(statefulSet('other'), [1, 2]);
  const records = [...(free ? [{ ...free, ownerReferences: [] }] : []), ...(taken ? [taken] : [])];
  expect(decided(controllerRevisionHistory, [set, ...records])).toEqual(['db-1']);
});

// Its limit, the hash that a pod has, and what goes of four revisions, of which the last is in force.
test.each<[string, Details, string | undefined, string[]]>([
  ['beyond its limit', { facts: { revisionHistoryLimit: 1 } }, undefined, ['1', '2']],
  ['a revision in use', { facts: { revisionHistoryLimit: 1 } }, '1', ['2', '3']],
  ['exactly its limit', { facts: { revisionHistoryLimit: 3 } }, undefined, []],
  ['ten stay by default', { facts: {} }, undefined, []],
  ['metadata alone', { facts: undefined }, undefined, []],
  [
    'a deleted owner',
    { deleting: 'background', facts: { revisionHistoryLimit: 0 } },
    undefined,
    [],
  ],
])('DaemonSet: %s (CRH-2)', (_, details, used, gone) => {
  const [set, other] = [daemonSet('db', details), daemonSet('other')];
  const ofOthers = [...revisionsOf(other, [0, 9]), podOf(other, 'hash-2'), revision('free')];
  const pods = [pod('free'), ...(used ? [podOf(set, `hash-${used}`)] : [])];
  const records = [set, ...revisionsOf(set, [4, 1, 3, 2]), ...ofOthers, ...pods];
  expect(inWords(decide(controllerRevisionHistory, records))).toEqual(
    gone.map((number) => `ControllerRevision db-${number}: deleted (CRH-2)`),
  );
});

test('DaemonSet: before it has seen its template, another one may be in force', () => {
  const facts = { revisionHistoryLimit: 0, generation: 2, observedGeneration: 1 };
  const set = daemonSet('db', { facts });
  expect(inWords(decide(controllerRevisionHistory, [set, ...revisionsOf(set, [1, 2])]))).toEqual([
    'ControllerRevision db-1: may be deleted (CRH-2)',
  ]);
});
