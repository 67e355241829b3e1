import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { deleteObject } from '../../../src/simulator/api-server/delete-object.ts';
import type { DeleteOptions } from '../../../src/simulator/api-server/request.ts';
import { ClusterState } from '../../../src/simulator/engine/cluster-state.ts';
import {
  configMap,
  event,
  job,
  pod,
  replicaSet,
  secret,
  servedTypes,
} from '../../support/builders.ts';
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

const now = '2026-01-03T00:00:00Z';
const at = (seconds: number) =>
  new Date(beginning + seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Stores an object, deletes it, and tells its deletion fields; undefined when it is gone. */
function deleted(record: ObjectRecord, options: DeleteOptions = {}) {
  const state = new ClusterState(servedTypes, [record]);
  const { result } = deleteObject({ state, now: () => beginning }, record, options);
  const left = state.current(record);
  if (!left) return undefined;
  const { finalizers, deletionTimestamp, deletionGracePeriodSeconds } = left;
  return { result, finalizers, deletionTimestamp, deletionGracePeriodSeconds };
}

/** What is kept is marked, with a grace period of nothing. */
const marked = (finalizers: readonly string[] | undefined) =>
  finalizers && {
    result: 'terminating',
    finalizers,
    deletionTimestamp: now,
    deletionGracePeriodSeconds: 0,
  };

const [x, y] = ['example.com/x', 'example.com/y'];
const [orphan, foreground] = ['orphan', 'foregroundDeletion'];

// A kind that by default removes its dependents, and one that by default orphans them.
const strategies = [
  ['defaultDeleteStrategy', configMap, false],
  ['orphanDeleteStrategy', replicationController, true],
] as const;

describe.each(strategies)('StoreDeletionPropagation, %s', (_, build, orphans) => {
  test.each([
    ['no existing finalizers, Foreground', [], 'Foreground', [foreground]],
    ['no existing finalizers, Background', [], 'Background', undefined],
    ['no existing finalizers, OrphanDependents', [], 'Orphan', [orphan]],
    ['no existing finalizers, Default', [], undefined, orphans ? [orphan] : undefined],
    ['existing orphan finalizer, Foreground', [orphan], 'Foreground', [foreground]],
    ['existing orphan finalizer, Background', [orphan], 'Background', undefined],
    ['existing orphan finalizer, OrphanDependents', [orphan], 'Orphan', [orphan]],
    ['existing orphan finalizer, Default', [orphan], undefined, [orphan]],
    ['existing deleteDependents finalizer, Foreground', [foreground], 'Foreground', [foreground]],
    ['existing deleteDependents finalizer, Background', [foreground], 'Background', undefined],
    ['existing deleteDependents finalizer, OrphanDependents', [foreground], 'Orphan', [orphan]],
    ['existing deleteDependents finalizer, Default', [foreground], undefined, [foreground]],
  ] as const)('%s', (_, finalizers, propagationPolicy, expected) => {
    const options = propagationPolicy ? { propagationPolicy } : {};
    expect(deleted(build('it', { finalizers }), options)).toEqual(marked(expected));
  });
});

describe('StoreDeleteWithOrphanDependents', () => {
  const all = [x, orphan, y];
  test.each([
    ['pod1', configMap, all, true, all],
    ['pod2', configMap, [x, y], true, [x, y, orphan]],
    ['pod3', configMap, [], true, [orphan]],
    ['pod4', configMap, [orphan], true, [orphan]],
    ['pod5', replicationController, all, false, [x, y]],
    ['pod6', replicationController, [x, y], false, [x, y]],
    ['pod7', replicationController, [], false, undefined],
    ['pod8', replicationController, [orphan], false, undefined],
    ['pod9', configMap, all, undefined, all],
    ['pod10', replicationController, all, undefined, all],
    ['pod11', configMap, [x, y], undefined, [x, y]],
    ['pod12', replicationController, [x, y], undefined, [x, y, orphan]],
    ['pod13', configMap, [], undefined, undefined],
    ['pod14', replicationController, [], undefined, [orphan]],
    ['pod15', configMap, [orphan], undefined, [orphan]],
    ['pod16', replicationController, [orphan], undefined, [orphan]],
  ] as const)('%s', (_, build, finalizers, orphanDependents, expected) => {
    const options = orphanDependents === undefined ? {} : { orphanDependents };
    expect(deleted(build('it', { finalizers }), options)).toEqual(marked(expected));
  });
});

test.each([
  ['Foreground', [x, y, foreground]],
  ['Background', [x, y]],
  ['Orphan', [x, orphan, y]],
  [undefined, [x, orphan, y]],
] as const)('of x, orphan and y, a DELETE with %s leaves', (propagationPolicy, expected) => {
  const options = propagationPolicy ? { propagationPolicy } : {};
  const finalizers = [x, orphan, y];
  expect(deleted(configMap('it', { finalizers }), options)).toEqual(marked(expected));
});

test('an Event never gets a finalizer of the garbage collector', () => {
  expect(deleted(event('it'), { propagationPolicy: 'Foreground' })).toBeUndefined();
});

// The rows about extensions/v1beta1, apps/v1beta1 and apps/v1beta2 have no served version left.
test.each([
  ['apps/v1 ReplicaSet', replicaSet, undefined],
  ['batch/v1 Job', job, [orphan]],
  ['v1 ReplicationController', replicationController, [orphan]],
] as const)('DeletionFinalizersForGarbageCollection: %s by default', (_, build, expected) => {
  expect(deleted(build('it'))).toEqual(marked(expected));
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
  const gone = undefined;

  test.each([
    // What was stored, what is asked for, what is left.
    [-1, -1, pending(-1)],
    [-1, 0, gone],
    [-1, 1, pending(-1)],
    [-1, 2, pending(-1)],
    [0, -1, gone],
    [0, 0, gone],
    [0, 1, gone],
    [0, 2, gone],
    [1, -1, pending(1)],
    [1, 0, gone],
    [1, 1, pending(1)],
    [1, 2, pending(1)],
    [2, -1, shortened(1, 1)],
    [2, 0, gone],
    [2, 1, shortened(1, 1)],
    [2, 2, pending(2)],
  ] as const)(
    'when DeletionGracePeriodSeconds=%i, GracePeriodSeconds=%i',
    (stored, gracePeriodSeconds, expected) => {
      expect(deleted(terminatingPod(stored), { gracePeriodSeconds })).toEqual(expected);
    },
  );

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
