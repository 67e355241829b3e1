import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { classifyReference } from '../../../src/snapshot/graph/classify-reference.ts';
import {
  autoscaler,
  clusterRole,
  customType,
  event,
  gadget,
  graphOf,
  objectOfType,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
  widget,
} from '../../support/builders.ts';
import { casesOf } from '../../support/rows.ts';

const drain = { finalizers: ['shop.example.com/drain'] };
const role = customType('roles.authorization.example.com/v1 Role');
const objects: Readonly<Record<string, ObjectRecord>> = {
  web: replicaSet('web'),
  terminating: replicaSet('web', { deleting: 'background', ...drain }),
  orphaning: replicaSet('web', { deleting: 'orphan', ...drain }),
  waiting: replicaSet('web', { deleting: 'foreground' }),
  armed: replicaSet('web', { finalizers: ['foregroundDeletion'] }),
  draft: replicaSet('web', { uid: '' }),
  blue: replicaSet('blue'),
  scaler: autoscaler('web'),
  rack: gadget('rack'),
  scheduled: event('web-1.scheduled'),
  vault: secret('vault', { namespace: 'bank' }),
  cart: widget('cart'),
  reader: objectOfType(role, 'reader'),
  // Whose references are looked at.
  pod: pod('web-1'),
  teller: pod('teller', { namespace: 'bank' }),
  cluster: clusterRole('reader'),
};

const failed = [{ group: 'metrics.k8s.io', version: undefined, message: 'it has no server' }];
const servedBy: Readonly<Record<string, ResourceTypes>> = {
  'without metrics': new ResourceTypes(builtInTypes, { failed, exhaustive: true }),
  'by files': new ResourceTypes(builtInTypes, { exhaustive: false }),
  'with two groups': new ResourceTypes([...builtInTypes, role], { exhaustive: true }),
};

/** `apps/v1 ReplicaSet web =web`: with the uid of an object above, or with a uid of its own. */
function referenceOf(text: string): OwnerReference {
  const [apiVersion, kind, name, uid] = text.split(' ');
  const reference = ownedByGone(`${apiVersion} ${kind} ${name}`);
  if (uid === undefined) return reference;
  return { ...reference, uid: uid.startsWith('=') ? (objects[uid.slice(1)]?.uid ?? '') : uid };
}

/** `solid, found uid-of-it (GC-27): …`, as it is said of a reference of an object among these. */
function look(
  reference: OwnerReference,
  others: readonly ObjectRecord[],
  of: ObjectRecord,
  options: SnapshotOptions = {},
): string {
  const record = { ...of, ownerReferences: [reference] };
  const told = classifyReference(graphOf([record, ...others], options), record, reference);
  expect(told.reference).toBe(reference);
  const found = told.found ? ` ${told.found.uid}` : '';
  return `${told.class}, ${told.outcome}${found} (${told.rule}): ${told.because}`;
}

/** What is named; the reference, what else is there, whose reference it is and what was read. */
const cases = `
an owner with the uid of the reference, where the reference says
  apps/v1 ReplicaSet web =web | web
one that is spelled in lower case
  apps/v1 replicaset web =web | web
one in another version that is served
  autoscaling/v1 HorizontalPodAutoscaler web =scaler | scaler
a cluster-scoped one
  example.com/v1 Gadget rack =rack | rack
a cluster-scoped one of an object in another namespace
  example.com/v1 Gadget rack =rack | rack | teller
a cluster-scoped one of a cluster-scoped object
  example.com/v1 Gadget rack =rack | rack | cluster
an Event, under either of its groups
  events.k8s.io/v1 Event web-1.scheduled =scheduled | scheduled
one that is terminating (background)
  apps/v1 ReplicaSet web =web | terminating
one that is terminating (orphan)
  apps/v1 ReplicaSet web =web | orphaning
one with the finalizer of a foreground deletion that was not requested
  apps/v1 ReplicaSet web =web | armed
one that is being deleted in the foreground
  apps/v1 ReplicaSet web =web | waiting
nothing
  apps/v1 ReplicaSet web
nothing in the cluster
  v1 Node node-a
an object that was created again
  apps/v1 ReplicaSet web uid-of-the-first | web
an object with another uid, while the one with that uid lives
  apps/v1 ReplicaSet web =blue | web, blue
a wrong name
  apps/v1 ReplicaSet wbe =web | web
a wrong kind
  v1 Secret web =web | web
another namespace
  v1 Secret vault =vault | vault
a wrong name of a kind that was not read, as a uid belongs to one object only
  v1 Secret web =web | web | pod | unread: [secrets]
a list of pods
  v1 PodList web =web | web
a list of anything
  v1 List web =web | web
a list of a group, without a namespace
  apps/v1 List web =web | web | cluster
a list of nodes, without a namespace
  v1 NodeList web =web | web | cluster
a kind that can only be created
  v1 Binding web
a kind that is not served
  gone.example.com/v1 Gone web
a kind in upper case
  v1 PODS web
a list in lower case
  v1 podlist web
a kind that is only a request
  v1 Scale web
an apiVersion that is none
  shop/v1/extra Pod web
a version that is not served, even if the owner lives
  apps/v1beta2 ReplicaSet web =web | web
a namespaced kind, on a cluster-scoped object
  example.com/v1 Widget cart =cart | cart | cluster
a namespaced kind in lower case, on a cluster-scoped object
  example.com/v1 widget cart =cart | cart | cluster
a list of a namespaced kind, on a cluster-scoped object
  example.com/v1 WidgetList cart =cart | cart | cluster
a kind that was not read
  v1 Secret vault | | pod | unread: [secrets]
a cluster-scoped kind that was not read
  v1 Node node-a | | pod | unread: [nodes]
a group whose discovery failed
  metrics.k8s.io/v1 PodMetrics web | | pod | served: without metrics
a kind that the input does not speak of
  example.com/v1 Widget cart | | pod | served: by files
the second group of an object that is served under two, when only one was read
  rbac.authorization.k8s.io/v1 Role reader =reader | reader | pod | {served: with two groups, unread: [roles.rbac.authorization.k8s.io]}
a kind that was read in another namespace alone
  v1 Secret vault | | pod | coverage: {read: [{resource: secrets, namespaces: [bank]}]}
nothing, where its kind was read in the namespace of the object
  v1 Secret vault | | teller | coverage: {read: [{resource: secrets, namespaces: [bank]}]}
no Event, as they were read in their new group
  events.k8s.io/v1 Event note | | pod | unread: [events]
no Event, as they were read in the old one
  events.k8s.io/v1 Event note | | pod | unread: [events.events.k8s.io]
Events that were read in neither
  events.k8s.io/v1 Event note | | pod | unread: [events, events.events.k8s.io]
nothing, as it was asked for by name
  v1 Node node-a | | pod | coverage: {read: [], asked: [{resource: nodes, namespace: "", name: node-a}]}
another one of its kind than was asked for
  v1 Node node-b | | pod | coverage: {read: [], asked: [{resource: nodes, namespace: "", name: node-a}]}
a manifest that was never applied, by a uid
  apps/v1 ReplicaSet web uid-of-somebody | draft
a manifest that was never applied, by none
  apps/v1 ReplicaSet web =draft | draft
`;

test('a reference may name an owner that is solid, waiting or missing, or whose state is unknown', () => {
  const told = casesOf(cases).map(([title, given = '']) => {
    const [reference = '', there = '', of = 'pod', read = '{}'] = given
      .split('|')
      .map((cell) => cell.trim());
    const { served, ...options } = parse(read);
    const others = there.split(', ').flatMap((name) => objects[name] ?? []);
    const types = servedBy[served] && { types: servedBy[served] };
    const dependent = objects[of] ?? pod('web-1');
    return `${title}\n  ${look(referenceOf(reference), others, dependent, { ...options, ...types })}`;
  });
  expect(told.join('\n')).toMatchInlineSnapshot(`
    "an owner with the uid of the reference, where the reference says
      solid, found uid-replicaset-shop-web (GC-27): ReplicaSet web exists in namespace shop
    one that is spelled in lower case
      solid, found uid-replicaset-shop-web (GC-27): replicaset web exists in namespace shop
    one in another version that is served
      solid, found uid-horizontalpodautoscaler-shop-web (GC-27): HorizontalPodAutoscaler web exists in namespace shop
    a cluster-scoped one
      solid, found uid-gadget-rack (GC-27): Gadget rack exists
    a cluster-scoped one of an object in another namespace
      solid, found uid-gadget-rack (GC-27): Gadget rack exists
    a cluster-scoped one of a cluster-scoped object
      solid, found uid-gadget-rack (GC-27): Gadget rack exists
    an Event, under either of its groups
      solid, found uid-event-shop-web-1.scheduled (GC-27): Event web-1.scheduled exists in namespace shop
    one that is terminating (background)
      solid, found uid-replicaset-shop-web (GC-27): ReplicaSet web exists in namespace shop
    one that is terminating (orphan)
      solid, found uid-replicaset-shop-web (GC-27): ReplicaSet web exists in namespace shop
    one with the finalizer of a foreground deletion that was not requested
      solid, found uid-replicaset-shop-web (GC-27): ReplicaSet web exists in namespace shop
    one that is being deleted in the foreground
      waiting, found uid-replicaset-shop-web (GC-27): ReplicaSet web is being deleted in the foreground
    nothing
      dangling, absent (GC-27): no ReplicaSet web in namespace shop
    nothing in the cluster
      dangling, absent (GC-27): no Node node-a
    an object that was created again
      dangling, other-uid uid-replicaset-shop-web (GC-28): the ReplicaSet web in namespace shop has another uid
    an object with another uid, while the one with that uid lives
      dangling, other-uid uid-replicaset-shop-web (GC-28): the ReplicaSet web in namespace shop has another uid
    a wrong name
      dangling, elsewhere (GC-28): no ReplicaSet wbe in namespace shop; the uid belongs to another object
    a wrong kind
      dangling, elsewhere (GC-28): no Secret web in namespace shop; the uid belongs to another object
    another namespace
      dangling, elsewhere (GC-28): no Secret vault in namespace shop; the uid belongs to another object
    a wrong name of a kind that was not read, as a uid belongs to one object only
      dangling, elsewhere (GC-28): the object with that uid is not the Secret web in namespace shop
    a list of pods
      dangling, list-kind (GC-29): PodList is a list, and a GET of one finds nothing
    a list of anything
      dangling, list-kind (GC-29): List is a list, and a GET of one finds nothing
    a list of a group, without a namespace
      dangling, list-kind (GC-29): List is a list, and a GET of one finds nothing
    a list of nodes, without a namespace
      dangling, list-kind (GC-29): NodeList is a list, and a GET of one finds nothing
    a kind that can only be created
      dangling, not-gettable (GC-29): Binding objects cannot be read back, so none is ever found
    a kind that is not served
      unresolvable, unserved-kind (GC-30): no API serves gone.example.com/v1 Gone
    a kind in upper case
      unresolvable, unserved-kind (GC-30): no API serves v1 PODS
    a list in lower case
      unresolvable, unserved-kind (GC-30): no API serves v1 podlist
    a kind that is only a request
      unresolvable, unserved-kind (GC-30): no API serves v1 Scale
    an apiVersion that is none
      unresolvable, unserved-kind (GC-30): no API serves shop/v1/extra Pod
    a version that is not served, even if the owner lives
      unresolvable, unserved-version (GC-30): apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version
    a namespaced kind, on a cluster-scoped object
      unresolvable, namespaced-owner-of-cluster-object (GC-45): ClusterRole is cluster-scoped, so no namespace is known for Widget cart
    a namespaced kind in lower case, on a cluster-scoped object
      unresolvable, namespaced-owner-of-cluster-object (GC-45): ClusterRole is cluster-scoped, so no namespace is known for widget cart
    a list of a namespaced kind, on a cluster-scoped object
      unresolvable, namespaced-owner-of-cluster-object (GC-45): ClusterRole is cluster-scoped, so no namespace is known for WidgetList cart
    a kind that was not read
      unknown, not-read (GC-27): Secret objects in namespace shop were not read
    a cluster-scoped kind that was not read
      unknown, not-read (GC-27): Node objects were not read
    a group whose discovery failed
      unknown, not-read (GC-29): it has no server
    a kind that the input does not speak of
      unknown, not-read (GC-29): the input does not say whether example.com/v1 Widget is served
    the second group of an object that is served under two, when only one was read
      unknown, not-read (GC-27): Role objects in namespace shop were not read
    a kind that was read in another namespace alone
      unknown, not-read (GC-27): Secret objects in namespace shop were not read
    nothing, where its kind was read in the namespace of the object
      dangling, absent (GC-27): no Secret vault in namespace bank
    no Event, as they were read in their new group
      dangling, absent (GC-27): no Event note in namespace shop
    no Event, as they were read in the old one
      dangling, absent (GC-27): no Event note in namespace shop
    Events that were read in neither
      unknown, not-read (GC-27): Event objects in namespace shop were not read
    nothing, as it was asked for by name
      dangling, absent (GC-27): no Node node-a
    another one of its kind than was asked for
      unknown, not-read (GC-27): Node objects were not read
    a manifest that was never applied, by a uid
      unknown, not-applied  (GC-28): ReplicaSet web is a manifest without uid, so it is unknown whether it is this owner
    a manifest that was never applied, by none
      unknown, not-applied  (GC-28): ReplicaSet web is a manifest without uid, so it is unknown whether it is this owner"
  `);
});

test('a name that leads the garbage collector to another path belongs to no object', () => {
  const told = ['.', '..', 'a/b', '../secrets/vault', 'a%b'].map((name) =>
    look({ ...ownedByGone('v1 Secret vault'), name }, [], pod('web-1')),
  );
  expect(told.join('\n')).toMatchInlineSnapshot(`
    "unknown, not-read (GC-27): no object can be called ".": the collector's request for this Secret goes to another path, and what it meets there was not read
    unknown, not-read (GC-27): no object can be called "..": the collector's request for this Secret goes to another path, and what it meets there was not read
    unknown, not-read (GC-27): no object can be called "a/b": the collector's request for this Secret goes to another path, and what it meets there was not read
    unknown, not-read (GC-27): no object can be called "../secrets/vault": the collector's request for this Secret goes to another path, and what it meets there was not read
    unknown, not-read (GC-27): no object can be called "a%b": the collector's request for this Secret goes to another path, and what it meets there was not read"
  `);
});
