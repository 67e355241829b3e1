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
} from './builders.ts';
import type { Stage } from './stage.ts';

/** A finalizer that nobody removes. */
export const hold = 'shop.example.com/hold';
const serviceAccount = builderOf('v1', 'ServiceAccount');

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

/** A subject and one object that lives, from which its references are made. */
function withOwner(
  ownerBuild: Build,
  references: (owner: ObjectRecord) => readonly OwnerReference[],
  build?: Build,
): (stage: Stage) => ObjectRecord[] {
  return (stage) => {
    const owner = stage.here(ownerBuild, 'owner');
    return subjectOf(stage, [owner], references(owner), build);
  };
}

/**
 * A reference to a Secret that lives, and one to nobody, which tells what became of the first:
 * alone it is removed, with a dangling one the object is deleted, with an unresolvable one nothing happens.
 */
function owned(changes: Partial<OwnerReference>): (stage: Stage) => ObjectRecord[] {
  return withOwner(secret, (owner) => [ownedBy(owner, changes), gone]);
}

/** By name: the object to judge comes first, then those that it needs. */
const cases: Readonly<Record<string, (stage: Stage) => readonly ObjectRecord[]>> = {
  'no owner': (stage) => subjectOf(stage, [], []),
  'a right owner': withOwner(secret, (owner) => [ownedBy(owner)]),
  'an owner that is gone': (stage) => subjectOf(stage, [], [gone]),
  'two owners that are gone': (stage) => subjectOf(stage, [], [gone, ownedByGone('v1 Pod p')]),
  'a right owner and one that is gone': owned({}),
  'a right owner that it blocks and one that is gone': owned(blocking),
  'on a custom resource, a right owner and one that is gone': withOwner(
    secret,
    (owner) => [gone, ownedBy(owner)],
    widget,
  ),
  'on a pod, a right owner and one that is gone': withOwner(
    secret,
    (owner) => [gone, ownedBy(owner)],
    pod,
  ),
  'on a pod, an owner that is gone': (stage) => subjectOf(stage, [], [gone], pod),
  'another uid': owned({ uid: 'uid-of-the-first' }),
  'another name': owned({ name: 'nobody' }),
  'another kind': owned({ kind: 'ConfigMap' }),
  'another group': owned({ apiVersion: 'example.com/v1', kind: 'Widget' }),
  'lower case': owned({ kind: 'secret' }),
  'upper case': owned({ kind: 'SECRET' }),
  'mixed case': owned({ kind: 'sEcret' }),
  'the plural': owned({ kind: 'secrets' }),
  'a list': owned({ kind: 'SecretList' }),
  'a list in lower case': owned({ kind: 'secretlist' }),
  'a list of nothing': owned({ kind: 'List' }),
  'a list of nothing in lower case': owned({ kind: 'list' }),
  'a list of lists': owned({ kind: 'SecretListList' }),
  'a kind that is only created': owned({ kind: 'Binding' }),
  'a kind that only subresources have': owned({ apiVersion: 'autoscaling/v1', kind: 'Scale' }),
  'a version that is not served': owned({ apiVersion: 'v2' }),
  'a group that is not served': owned({ apiVersion: 'gone.example.com/v1' }),
  'an old group of a kind': owned({ apiVersion: 'extensions/v1beta1', kind: 'Deployment' }),
  'a version with an empty group': owned({ apiVersion: '/v1' }),
  'the internal version': owned({ apiVersion: '__internal' }),
  'a malformed apiVersion': owned({ apiVersion: 'shop/v1/extra' }),
  'no apiVersion': owned({ apiVersion: '' }),
  'no kind': owned({ kind: '' }),
  'a version that is served but not preferred': withOwner(autoscaler, (owner) => [
    ownedBy(owner, { apiVersion: 'autoscaling/v1' }),
    gone,
  ]),
  'an owner in another namespace': (stage) => {
    const owner = stage.elsewhere(secret, 'owner');
    return subjectOf(stage, [owner], [ownedBy(owner)]);
  },
  'an owner in another namespace, and its namesake in this one': (stage) => {
    const owner = stage.elsewhere(secret, 'owner');
    return subjectOf(stage, [owner, stage.here(secret, 'owner')], [ownedBy(owner)]);
  },
  'a cluster-scoped owner': withOwner(gadget, (owner) => [ownedBy(owner), gone]),
  'a cluster-scoped owner that is gone': (stage) =>
    subjectOf(stage, [], [ownedByGone('v1 Node n')]),
  'on a cluster-scoped object, a cluster-scoped owner': withOwner(
    gadget,
    (owner) => [ownedBy(owner), ownedByGone('v1 Node n')],
    clusterRole,
  ),
  'on a cluster-scoped object, one that is gone': (stage) =>
    subjectOf(stage, [], [ownedByGone('v1 Node n')], clusterRole),
  'on a cluster-scoped object, a namespaced owner': withOwner(
    widget,
    (owner) => [ownedBy(owner), ownedByGone('v1 Node n')],
    gadget,
  ),
  'on a cluster-scoped object, a namespaced owner that is gone, and another': (stage) =>
    subjectOf(stage, [], [ownedByGone('v1 Node n'), gone], gadget),
  'on a cluster-scoped object, a list of a namespaced kind': (stage) =>
    subjectOf(stage, [], [ownedByGone('v1 SecretList s')], gadget),
  'on a cluster-scoped object, a namespaced owner under a cluster-scoped kind': withOwner(
    widget,
    (owner) => [ownedBy(owner, { apiVersion: 'v1', kind: 'Node' })],
    gadget,
  ),
  'a kind nobody serves beside one that is gone': (stage) =>
    subjectOf(stage, [], [gone, ownedByGone('gone.example.com/v1 Gone it')]),
  'a kind nobody serves beside a right owner and one that is gone': withOwner(secret, (owner) => [
    ownedBy(owner),
    gone,
    ownedByGone('gone.example.com/v1 Gone it'),
  ]),
  'one uid, rightly and with a wrong name': withOwner(secret, (owner) => [
    ownedBy(owner),
    ownedBy(owner, { name: 'nobody' }),
  ]),
  'one uid, rightly and with a wrong name, on a custom resource with another owner': (stage) => {
    const owner = stage.here(secret, 'owner');
    const other = stage.here(secret, 'other');
    const references = [ownedBy(owner), ownedBy(owner, { name: 'nobody' }), ownedBy(other)];
    return subjectOf(stage, [owner, other], references, widget);
  },
  'one uid, rightly and not served': withOwner(secret, (owner) => [
    ownedBy(owner),
    ownedBy(owner, { apiVersion: 'v2' }),
    gone,
  ]),
  'one uid, rightly twice': withOwner(secret, (owner) => [
    ownedBy(owner),
    ownedBy(owner, blocking),
    gone,
  ]),
  'two controllers that live, and one owner that is gone': (stage) => {
    const owners = [stage.here(secret, 'one'), stage.here(secret, 'two')];
    const references = owners.map((owner) => ownedBy(owner, { controller: true }));
    return subjectOf(stage, owners, [...references, gone]);
  },
  'two controllers, one of which is gone': withOwner(secret, (owner) => [
    { ...gone, controller: true },
    ownedBy(owner, { controller: true }),
  ]),
  itself: (stage) => {
    const bare = stage.here(configMap, 'subject');
    return [{ ...bare, ownerReferences: [ownedBy(bare, blocking), gone] }];
  },
  'itself by another name': (stage) => {
    const bare = stage.here(configMap, 'subject');
    return [{ ...bare, ownerReferences: [ownedBy(bare, { name: 'nobody' })] }];
  },
  'an object that it owns itself': (stage) => {
    const bare = stage.here(configMap, 'subject');
    const ring = stage.here(secret, 'ring', [ownedBy(bare, blocking)]);
    return [{ ...bare, ownerReferences: [ownedBy(ring, blocking), gone] }, ring];
  },
  'an Event that has not expired': withOwner(event, (owner) => [
    ownedBy(owner, { apiVersion: 'events.k8s.io/v1' }),
    gone,
  ]),
  'an Event that has expired': (stage) =>
    subjectOf(stage, [], [ownedByGone('events.k8s.io/v1 Event e')]),
  'on an Event, an owner that is gone': (stage) => subjectOf(stage, [], [gone], event),
  'a kind without status, as any other': withOwner(
    serviceAccount,
    (owner) => [ownedBy(owner), ownedByGone('v1 ServiceAccount s')],
    secret,
  ),
  'an owner that is gone, while a finalizer holds the object': ({ here }) => [
    { ...here(configMap, 'subject', [gone]), finalizers: [hold] },
  ],
  'an owner that is gone, while the object is to orphan its dependents': ({ here }) => {
    const subject = { ...here(configMap, 'subject', [gone]), finalizers: ['orphan'] };
    return [subject, here(secret, 'left-alone', [ownedBy(subject)])];
  },
  'an owner that is gone, while the object is to wait for its dependents': ({ here }) => [
    { ...here(configMap, 'subject', [gone]), finalizers: ['foregroundDeletion'] },
  ],
  'an owner that terminates in the background': ({ here }) => {
    const deleting = { finalizers: [hold], deletionTimestamp: '2026-01-02T00:00:00Z' };
    const owner = { ...here(secret, 'owner'), ...deleting };
    return [here(configMap, 'subject', [ownedBy(owner), gone]), owner];
  },
  'an owner that has the finalizer of a foreground deletion, but is not deleted': ({ here }) => {
    const owner = { ...here(secret, 'owner'), finalizers: ['foregroundDeletion'] };
    return [here(configMap, 'subject', [ownedBy(owner), gone]), owner];
  },
  'on an object that is being deleted, an owner that is gone': ({ here }) => {
    const deleting = { finalizers: [hold], deletionTimestamp: '2026-01-02T00:00:00Z' };
    const owner = here(secret, 'owner');
    return [{ ...here(configMap, 'subject', [gone, ownedBy(owner)]), ...deleting }, owner];
  },
  'on a node, an owner that is gone': (stage) =>
    subjectOf(stage, [], [ownedByGone('v1 Node n')], node),
};

export const judgedCases = Object.entries(cases);
