import { describe, expect, test } from 'vitest';
import type { PropagationPolicy } from '../../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { deleteObject } from '../../../src/simulator/api-server/delete-object.ts';
import type { DeleteOptions } from '../../../src/simulator/api-server/request.ts';
import { ClusterState } from '../../../src/simulator/engine/cluster-state.ts';
import {
  builderOf,
  configMap,
  event,
  job,
  pod,
  replicaSet,
  secret,
  servedTypes,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { beginning, replicationController } from '../play-out.ts';

// Rows of upstream's tests of the generic store that no test here can stand for:
//
// | test | why |
// | --- | --- |
// | StoreDeleteWithOrphanDependents, pod17 to pod24 | no options at all; here that is the same as empty ones, pod9 to pod16 |
// | StoreDeletionPropagation, the generation of what stays | nothing that is simulated reads it |
// | FinalizeDelete, DeleteWithCachedObject, RetryDeleteValidation | which Go value is returned, and how often a callback runs |
// | StoreDeleteCollection, its workers and contexts | goroutines that divide a list among themselves |
// | ValidateDeleteOptionsWithIgnoreStoreReadError | the option is dropped while its feature gate is off |
// | GCAdmission, BlockOwnerDeletionAdmission | the admission plugin is off by default, and a simulation has no users with fewer rights |

const cronJob = builderOf('batch/v1', 'CronJob');
const now = '2026-01-03T00:00:00Z';
const at = (seconds: number) =>
  new Date(beginning + seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Stores an object, deletes it, and tells its deletion fields; undefined when it is gone. */
function deleted(record: ObjectRecord, options: DeleteOptions = {}, collectsGarbage = true) {
  const state = new ClusterState(servedTypes, [record]);
  const server = { state, collectsGarbage, now: () => beginning };
  const { result } = deleteObject(server, record, options);
  const left = state.current(record);
  if (!left) return undefined;
  const { finalizers, deletionTimestamp, deletionGracePeriodSeconds } = left;
  return { result, finalizers, deletionTimestamp, deletionGracePeriodSeconds };
}

/** What is kept is marked, with a grace period of nothing. */
const marked = (finalizers: readonly string[]) => ({
  result: 'terminating',
  finalizers,
  deletionTimestamp: now,
  deletionGracePeriodSeconds: 0,
});

const optionsOf = (policy: string): DeleteOptions =>
  policy === '' ? {} : { propagationPolicy: policy as PropagationPolicy };

const [x, y] = ['example.com/x', 'example.com/y'];
const [orphan, foreground] = ['orphan', 'foregroundDeletion'];

// A kind that by default removes its dependents, and one that by default orphans them.
const strategies = [
  ['defaultDeleteStrategy', configMap, 'gone'],
  ['orphanDeleteStrategy', replicationController, 'orphan'],
] as const;

/** The object as it is left, with these finalizers; `gone` without any where that is said. */
const left = (expected: string) => (expected === 'gone' ? undefined : marked(words(expected)));
const words = (text: string) =>
  text.split(' ').flatMap((word) => ({ x, y, orphan, foreground })[word] ?? []);

describe.each(strategies)('StoreDeletionPropagation, %s', (_, build, byDefault) => {
  const rows = rowsOf(`
    no existing finalizers, Foreground                     |            | Foreground | foreground
    no existing finalizers, Background                     |            | Background | gone
    no existing finalizers, OrphanDependents               |            | Orphan     | orphan
    no existing finalizers, Default                        |            |            | DEFAULT
    existing orphan finalizer, Foreground                  | orphan     | Foreground | foreground
    existing orphan finalizer, Background                  | orphan     | Background | gone
    existing orphan finalizer, OrphanDependents            | orphan     | Orphan     | orphan
    existing orphan finalizer, Default                     | orphan     |            | orphan
    existing deleteDependents finalizer, Foreground        | foreground | Foreground | foreground
    existing deleteDependents finalizer, Background        | foreground | Background | gone
    existing deleteDependents finalizer, OrphanDependents  | foreground | Orphan     | orphan
    existing deleteDependents finalizer, Default           | foreground |            | foreground
  `);
  test.each(rows)('%s', (_, before = '', policy = '', after = '') => {
    const record = build('it', { finalizers: words(before) });
    expect(deleted(record, optionsOf(policy))).toEqual(left(after.replace('DEFAULT', byDefault)));
  });
});

describe('StoreDeleteWithOrphanDependents', () => {
  const kinds = { ConfigMap: configMap, ReplicationController: replicationController };
  const rows = rowsOf(`
    pod1  | ConfigMap             | x orphan y | true  | x orphan y
    pod2  | ConfigMap             | x y        | true  | x y orphan
    pod3  | ConfigMap             |            | true  | orphan
    pod4  | ConfigMap             | orphan     | true  | orphan
    pod5  | ReplicationController | x orphan y | false | x y
    pod6  | ReplicationController | x y        | false | x y
    pod7  | ReplicationController |            | false | gone
    pod8  | ReplicationController | orphan     | false | gone
    pod9  | ConfigMap             | x orphan y |       | x orphan y
    pod10 | ReplicationController | x orphan y |       | x orphan y
    pod11 | ConfigMap             | x y        |       | x y
    pod12 | ReplicationController | x y        |       | x y orphan
    pod13 | ConfigMap             |            |       | gone
    pod14 | ReplicationController |            |       | orphan
    pod15 | ConfigMap             | orphan     |       | orphan
    pod16 | ReplicationController | orphan     |       | orphan
  `);
  test.each(rows)('%s', (_, kind = '', before = '', orphans = '', after = '') => {
    const record = kinds[kind as keyof typeof kinds]('it', { finalizers: words(before) });
    const options = orphans === '' ? {} : { orphanDependents: orphans === 'true' };
    expect(deleted(record, options)).toEqual(left(after));
  });
});

const policies = rowsOf(`
  Foreground | x y foreground
  Background | x y
  Orphan     | x orphan y
             | x orphan y
`);
test.each(policies)('of x, orphan and y, a DELETE with %s leaves %s', (policy = '', after = '') => {
  const record = configMap('it', { finalizers: words('x orphan y') });
  expect(deleted(record, optionsOf(policy))).toEqual(left(after));
});

test('an Event never gets a finalizer of the garbage collector', () => {
  expect(deleted(event('it'), { propagationPolicy: 'Foreground' })).toBeUndefined();
});

// The rows about extensions/v1beta1, apps/v1beta1 and apps/v1beta2 have no served version left.
test('DeletionFinalizersForGarbageCollection', () => {
  const kinds = [replicaSet, cronJob, job, replicationController];
  const after = [undefined, undefined, left('orphan'), left('orphan')];
  expect(kinds.map((build) => deleted(build('it')))).toEqual(after);
});

/** Bound to a node; the deletion began `grace` seconds before its end. */
function terminatingPod(grace: number, ends = grace): ObjectRecord {
  return pod('it', {
    facts: { nodeName: 'node-1', phase: 'Running', terminationGracePeriodSeconds: 30 },
    deletionTimestamp: at(ends),
    deletionGracePeriodSeconds: grace,
  });
}

describe('BeforeDelete', () => {
  const pending = (grace: number, ends = grace) => ({
    result: 'unchanged',
    finalizers: [],
    deletionTimestamp: at(ends),
    deletionGracePeriodSeconds: grace,
  });
  const shortened = (grace: number, ends: number) => ({
    ...pending(grace, ends),
    result: 'terminating',
  });
  const ends = { kept: pending, shortened: () => shortened(1, 1), gone: () => undefined };

  // What was stored, and what is left where -1, 0, 1 and 2 are asked for.
  const rows = rowsOf(`
    -1 | kept      | gone | kept      | kept
    0  | gone      | gone | gone      | gone
    1  | kept      | gone | kept      | kept
    2  | shortened | gone | shortened | kept
  `);
  test.each(rows)('when DeletionGracePeriodSeconds=%s', (stored, ...expected) => {
    const grace = Number(stored);
    const found = [-1, 0, 1, 2].map((gracePeriodSeconds) =>
      deleted(terminatingPod(grace), { gracePeriodSeconds }),
    );
    expect(found).toEqual(expected.map((end) => ends[end as keyof typeof ends](grace)));
  });

  test('when a shorter non-zero grace period would move into the past', () => {
    const late = terminatingPod(60, -60);
    expect(deleted(late, { gracePeriodSeconds: 50 })).toEqual(shortened(1, 0));
  });

  test('when a zero grace period would move into the past', () => {
    expect(deleted(terminatingPod(60, -60), { gracePeriodSeconds: 0 })).toBeUndefined();
    const held = { ...terminatingPod(60, -60), finalizers: [x] };
    expect(deleted(held, { gracePeriodSeconds: 0 })).toEqual(marked([x]));
  });
});

describe('CheckGracefulDelete', () => {
  const bound = { nodeName: 'something' };
  const graceful = (seconds: number) => ({
    result: 'terminating',
    finalizers: [],
    deletionTimestamp: at(seconds),
    deletionGracePeriodSeconds: seconds,
  });
  test.each([
    ['in pending phase with has node name', { ...bound, phase: 'Pending' }, 30, graceful(30)],
    ['in failed phase with has node name', { ...bound, phase: 'Failed' }, 30, undefined],
    ['in failed phase', { nodeName: '', phase: 'Pending' }, 30, undefined],
    ['in succeeded phase', { nodeName: '', phase: 'Succeeded' }, 30, undefined],
    ['no phase', { nodeName: '' }, 30, undefined],
    [
      'has negative grace period',
      { ...bound, terminationGracePeriodSeconds: -1 },
      undefined,
      graceful(1),
    ],
  ] as const)('%s', (_, facts, gracePeriodSeconds, expected) => {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    expect(deleted(pod('it', { facts }), options)).toEqual(expected);
  });

  test('a DELETE of a scheduled pod waits for the default of 30 seconds', () => {
    expect(deleted(pod('it', { facts: bound }))).toEqual(graceful(30));
  });
});

describe('MarkAsDeleting', () => {
  test.each([
    ['unset', undefined, 0],
    ['set to future', 1, 0],
    ['set to past', -1, -1],
  ] as const)('%s', (_, seconds, expected) => {
    const set = seconds === undefined ? {} : { deletionTimestamp: at(seconds) };
    const stored = secret('it', { finalizers: [x], ...set });
    expect(deleted(stored)).toEqual({ ...marked([x]), deletionTimestamp: at(expected) });
  });
});

test('GracefulStoreCanDeleteIfExistingGracePeriodZero', () => {
  expect(deleted(terminatingPod(0), {})).toBeUndefined();
});

test.each([
  ['Orphan', [], undefined],
  ['Foreground', [], undefined],
  ['Orphan', [x], marked([x])],
  ['Background', [orphan], marked([orphan])],
])(
  'with --enable-garbage-collector=false, %s adds and removes no finalizer: %j',
  (policy, finalizers, end) => {
    expect(deleted({ ...configMap('a'), finalizers }, optionsOf(policy), false)).toEqual(end);
  },
);
