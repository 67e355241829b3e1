import { expect, test } from 'vitest';
import { controllerRevisionHistory } from '../../../src/controllers/workloads/controllerrevision-history.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, ownedBy, pod } from '../../support/builders.ts';
import { decided } from '../decided.ts';

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

test('DaemonSet: those in use are skipped and use no slot (CRH-2)', () => {
  const set = daemonSet('db', { facts: { selector, revisionHistoryLimit: 1 } });
  const records = [set, ...revisionsOf(set, [1, 2, 3, 4]), podOf(set, 'hash-1')];
  expect(decided(controllerRevisionHistory, records)).toEqual(['db-2', 'db-3']);
});

test('DaemonSet: nothing while it is being deleted', () => {
  const set = daemonSet('db', { deleting: 'background', facts: { revisionHistoryLimit: 0 } });
  expect(decided(controllerRevisionHistory, [set, ...revisionsOf(set, [1, 2])])).toEqual([]);
});
