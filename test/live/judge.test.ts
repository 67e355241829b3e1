import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../src/collectors/garbage-collector/judge.ts';
import { buildGraph, type Graph } from '../../src/graph/graph.ts';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import {
  autoscaler,
  type Build,
  blocking,
  builderOf,
  clusterRole,
  configMap,
  event,
  gadget,
  node,
  ownedBy,
  ownedByGone,
  pod,
  secret,
  widget,
} from '../support/builders.ts';
import { type Referee, startReferee } from '../support/collector-referee.ts';
import { type Stage, stageOf } from '../support/stage.ts';

const hold = 'shop.example.com/hold';
const serviceAccount = builderOf('v1', 'ServiceAccount');

/** The object to judge comes first, then those that it needs. */
type Case = readonly [name: string, objects: (stage: Stage) => readonly ObjectRecord[]];

const gone = ownedByGone('v1 Secret gone');

/** A ConfigMap with references to objects that live. */
function subjectOf(
  { here }: Stage,
  others: readonly ObjectRecord[],
  references: readonly OwnerReference[],
  build: Build = configMap,
): ObjectRecord[] {
  return [here(build, 'subject', references), ...others];
}

/**
 * A reference to a Secret that lives, and one to nobody, which tells what became of the first:
 * alone it is removed, with a dangling one the object is deleted, with an unresolvable one nothing happens.
 */
function owned(changes: Partial<OwnerReference>): (stage: Stage) => ObjectRecord[] {
  return (stage) => {
    const owner = stage.here(secret, 'owner');
    return subjectOf(stage, [owner], [ownedBy(owner, changes), gone]);
  };
}

const cases: readonly Case[] = [
  ['no owner', (stage) => subjectOf(stage, [], [])],
  [
    'a right owner',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner)]);
    },
  ],
  ['an owner that is gone', (stage) => subjectOf(stage, [], [gone])],
  ['two owners that are gone', (stage) => subjectOf(stage, [], [gone, ownedByGone('v1 Pod p')])],
  ['a right owner and one that is gone', owned({})],
  ['a right owner that it blocks and one that is gone', owned(blocking)],
  [
    'on a custom resource, a right owner and one that is gone',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(stage, [owner], [gone, ownedBy(owner)], widget);
    },
  ],
  [
    'on a pod, a right owner and one that is gone',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(stage, [owner], [gone, ownedBy(owner)], pod);
    },
  ],
  ['on a pod, an owner that is gone', (stage) => subjectOf(stage, [], [gone], pod)],
  ['another uid', owned({ uid: 'uid-of-the-first' })],
  ['another name', owned({ name: 'nobody' })],
  ['another kind', owned({ kind: 'ConfigMap' })],
  ['another group', owned({ apiVersion: 'example.com/v1', kind: 'Widget' })],
  ['lower case', owned({ kind: 'secret' })],
  ['upper case', owned({ kind: 'SECRET' })],
  ['mixed case', owned({ kind: 'sEcret' })],
  ['the plural', owned({ kind: 'secrets' })],
  ['a list', owned({ kind: 'SecretList' })],
  ['a list in lower case', owned({ kind: 'secretlist' })],
  ['a list of nothing', owned({ kind: 'List' })],
  ['a list of nothing in lower case', owned({ kind: 'list' })],
  ['a list of lists', owned({ kind: 'SecretListList' })],
  ['a kind that is only created', owned({ kind: 'Binding' })],
  ['a kind that only subresources have', owned({ apiVersion: 'autoscaling/v1', kind: 'Scale' })],
  ['a version that is not served', owned({ apiVersion: 'v2' })],
  ['a group that is not served', owned({ apiVersion: 'gone.example.com/v1' })],
  ['an old group of a kind', owned({ apiVersion: 'extensions/v1beta1', kind: 'Deployment' })],
  ['a version with an empty group', owned({ apiVersion: '/v1' })],
  ['the internal version', owned({ apiVersion: '__internal' })],
  ['a malformed apiVersion', owned({ apiVersion: 'shop/v1/extra' })],
  ['no apiVersion', owned({ apiVersion: '' })],
  ['no kind', owned({ kind: '' })],
  [
    'a version that is served but not preferred',
    (stage) => {
      const owner = stage.here(autoscaler, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner, { apiVersion: 'autoscaling/v1' }), gone]);
    },
  ],
  [
    'an owner in another namespace',
    (stage) => {
      const owner = stage.elsewhere(secret, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner)]);
    },
  ],
  [
    'an owner in another namespace, and its namesake in this one',
    (stage) => {
      const owner = stage.elsewhere(secret, 'owner');
      return subjectOf(stage, [owner, stage.here(secret, 'owner')], [ownedBy(owner)]);
    },
  ],
  [
    'a cluster-scoped owner',
    (stage) => {
      const owner = stage.here(gadget, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner), gone]);
    },
  ],
  [
    'a cluster-scoped owner that is gone',
    (stage) => subjectOf(stage, [], [ownedByGone('v1 Node n')]),
  ],
  [
    'on a cluster-scoped object, a cluster-scoped owner',
    (stage) => {
      const owner = stage.here(gadget, 'owner');
      const references = [ownedBy(owner), ownedByGone('v1 Node n')];
      return subjectOf(stage, [owner], references, clusterRole);
    },
  ],
  [
    'on a cluster-scoped object, one that is gone',
    (stage) => subjectOf(stage, [], [ownedByGone('v1 Node n')], clusterRole),
  ],
  [
    'on a cluster-scoped object, a namespaced owner',
    (stage) => {
      const owner = stage.here(widget, 'owner');
      const references = [ownedBy(owner), ownedByGone('v1 Node n')];
      return subjectOf(stage, [owner], references, gadget);
    },
  ],
  [
    'on a cluster-scoped object, a namespaced owner that is gone, and another',
    (stage) => subjectOf(stage, [], [ownedByGone('v1 Node n'), gone], gadget),
  ],
  [
    'on a cluster-scoped object, a list of a namespaced kind',
    (stage) => subjectOf(stage, [], [ownedByGone('v1 SecretList s')], gadget),
  ],
  [
    'on a cluster-scoped object, a namespaced owner under a cluster-scoped kind',
    (stage) => {
      const owner = stage.here(widget, 'owner');
      return subjectOf(
        stage,
        [owner],
        [ownedBy(owner, { apiVersion: 'v1', kind: 'Node' })],
        gadget,
      );
    },
  ],
  [
    'a kind nobody serves beside one that is gone',
    (stage) => subjectOf(stage, [], [gone, ownedByGone('gone.example.com/v1 Gone it')]),
  ],
  [
    'a kind nobody serves beside a right owner and one that is gone',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      const references = [ownedBy(owner), gone, ownedByGone('gone.example.com/v1 Gone it')];
      return subjectOf(stage, [owner], references);
    },
  ],
  [
    'one uid, rightly and with a wrong name',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner), ownedBy(owner, { name: 'nobody' })]);
    },
  ],
  [
    'one uid, rightly and with a wrong name, on a custom resource with another owner',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      const other = stage.here(secret, 'other');
      const references = [ownedBy(owner), ownedBy(owner, { name: 'nobody' }), ownedBy(other)];
      return subjectOf(stage, [owner, other], references, widget);
    },
  ],
  [
    'one uid, rightly and not served',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(
        stage,
        [owner],
        [ownedBy(owner), ownedBy(owner, { apiVersion: 'v2' }), gone],
      );
    },
  ],
  [
    'one uid, rightly twice',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner), ownedBy(owner, blocking), gone]);
    },
  ],
  [
    'two controllers that live, and one owner that is gone',
    (stage) => {
      const owners = [stage.here(secret, 'one'), stage.here(secret, 'two')];
      const references = owners.map((owner) => ownedBy(owner, { controller: true }));
      return subjectOf(stage, owners, [...references, gone]);
    },
  ],
  [
    'two controllers, one of which is gone',
    (stage) => {
      const owner = stage.here(secret, 'owner');
      const references = [{ ...gone, controller: true }, ownedBy(owner, { controller: true })];
      return subjectOf(stage, [owner], references);
    },
  ],
  [
    'itself',
    (stage) => {
      const bare = stage.here(configMap, 'subject');
      return [{ ...bare, ownerReferences: [ownedBy(bare, blocking), gone] }];
    },
  ],
  [
    'itself by another name',
    (stage) => {
      const bare = stage.here(configMap, 'subject');
      return [{ ...bare, ownerReferences: [ownedBy(bare, { name: 'nobody' })] }];
    },
  ],
  [
    'an object that it owns itself',
    (stage) => {
      const bare = stage.here(configMap, 'subject');
      const ring = stage.here(secret, 'ring', [ownedBy(bare, blocking)]);
      return [{ ...bare, ownerReferences: [ownedBy(ring, blocking), gone] }, ring];
    },
  ],
  [
    'an Event that has not expired',
    (stage) => {
      const owner = stage.here(event, 'owner');
      return subjectOf(stage, [owner], [ownedBy(owner, { apiVersion: 'events.k8s.io/v1' }), gone]);
    },
  ],
  [
    'an Event that has expired',
    (stage) => subjectOf(stage, [], [ownedByGone('events.k8s.io/v1 Event e')]),
  ],
  ['on an Event, an owner that is gone', (stage) => subjectOf(stage, [], [gone], event)],
  [
    'a kind without status, as any other',
    (stage) => {
      const owner = stage.here(serviceAccount, 'owner');
      return subjectOf(
        stage,
        [owner],
        [ownedBy(owner), ownedByGone('v1 ServiceAccount s')],
        secret,
      );
    },
  ],
  [
    'an owner that is gone, while a finalizer holds the object',
    ({ here }) => [{ ...here(configMap, 'subject', [gone]), finalizers: [hold] }],
  ],
  [
    'an owner that is gone, while the object is to orphan its dependents',
    ({ here }) => {
      const subject = { ...here(configMap, 'subject', [gone]), finalizers: ['orphan'] };
      return [subject, here(secret, 'left-alone', [ownedBy(subject)])];
    },
  ],
  [
    'an owner that is gone, while the object is to wait for its dependents',
    ({ here }) => [{ ...here(configMap, 'subject', [gone]), finalizers: ['foregroundDeletion'] }],
  ],
  [
    'an owner that terminates in the background',
    ({ here }) => {
      const deleting = { finalizers: [hold], deletionTimestamp: '2026-01-02T00:00:00Z' };
      const owner = { ...here(secret, 'owner'), ...deleting };
      return [here(configMap, 'subject', [ownedBy(owner), gone]), owner];
    },
  ],
  [
    'an owner that has the finalizer of a foreground deletion, but is not deleted',
    ({ here }) => {
      const owner = { ...here(secret, 'owner'), finalizers: ['foregroundDeletion'] };
      return [here(configMap, 'subject', [ownedBy(owner), gone]), owner];
    },
  ],
  [
    'on an object that is being deleted, an owner that is gone',
    ({ here }) => {
      const deleting = { finalizers: [hold], deletionTimestamp: '2026-01-02T00:00:00Z' };
      const owner = here(secret, 'owner');
      return [{ ...here(configMap, 'subject', [gone, ownedBy(owner)]), ...deleting }, owner];
    },
  ],
  [
    'on a node, an owner that is gone',
    (stage) => subjectOf(stage, [], [ownedByGone('v1 Node n')], node),
  ],
];

const stages = cases.map(([, objects], index) => objects(stageOf(`case-${index}`)));

let referee: Referee;
let graph: Graph;

beforeAll(async () => {
  referee = await startReferee(stages.flat());
  graph = buildGraph(await referee.snapshot());
  await referee.settle();
});
afterAll(() => referee.plane.stop());

/** What the collector leaves of an object that we judge so. */
function predicted(record: ObjectRecord): string {
  const { action, references } = judge(graph, record);
  const left = record.ownerReferences.map(({ uid }) => uid);
  switch (action) {
    case 'delete':
      return record.finalizers.includes(hold) ? told(left, true) : 'gone';
    case 'patch': {
      const solid = references.filter((reference) => reference.class === 'solid');
      const removed = references.filter((reference) => !solid.includes(reference));
      const uids = new Set(removed.map(({ reference }) => reference.uid));
      return told(
        left.filter((uid) => !uids.has(uid)),
        false,
      );
    }
    case 'unknown':
      return 'unknown';
    default:
      return told(left, record.deletionTimestamp !== undefined);
  }
}

function ended(record: ObjectRecord): string {
  const end = referee.endOf(record);
  if (!end) return 'gone';
  const left = end.ownerReferences.map(({ uid }) => uid);
  return told(left, end.deletionTimestamp !== undefined);
}

function told(references: readonly string[], terminating: boolean): string {
  return `${terminating ? 'terminating' : 'alive'}, owned by ${references.join(' and ') || 'nobody'}`;
}

test.each(cases.map(([name], index) => [name, index] as const))('%s', (_, index) => {
  const [subject] = stages[index] ?? [];
  const seen = subject && graph.withUid(subject.uid);
  if (!seen) throw new Error('the object was not seen');
  expect(predicted(seen)).toBe(ended(seen));
});
