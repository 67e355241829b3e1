import { describe, expect, test } from 'vitest';
import {
  eventOwner,
  namespacedOwnerOfClusterObject,
  unservedOwnerKind,
  unservedOwnerVersion,
} from '../../../../src/audit/rules/owner-kinds.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import {
  configMap,
  customType,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  servedTypes,
} from '../../../support/builders.ts';
import { findingsOf, foundByReferences } from '../../../support/findings.ts';

describe('unserved-owner-kind', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        unservedOwnerKind,
        `
    pod  | Pod web-1
    web  | ReplicaSet web
    rack | Gadget rack
    `,
        `
    gone   | gone.example.com/v1 Gone it
    secret | v1 Secret x
    web    | web
    kind   | web  | {kind: Replicas, name: x}
    old    | web  | {apiVersion: apps/v1beta2}
    lower  | rack | {kind: gadget}
    list   | v1 PodList x
    `,
        `
    an object of a kind whose CRD is gone is never collected | pod <- gone
    not even when all other owners are missing | pod <- gone, secret
    or one lives | pod <- gone, web; web
    if it blocks any owner, that one can never be deleted in the foreground | pod <- gone, web!; web
    but not by a reference to what is gone | pod <- gone!
    when the uid is known, the reference is fixed rather than removed | pod <- kind; web
    an object that is being deleted blocks no longer than its own finalizers | pod {deleting: true} <- gone, web!; web
    not where it is served in another spelling | pod <- lower; rack
    not where it is served in another version | pod <- old; web
    not where it is a list | pod <- list
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an object of a kind whose CRD is gone is never collected
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        never-collected (GC-30)
        remove the reference, or install the API that serves the kind
        0: removed
      not even when all other owners are missing
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        never-collected (GC-30)
        remove the reference, or install the API that serves the kind
        0: removed
      or one lives
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        never-collected (GC-30)
        remove the reference, or install the API that serves the kind
        0: removed
      if it blocks any owner, that one can never be deleted in the foreground
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        never-collected, blocks-foreground-deletion (GC-30)
        remove the reference, or install the API that serves the kind
        0: removed
      but not by a reference to what is gone
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        never-collected (GC-30)
        remove the reference, or install the API that serves the kind
        0: removed
      when the uid is known, the reference is fixed rather than removed
        Pod web-1 > Replicas x: no API serves apps/v1 Replicas
        never-collected (GC-30)
        name the owner as apps/v1 ReplicaSet shop/web
        0: kind=ReplicaSet name=web
      an object that is being deleted blocks no longer than its own finalizers
        Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone
        being-deleted (GC-22.1)
        remove the reference, or install the API that serves the kind
        0: removed
      not where it is served in another spelling
      not where it is served in another version
      not where it is a list"
    `);
  });

  test('not where its API is out of order', () => {
    const types = new ResourceTypes(servedTypes.all, {
      failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'no server' }],
      exhaustive: true,
    });
    const unsure = [ownedByGone('metrics.k8s.io/v1 PodMetrics x')];
    expect(
      findingsOf(unservedOwnerKind, [pod('web-1', { ownerReferences: unsure })], { types }),
    ).toEqual([]);
  });
});

describe('unserved-owner-version', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        unservedOwnerVersion,
        `
    pod    | Pod web-1
    web    | ReplicaSet web
    abroad | ReplicaSet web | {namespace: bank}
    scaler | HorizontalPodAutoscaler web
    `,
        `
    old  | web    | {apiVersion: apps/v1beta2}
    web  | web
    v1   | scaler | {apiVersion: autoscaling/v1}
    kind | web    | {kind: Gone}
    `,
        `
    an owner named in a version of the past freezes the object | pod <- old; web
    and blocks that owner, as blocking goes by uid | pod <- old!; web
    to one that is gone it is removed: a served version would kill the object | pod <- old
    to one elsewhere too | pod <- old; abroad
    not where the version is served | pod <- web; web
    not where it is served, but not preferred | pod <- v1; scaler
    not where no version serves the kind | pod <- kind; web
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an owner named in a version of the past freezes the object
        Pod web-1 > ReplicaSet web: apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version
        never-collected (GC-30)
        name the owner as apps/v1 ReplicaSet shop/web
        0: apiVersion=apps/v1
      and blocks that owner, as blocking goes by uid
        Pod web-1 > ReplicaSet web: apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version
        never-collected, blocks-foreground-deletion (GC-30)
        name the owner as apps/v1 ReplicaSet shop/web
        0: apiVersion=apps/v1
      to one that is gone it is removed: a served version would kill the object
        Pod web-1 > ReplicaSet web: apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version
        never-collected (GC-30)
        remove the reference: no object with that uid could be the owner
        0: removed
      to one elsewhere too
        Pod web-1 > ReplicaSet web: apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version
        never-collected (GC-30)
        remove the reference: no object with that uid could be the owner
        0: removed
      not where the version is served
      not where it is served, but not preferred
      not where no version serves the kind"
    `);
  });
});

describe('namespaced-owner-of-cluster-object', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        namespacedOwnerOfClusterObject,
        `
    role | ClusterRole reader
    pod  | Pod web-1
    cart | Widget cart
    rack | Gadget rack
    `,
        `
    cart | cart
    node | v1 Node node-a
    rack | rack
    uid  | rack | {apiVersion: v1, kind: ConfigMap, name: x}
    `,
        `
    a role of a namespaced resource is never collected | role <- cart; cart
    not even when that resource is gone, or other owners are | role <- cart, node
    with blockOwnerDeletion that resource can never be deleted in the foreground | role <- cart!; cart
    whatever has the uid | role <- uid; rack
    not where the owner is cluster-scoped too | role <- rack; rack
    not where the dependent is namespaced too | pod <- cart; cart
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a role of a namespaced resource is never collected
        ClusterRole reader > Widget cart: ClusterRole is cluster-scoped, so no namespace is known for Widget cart
        never-collected (GC-45)
        remove the reference; let a finalizer of the owner delete it
        0: removed
      not even when that resource is gone, or other owners are
        ClusterRole reader > Widget cart: ClusterRole is cluster-scoped, so no namespace is known for Widget cart
        never-collected (GC-45)
        remove the reference; let a finalizer of the owner delete it
        0: removed
      with blockOwnerDeletion that resource can never be deleted in the foreground
        ClusterRole reader > Widget cart: ClusterRole is cluster-scoped, so no namespace is known for Widget cart
        never-collected, blocks-foreground-deletion (GC-45)
        remove the reference; let a finalizer of the owner delete it
        0: removed
      whatever has the uid
        ClusterRole reader > ConfigMap x: ClusterRole is cluster-scoped, so no namespace is known for ConfigMap x
        never-collected (GC-45)
        remove the reference; let a finalizer of the owner delete it
        0: removed
      not where the owner is cluster-scoped too
      not where the dependent is namespaced too"
    `);
  });
});

describe('event-owner', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        eventOwner,
        `
    pod  | Pod web-1
    note | Event note
    `,
        `
    core   | note | {apiVersion: v1}
    events | note | {apiVersion: events.k8s.io/v1}
    lower  | note | {kind: event}
    `,
        `
    an Event of v1 is a poor owner | pod <- core; note
    so is an Event of events.k8s.io | pod <- events; note
    in lower case it is one too | pod <- lower; note
    when it has expired, the object is deleted | pod <- core
    when Events were not read, that is unknown | pod <- core | unread: [events, events.events.k8s.io]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an Event of v1 is a poor owner
        Pod web-1 > Event note: the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner
        none (GC-22.10)
        remove the reference; Events expire by themselves
        0: removed
      so is an Event of events.k8s.io
        Pod web-1 > Event note: the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner
        none (GC-22.10)
        remove the reference; Events expire by themselves
        0: removed
      in lower case it is one too
        Pod web-1 > event note: the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner
        none (GC-22.10)
        remove the reference; Events expire by themselves
        0: removed
      when it has expired, the object is deleted
        Pod web-1 > Event note: the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner
        deleted (GC-22.13)
        remove the reference; Events expire by themselves
        0: removed
      when Events were not read, that is unknown
        Pod web-1 > Event note: the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner
        unknown (GC-27)
        remove the reference; Events expire by themselves
        0: removed"
    `);
  });

  test('an Event of another group, and anything else, may own', () => {
    const meetings = customType('events.calendar.example.com/v1 Event');
    const party = objectOfType(meetings, 'party');
    const types = new ResourceTypes([...servedTypes.all, meetings], { exhaustive: true });
    const records = [party, configMap('guests', { ownerReferences: [ownedBy(party)] })];
    expect(findingsOf(eventOwner, records, { types })).toEqual([]);
  });
});
