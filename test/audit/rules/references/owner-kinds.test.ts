import { describe, expect, test } from 'vitest';
import {
  eventOwner,
  namespacedOwnerOfClusterObject,
  unservedOwnerKind,
  unservedOwnerVersion,
} from '../../../../src/audit/rules/owner-kinds.ts';
import { builtInTypes } from '../../../../src/kube/built-in-types.ts';
import type { OwnerReference } from '../../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import {
  autoscaler,
  blocking,
  clusterRole,
  configMap,
  customType,
  event,
  gadget,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  servedTypes,
  widget,
} from '../../../support/builders.ts';
import { finder, findingsOf, named, owned } from '../../../support/findings.ts';

const web = replicaSet('web');
const frozen = ['never collected'];
const blocked = ['never collected', 'blocks a foreground deletion for ever'];

describe('unserved-owner-kind', () => {
  const found = finder(unservedOwnerKind);
  const gone = ownedByGone('gone.example.com/v1 Gone it');
  const finding = {
    at: 'Pod web-1 > Gone it',
    because: 'no API serves gone.example.com/v1 Gone',
    consequences: frozen,
    gcRule: 'GC-30',
    fix: 'remove the reference, or install the API that serves the kind',
    edits: ['0: removed'],
  };

  test('an object of a kind whose CRD is gone is never collected', () => {
    expect(found(owned(gone))).toEqual([finding]);
  });

  test('not even when all other owners are missing, or one lives', () => {
    expect(found(owned(gone, ownedByGone('v1 Secret x')))).toEqual([finding]);
    expect(found(owned(gone, ownedBy(web)), web)).toEqual([finding]);
  });

  test('and if it blocks any owner, that one can never be deleted in the foreground', () => {
    const holding = found(owned(gone, ownedBy(web, blocking)), web);
    expect(holding).toEqual([{ ...finding, consequences: blocked }]);
    expect(found(owned({ ...gone, ...blocking }))).toEqual([finding]);
  });

  test('when the uid is known, the reference is fixed rather than removed', () => {
    expect(found(owned(ownedBy(web, { kind: 'Replicas', name: 'x' })), web)).toEqual([
      {
        ...finding,
        at: 'Pod web-1 > Replicas x',
        because: 'no API serves apps/v1 Replicas',
        fix: 'name the owner as apps/v1 ReplicaSet shop/web',
        edits: ['0: kind=ReplicaSet name=web'],
      },
    ]);
  });

  test('an object that is being deleted blocks no longer than its own finalizers', () => {
    const ownerReferences = [gone, ownedBy(web, blocking)];
    expect(found(pod('web-1', { ownerReferences, deleting: 'background' }), web)).toEqual([
      { ...finding, consequences: ['already being deleted'], gcRule: 'GC-22.1' },
    ]);
  });

  test('does not fire for kinds that are served in another spelling or version, or that are not known', () => {
    const rack = gadget('rack');
    const types = new ResourceTypes([...builtInTypes, rack.type], {
      failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'no server' }],
      exhaustive: true,
    });
    const records = [
      rack,
      web,
      named('fine', ownedBy(rack, { kind: 'gadget' })),
      named('version', ownedBy(web, { apiVersion: 'apps/v1beta2' })),
      named('list', ownedByGone('v1 PodList x')),
      named('unsure', ownedByGone('metrics.k8s.io/v1 PodMetrics x')),
    ];
    expect(findingsOf(unservedOwnerKind, records, { types })).toEqual([]);
  });
});

describe('unserved-owner-version', () => {
  const found = finder(unservedOwnerVersion);
  const old = ownedBy(web, { apiVersion: 'apps/v1beta2' });
  const finding = {
    at: 'Pod web-1 > ReplicaSet web',
    because:
      'apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version',
    consequences: frozen,
    gcRule: 'GC-30',
    fix: 'name the owner as apps/v1 ReplicaSet shop/web',
    edits: ['0: apiVersion=apps/v1'],
  };

  test('an owner named in a version of the past freezes the object', () => {
    expect(found(owned(old), web)).toEqual([finding]);
  });

  test('and blocks that owner, as blocking goes by uid', () => {
    const holding = found(owned({ ...old, ...blocking }), web);
    expect(holding).toEqual([{ ...finding, consequences: blocked }]);
  });

  test('a reference to an owner that is gone or elsewhere is removed: a served version would kill the object', () => {
    const fix = 'remove the reference: no object with that uid could be the owner';
    const removed = [{ ...finding, fix, edits: ['0: removed'] }];
    const abroad = replicaSet('web', { uid: web.uid, namespace: 'bank' });
    expect(found(owned(old))).toEqual(removed);
    expect(found(owned(old), abroad)).toEqual(removed);
  });

  test('every served version is right, preferred or not', () => {
    const scaler = autoscaler('web');
    const current = named('v1', ownedBy(web));
    const other = named('v2', ownedBy(scaler, { apiVersion: 'autoscaling/v1' }));
    const kind = named('kind', ownedBy(web, { kind: 'Gone' }));
    expect(found(web, scaler, current, other, kind)).toEqual([]);
  });
});

describe('namespaced-owner-of-cluster-object', () => {
  const found = finder(namespacedOwnerOfClusterObject);
  const cart = widget('cart');
  const finding = {
    at: 'ClusterRole reader > Widget cart',
    because:
      'ClusterRole is cluster-scoped, so there is no namespace in which to look for Widget cart',
    consequences: frozen,
    gcRule: 'GC-45',
    fix: 'remove the reference; let the owner delete it in a finalizer of its own',
    edits: ['0: removed'],
  };
  const role = (...ownerReferences: OwnerReference[]) => clusterRole('reader', { ownerReferences });

  test('a role of a namespaced resource is never collected', () => {
    expect(found(role(ownedBy(cart)), cart)).toEqual([finding]);
  });

  test('not even when that resource is gone, or other owners are', () => {
    const references = [ownedByGone('example.com/v1 Widget cart'), ownedByGone('v1 Node node-a')];
    expect(found(role(...references))).toEqual([finding]);
  });

  test('and with blockOwnerDeletion that resource can never be deleted in the foreground', () => {
    const holding = found(role(ownedBy(cart, blocking)), cart);
    expect(holding).toEqual([{ ...finding, consequences: blocked }]);
  });

  test('cluster-scoped owners, and namespaced dependents, are right', () => {
    const rack = gadget('rack');
    expect(found(rack, cart, role(ownedBy(rack)), named('p', ownedBy(cart)))).toEqual([]);
  });
});

describe('event-owner', () => {
  const found = finder(eventOwner);
  const scheduled = event('scheduled');
  const finding = {
    at: 'Pod web-1 > Event scheduled',
    because:
      'the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner',
    consequences: ['none'],
    gcRule: 'GC-22.10',
    fix: 'remove the reference; Events expire by themselves',
    edits: ['0: removed'],
  };

  test.each(['v1', 'events.k8s.io/v1'])('an Event of %s is a poor owner', (apiVersion) => {
    expect(found(owned(ownedBy(scheduled, { apiVersion })), scheduled)).toEqual([finding]);
  });

  test('in lower case it is one too', () => {
    expect(found(owned(ownedBy(scheduled, { kind: 'event' })), scheduled)).toEqual([
      { ...finding, at: 'Pod web-1 > event scheduled' },
    ]);
  });

  test('when it has expired, the object is deleted; when Events were not read, that is unknown', () => {
    const record = owned(ownedBy(scheduled));
    const unread = ['events', 'events.events.k8s.io'];
    const unknown = ['unknown because an API could not be read'];
    expect(found(record)).toEqual([
      { ...finding, consequences: ['deleted on the next pass'], gcRule: 'GC-22.13' },
    ]);
    expect(findingsOf(eventOwner, [record], { unread })).toEqual([
      { ...finding, consequences: unknown, gcRule: 'GC-27' },
    ]);
  });

  test('an Event of another group, and anything else, may own', () => {
    const meetings = customType('events.calendar.example.com/v1 Event');
    const party = objectOfType(meetings, 'party');
    const types = new ResourceTypes([...servedTypes.all, meetings], { exhaustive: true });
    const records = [party, configMap('guests', { ownerReferences: [ownedBy(party)] })];
    expect(findingsOf(eventOwner, records, { types })).toEqual([]);
  });
});
