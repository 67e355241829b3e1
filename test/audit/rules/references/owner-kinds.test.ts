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
import { casesOfReferences, findingsOf } from '../../../support/findings.ts';

const frozen = 'never collected (GC-30)';
const blocks = 'never collected, blocks a foreground deletion for ever (GC-30)';

describe('unserved-owner-kind', () => {
  const finding = 'Pod web-1 > Gone it: no API serves gone.example.com/v1 Gone';
  const fix = 'remove the reference, or install the API that serves the kind | 0: removed';
  casesOfReferences(
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
    an object of a kind whose CRD is gone is never collected | pod <- gone | | ${finding} | ${frozen} | ${fix}
    not even when all other owners are missing | pod <- gone, secret | | ${finding} | ${frozen} | ${fix}
    or one lives | pod <- gone, web; web | | ${finding} | ${frozen} | ${fix}
    if it blocks any owner, that one can never be deleted in the foreground | pod <- gone, web!; web | | ${finding}
        | ${blocks} | ${fix}
    but not by a reference to what is gone | pod <- gone! | | ${finding} | ${frozen} | ${fix}
    when the uid is known, the reference is fixed rather than removed | pod <- kind; web |
        | Pod web-1 > Replicas x: no API serves apps/v1 Replicas | ${frozen}
        | name the owner as apps/v1 ReplicaSet shop/web | 0: kind=ReplicaSet name=web
    an object that is being deleted blocks no longer than its own finalizers | pod {deleting: true} <- gone, web!; web |
        | ${finding} | already being deleted (GC-22.1) | ${fix}
    not where it is served in another spelling | pod <- lower; rack
    not where it is served in another version  | pod <- old; web
    not where it is a list                     | pod <- list
    `,
  );

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
  const finding =
    'Pod web-1 > ReplicaSet web: apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version';
  const fix = 'name the owner as apps/v1 ReplicaSet shop/web | 0: apiVersion=apps/v1';
  const none = 'remove the reference: no object with that uid could be the owner | 0: removed';
  casesOfReferences(
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
    an owner named in a version of the past freezes the object | pod <- old; web | | ${finding} | ${frozen} | ${fix}
    and blocks that owner, as blocking goes by uid | pod <- old!; web | | ${finding} | ${blocks} | ${fix}
    to one that is gone it is removed: a served version would kill the object | pod <- old | | ${finding} | ${frozen} | ${none}
    to one elsewhere too | pod <- old; abroad | | ${finding} | ${frozen} | ${none}
    not where the version is served           | pod <- web; web
    not where it is served, but not preferred | pod <- v1; scaler
    not where no version serves the kind      | pod <- kind; web
    `,
  );
});

describe('namespaced-owner-of-cluster-object', () => {
  const cluster = 'ClusterRole is cluster-scoped, so there is no namespace in which to look for';
  const finding = `ClusterRole reader > Widget cart: ${cluster} Widget cart`;
  const never = 'never collected (GC-45)';
  const fix =
    'remove the reference; let the owner delete it in a finalizer of its own | 0: removed';
  casesOfReferences(
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
    a role of a namespaced resource is never collected | role <- cart; cart | | ${finding} | ${never} | ${fix}
    not even when that resource is gone, or other owners are | role <- cart, node | | ${finding} | ${never} | ${fix}
    with blockOwnerDeletion that resource can never be deleted in the foreground | role <- cart!; cart | | ${finding}
        | never collected, blocks a foreground deletion for ever (GC-45) | ${fix}
    whatever has the uid | role <- uid; rack | | ClusterRole reader > ConfigMap x: ${cluster} ConfigMap x | ${never} | ${fix}
    not where the owner is cluster-scoped too | role <- rack; rack
    not where the dependent is namespaced too | pod <- cart; cart
    `,
  );
});

describe('event-owner', () => {
  const because =
    'the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner';
  const finding = `Pod web-1 > Event note: ${because}`;
  const lives = 'none (GC-22.10)';
  const fix = 'remove the reference; Events expire by themselves | 0: removed';
  casesOfReferences(
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
    an Event of v1 is a poor owner         | pod <- core; note   | | ${finding} | ${lives} | ${fix}
    so is an Event of events.k8s.io        | pod <- events; note | | ${finding} | ${lives} | ${fix}
    in lower case it is one too            | pod <- lower; note  | | Pod web-1 > event note: ${because} | ${lives} | ${fix}
    when it has expired, the object is deleted | pod <- core | | ${finding} | deleted on the next pass (GC-22.13) | ${fix}
    when Events were not read, that is unknown | pod <- core | unread: [events, events.events.k8s.io]
        | ${finding} | unknown because an API could not be read (GC-27) | ${fix}
    `,
  );

  test('an Event of another group, and anything else, may own', () => {
    const meetings = customType('events.calendar.example.com/v1 Event');
    const party = objectOfType(meetings, 'party');
    const types = new ResourceTypes([...servedTypes.all, meetings], { exhaustive: true });
    const records = [party, configMap('guests', { ownerReferences: [ownedBy(party)] })];
    expect(findingsOf(eventOwner, records, { types })).toEqual([]);
  });
});
