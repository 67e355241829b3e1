import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { ephemeralVolume } from '../../../src/controllers/volumes/ephemeral-volume.ts';
import { resourceClaim } from '../../../src/controllers/volumes/resourceclaim.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  builderOf,
  customType,
  objectOfType,
  ownedBy,
  pod,
  servedTypes,
  snapshotOf,
} from '../../support/builders.ts';
import { day, decide, now } from '../decided.ts';

const claim = builderOf('resource.k8s.io/v1', 'ResourceClaim');
const running = pod('p', { facts: { nodeName: 'n', phase: 'Running' } });

function claimOf(owner: ObjectRecord | undefined, ...consumers: ObjectRecord[]): ObjectRecord {
  return claim('c', {
    finalizers: ['resource.kubernetes.io/delete-protection'],
    annotations: { 'resource.kubernetes.io/pod-claim-name': 'gpu' },
    ownerReferences: owner ? [ownedBy(owner, { controller: true })] : [],
    facts: {
      allocated: true,
      reservedFor: consumers.map(({ name, uid }) => ({ resource: 'pods', name, uid })),
    },
  });
}

const actionsOn = (records: readonly ObjectRecord[], options = {}) =>
  decide(resourceClaim, records, options).map(({ action, patch }) => [action, patch?.body.status]);
const freed = ['patch', { reservedFor: [], allocation: null }];
const deleted = ['delete', undefined];

describe('ResourceClaims (DRA-1, DRA-2)', () => {
  const done = pod('p', { facts: { nodeName: 'n', phase: 'Succeeded' } });
  const unscheduled = pod('p', { facts: { nodeName: '' }, deleting: 'background' });
  const another = pod('p', { uid: 'another', facts: { nodeName: 'n', phase: 'Running' } });

  const failed = pod('p', { facts: { nodeName: 'n', phase: 'Failed' } });
  const stopping = { ...running, deletionTimestamp: '2026-01-02T00:00:00Z' };
  const waiting = pod('p', { facts: { nodeName: '' } });
  const foreign = { ...claimOf(undefined, done), finalizers: [] };
  test.each<[string, ObjectRecord[], unknown[]]>([
    ['in use', [running, claimOf(running, running)], []],
    ['its pod is done', [done, claimOf(done, done)], [freed, deleted]],
    ['its pod has failed', [failed, claimOf(failed, failed)], [freed, deleted]],
    ['deleting pod, on a Node', [stopping, claimOf(stopping, stopping)], []],
    ['deleting pod, unscheduled', [unscheduled, claimOf(unscheduled)], [deleted]],
    ['unscheduled pod', [waiting, claimOf(waiting, waiting)], []],
    ['its pod runs, and none uses it', [running, claimOf(running)], []],
    ['its pod was replaced', [another, claimOf(running, running)], [freed, deleted]],
    ['its pod is missing', [claimOf(running, running)], [freed]],
    ['not from a template', [done, claimOf(undefined, done)], [freed]],
    ['allocated by somebody else', [done, foreign], [['patch', { reservedFor: [] }]]],
  ])('%s', (_, records, actions) => {
    expect(actionsOn(records)).toEqual(actions);
  });

  test('each has its rule', () => {
    const decisions = decide(resourceClaim, [done, claimOf(done, done)]);
    expect(decisions.map(({ rule }) => rule)).toEqual(['DRA-1', 'DRA-2']);
  });

  test('of several consumers, those that are done go, and the devices stay', () => {
    const used = pod('used', { facts: { nodeName: 'n', phase: 'Running' } });
    const shared = claimOf(undefined, done, used);
    const reservedFor = [{ resource: 'pods', name: 'used', uid: used.uid }];
    expect(actionsOn([done, used, shared])).toEqual([['patch', { reservedFor }]]);
    expect(actionsOn([done, used, claimOf(done, done, used)])).toEqual([
      ['patch', { reservedFor }],
    ]);
    const [decision] = decide(resourceClaim, [done, used, shared]);
    expect(decision?.because).toMatchInlineSnapshot(
      `"it is reserved for pods that were deleted or are done: p"`,
    );
  });

  test('it says why it deletes the claim, and when', () => {
    const decisions = [done, another].map((one) => decide(resourceClaim, [one, claimOf(running)]));
    for (const [decision, ...others] of decisions) {
      const { rule, notBefore, notAfter = 0 } = decision ?? {};
      expect([rule, notBefore, notAfter - now, others]).toEqual(['DRA-2', now, day, []]);
    }
    expect(
      decisions.flatMap((all) => all.map(({ because }) => because)).join('\n'),
    ).toMatchInlineSnapshot(`
      "it was made for pod p, which is done
      it was made for pod p, which was replaced by another of that name"
    `);
  });

  test('consumers that are no pods keep it', () => {
    const keptBy = (consumer: { resource: string; apiGroup?: string }) => {
      const facts = { allocated: true, reservedFor: [{ name: 'p', uid: 'p', ...consumer }] };
      return actionsOn([{ ...claimOf(undefined), facts }]);
    };
    expect([
      keptBy({ resource: 'widgets' }),
      keptBy({ resource: 'pods', apiGroup: 'example.com' }),
      keptBy({ resource: 'podgroups', apiGroup: 'example.com' }),
      keptBy({ resource: 'widgets', apiGroup: 'scheduling.k8s.io' }),
      keptBy({ resource: 'pods' }),
    ]).toEqual([[], [], [], [], [freed]]);
  });

  test('before v1.36 a consumer that is no pod keeps the claim as it is', () => {
    const used = claimOf(undefined, done);
    const widget = { resource: 'widgets', name: 'w', uid: 'w' };
    const reservedFor = [...(used.facts?.reservedFor ?? []), widget];
    const shared = { ...used, facts: { allocated: true, reservedFor } };
    const actions = (serverVersion: string) => actionsOn([done, shared], { serverVersion });
    const isLeft = ['patch', { reservedFor: [widget] }];
    expect([actions('v1.35.4'), actions('v1.36.3')]).toEqual([[], [isLeft]]);
  });

  test('the controller reference alone names the pod that it was made for; metadata alone decides nothing', () => {
    const claim = claimOf(done);
    const [other] = claim.ownerReferences.map((one) => ({ ...one, apiVersion: 'example.com/v1' }));
    expect([
      actionsOn([done, claim]),
      actionsOn([done, { ...claim, annotations: {} }]),
      actionsOn([done, { ...claim, annotations: undefined }]),
      actionsOn([done, { ...claim, ownerReferences: other ? [other] : [] }]),
      actionsOn([done, { ...claim, facts: undefined }]),
      actionsOn([done, { ...claim, facts: {} }]),
      decide(ephemeralVolume, [done, claim]),
    ]).toEqual([[deleted], [deleted], [deleted], [], [], [deleted], []]);
  });

  test('a claim that is being deleted is freed when nothing is reserved (DRA-3)', () => {
    const going = (of: ObjectRecord) => ({ ...of, deletionTimestamp: '2026-01-02T00:00:00Z' });
    expect([
      actionsOn([done, going(claimOf(done))]),
      actionsOn([done, going(claimOf(done, done))]),
      actionsOn([running, going(claimOf(running, running))]),
      actionsOn([going({ ...claimOf(undefined), finalizers: [] })]),
    ]).toEqual([[['patch', { allocation: null }]], [freed], [], []]);
  });

  test('a deleted or replaced PodGroup loses its reservation, by a feature gate (DRA-4)', () => {
    const podGroups = customType('podgroups.scheduling.k8s.io/v1beta1 PodGroup');
    const types = new ResourceTypes([...servedTypes.all, podGroups], { exhaustive: true });
    const group = objectOfType(podGroups, 'crew', { namespace: claimOf(undefined).namespace });
    const { uid } = group;
    const consumer = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'crew', uid };
    const facts = { allocated: true, reservedFor: [consumer] };
    const used = { ...claimOf(undefined), facts };
    const told = (records: readonly ObjectRecord[], on?: boolean, unread: string[] = []) =>
      decide(resourceClaim, [used, ...records], {
        ...{ types, unread, serverVersion: 'v1.37.2' },
        settings: on === undefined ? {} : { DRAWorkloadResourceClaims: on },
      }).map(({ rule, confidence, patch }) => [rule, confidence, patch?.body.status]);
    const frees = { reservedFor: [], allocation: null };
    expect(told([group])).toEqual([]);
    expect(told([])).toEqual([['DRA-4', 'likely', frees]]);
    expect(told([], true)).toEqual([['DRA-4', 'certain', frees]]);
    expect(told([], false)).toEqual([]);
    expect(told([{ ...group, uid: 'another' }], true)).toEqual([['DRA-4', 'certain', frees]]);
    expect(told([], true, ['podgroups.scheduling.k8s.io'])).toEqual([]);
    facts.reservedFor.push({ apiGroup: '', resource: 'pods', name: 'p', uid: 'p' });
    expect(told([], true)).toEqual([['DRA-4', 'certain', frees]]);
  });

  test('pods that could not be read may use it', () => {
    expect(actionsOn([claimOf(running, running)], { unread: ['pods'] })).toEqual([]);
  });
});

test('a claim of an ephemeral volume that belongs to another pod blocks the pod (EPH-1)', () => {
  const volumes = [{ name: 'v', ephemeral: true }];
  const owner = pod('p', { facts: { volumes } });
  const pvc = builderOf('v1', 'PersistentVolumeClaim');
  const mounting = pod('p', { facts: { volumes: [{ name: 'v', claimName: 'data' }] } });
  const of = (...records: readonly ObjectRecord[]) =>
    ephemeralVolume.leftovers?.(viewOf(snapshotOf(records)), now).map(({ object }) => object.name);
  expect([
    of(owner, pvc('p-v')),
    of(owner, pvc('p-v', { ownerReferences: [ownedBy(owner, { controller: true })] })),
    of(owner),
    of(mounting, pvc('p-v')),
  ]).toEqual([['p-v'], [], [], []]);
});
