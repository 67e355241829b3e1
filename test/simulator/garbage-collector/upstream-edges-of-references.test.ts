import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  autoscaler,
  blocking,
  builderOf,
  configMap,
  deployment,
  event,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  secret,
  widget,
} from '../../support/builders.ts';
import { hold, playOut, remove } from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const widgetDefinition = definition('widgets.example.com');

/** Two ConfigMaps that own each other, `b` first in the collector's way when `a` is deleted. */
function ring(changes = {}): [ObjectRecord, ObjectRecord] {
  const a = configMap('a');
  const b = configMap('b', { ownerReferences: [ownedBy(a, changes)] });
  return [configMap('a', { ownerReferences: [ownedBy(b, changes)] }), b];
}

describe('E1 to E7: cycles', () => {
  const alone = configMap('x');
  const itself = (changes = {}) => configMap('x', { ownerReferences: [ownedBy(alone, changes)] });

  test('E1: a cycle stays until a user deletes one of its objects', () => {
    const idle = { 'ConfigMap a': 'alive, owned by b', 'ConfigMap b': 'alive, owned by a' };
    expect(playOut(ring())).toEqual(idle);
    expect(playOut(ring(), [], { start: 'after-requests' })).toEqual(idle);
  });

  test('E2: a cycle goes in the background', () => {
    const [a, b] = ring();
    expect(playOut([a, b], [remove(a, 'Background')])).toEqual({});
  });

  test.each([undefined, false, true])(
    'E3: a cycle goes in the foreground, blockOwnerDeletion %s',
    (blockOwnerDeletion) => {
      const [a, b] = ring({ blockOwnerDeletion });
      expect(playOut([a, b], [remove(a, 'Foreground')])).toEqual({});
    },
  );

  test('E3: where another finalizer keeps the deleted member, the others depend on the order', () => {
    const [plain, b] = ring(blocking);
    const a = { ...plain, finalizers: [hold] };
    expect(playOut([a, b], [remove(a, 'Foreground')])).toEqual({
      'ConfigMap a': 'terminating (example.com/hold), owned by b!',
      'ConfigMap b': 'alive, owned by a, depends on the order',
    });
  });

  test('E4: two members deleted in the foreground wait for each other after a restart', () => {
    const members = ring(blocking).map((record) => ({
      ...record,
      finalizers: ['foregroundDeletion'],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    }));
    expect(playOut(members)).toEqual({
      'ConfigMap a': 'terminating (foregroundDeletion), owned by b!',
      'ConfigMap b': 'terminating (foregroundDeletion), owned by a!',
    });
  });

  test('E5: a cycle is orphaned', () => {
    const [a, b] = ring();
    expect(playOut([a, b], [remove(a, 'Orphan')])).toEqual({ 'ConfigMap b': 'alive' });
  });

  test('E6: an object that owns itself', () => {
    expect(playOut([itself()])).toEqual({ 'ConfigMap x': 'alive, owned by x' });
    expect(playOut([itself()], [remove(alone, 'Background')])).toEqual({});
    expect(playOut([itself()], [remove(alone, 'Orphan')])).toEqual({});
  });

  test.each([undefined, false])(
    'E7: it goes in the foreground, blockOwnerDeletion %s',
    (blockOwnerDeletion) => {
      expect(playOut([itself({ blockOwnerDeletion })], [remove(alone, 'Foreground')])).toEqual({});
    },
  );

  test('E7: it blocks itself until it is deleted in the background', () => {
    const stuck = [remove(alone, 'Foreground')];
    expect(playOut([itself(blocking)], stuck)).toEqual({
      'ConfigMap x': 'terminating (foregroundDeletion), owned by x!',
    });
    const freed = [...stuck, remove(alone, 'Background', { after: 60_000 })];
    expect(playOut([itself(blocking)], freed)).toEqual({});
  });
});

describe('E8 to E12: several owners', () => {
  const solid = secret('solid');
  const gone = ownedByGone('v1 Secret gone');
  const child = (...ownerReferences: ObjectRecord['ownerReferences']) =>
    configMap('child', { ownerReferences });
  const waiting = secret('waiting');

  test('E8: the owner was recreated under its name', () => {
    const old = ownedBy(solid, { uid: 'uid-of-the-first' });
    expect(playOut([solid, child(old)])).toEqual({ 'Secret solid': 'alive' });
  });

  test.each(['running', 'after-requests'] as const)('E9: solid and dangling, %s', (start) => {
    expect(playOut([solid, child(ownedBy(solid), gone)], [], { start })).toEqual({
      'Secret solid': 'alive',
      'ConfigMap child': 'alive, owned by solid',
    });
  });

  test('E10: dangling only', () => {
    expect(playOut([child(gone, ownedByGone('v1 Pod also'))])).toEqual({});
  });

  test('E11: waiting and solid', () => {
    const both = child(ownedBy(waiting, blocking), ownedBy(solid));
    expect(playOut([waiting, solid, both], [remove(waiting, 'Foreground')])).toEqual({
      'Secret solid': 'alive',
      'ConfigMap child': 'alive, owned by solid',
    });
  });

  test('E12: waiting and dangling, with and without dependents of its own', () => {
    const both = child(ownedBy(waiting, blocking), gone);
    const leaf = [waiting, both];
    const settled = { start: 'after-requests' } as const;
    expect(playOut(leaf, [remove(waiting, 'Foreground')], settled)).toEqual({});
    const grandchild = pod('grandchild', {
      ownerReferences: [ownedBy(both, blocking)],
      finalizers: [hold],
    });
    expect(playOut([...leaf, grandchild], [remove(waiting, 'Foreground')], settled)).toEqual({
      'Secret waiting': 'terminating (foregroundDeletion)',
      'ConfigMap child': 'terminating (foregroundDeletion), owned by waiting! and gone',
      'Pod grandchild': 'terminating (example.com/hold), owned by child!',
    });
  });
});

describe('E13 to E19: how the reference is written', () => {
  const owner = deployment('owner');
  const written = (changes: Parameters<typeof ownedBy>[1], ...more: ObjectRecord[]) => [
    owner,
    configMap('child', { ownerReferences: [ownedBy(owner, changes)] }),
    ...more,
  ];

  test('E13: one uid rightly and wrongly: both references go, and the child outlives its owner', () => {
    const child = configMap('child', {
      ownerReferences: [ownedBy(owner), ownedBy(owner, { name: 'nobody' })],
    });
    expect(playOut([owner, child], [remove(owner, 'Background')])).toEqual({
      'ConfigMap child': 'alive',
    });
  });

  test('E15: another version that is served is as good', () => {
    const scaler = autoscaler('scaler');
    const child = configMap('child', {
      ownerReferences: [ownedBy(scaler, { apiVersion: 'autoscaling/v1' })],
    });
    expect(playOut([scaler, child])).toEqual({
      'HorizontalPodAutoscaler scaler': 'alive',
      'ConfigMap child': 'alive, owned by scaler',
    });
    expect(playOut([scaler, child], [remove(scaler, 'Background')])).toEqual({});
  });

  test.each(['extensions/v1beta1', 'apps/v1beta9', 'batch/v1'])(
    'E16: the version %s of the kind is not served',
    (apiVersion) => {
      const objects = written({ apiVersion, ...blocking });
      expect(playOut(objects, [remove(owner, 'Foreground')])).toEqual({
        'Deployment owner': 'terminating (foregroundDeletion)',
        'ConfigMap child': 'alive, owned by owner!',
      });
      expect(playOut(objects, [remove(owner, 'Background')])).toEqual({
        'ConfigMap child': 'alive, owned by owner!',
      });
    },
  );

  test('E17: another kind, which exists', () => {
    const objects = written({ apiVersion: 'v1', kind: 'Secret' });
    expect(playOut(objects)).toEqual({ 'Deployment owner': 'alive' });
  });

  test('E18: a kind that is not served freezes the object, whatever its other references say', () => {
    const unserved = ownedByGone('gone.example.com/v1 Gone it');
    const dangling = ownedByGone('v1 Secret gone');
    const frozen = configMap('child', { ownerReferences: [dangling, ownedBy(owner), unserved] });
    expect(playOut([owner, frozen], [remove(owner, 'Background')])).toEqual({
      'ConfigMap child': 'alive, owned by gone and owner and it',
    });
  });

  test('E19: the definition of the owner goes', () => {
    const kept = widget('kept');
    const of = (changes = {}) => [ownedBy(kept, changes)];
    const objects = [
      widgetDefinition,
      kept,
      configMap('same-version', { ownerReferences: of() }),
      configMap('other-version', { ownerReferences: of({ apiVersion: 'example.com/v0' }) }),
    ];
    expect(playOut(objects, [remove(widgetDefinition, 'Background')])).toEqual({
      'ConfigMap other-version': 'alive, owned by kept',
    });
  });
});

describe('E26 to E29: other scopes and kinds', () => {
  test('E26: a cluster-scoped owner, valid from any namespace', () => {
    const owner = gadget('owner');
    const ownerReferences = [ownedBy(owner)];
    const children = ['shop', 'bank'].map((where) =>
      secret('child', { namespace: where, ownerReferences }),
    );
    expect(playOut([owner, ...children])).toEqual({
      'Gadget owner': 'alive',
      'Secret child': 'alive, owned by owner',
      'Secret bank/child': 'alive, owned by owner',
    });
    expect(playOut([owner, ...children], [remove(owner, 'Background')])).toEqual({});
  });

  test('E27: an Event of events.k8s.io as owner; its end is noticed at the next look', () => {
    const owner = event('owner');
    const child = configMap('child', {
      ownerReferences: [ownedBy(owner, { apiVersion: 'events.k8s.io/v1' })],
    });
    expect(playOut([owner, child])).toEqual({
      'Event owner': 'alive',
      'ConfigMap child': 'alive, owned by owner',
    });
    expect(playOut([owner, child], [remove(owner)])).toEqual({});
  });

  test('E28: a definition and a namespace as dependents', () => {
    const owner = gadget('owner');
    const owned = definition('widgets.example.com', { ownerReferences: [ownedBy(owner)] });
    const home = builderOf('v1', 'Namespace')('shop', { ownerReferences: [ownedBy(owner)] });
    const inside = [widget('inside'), configMap('settings')];
    const controllers = ['garbage-collector-controller', 'namespace-controller'];
    const both = [owner, owned, home, ...inside];
    expect(playOut(both, [remove(owner, 'Background')], { controllers })).toEqual({});
  });

  test('E29: a kind in lower case resolves', () => {
    const owner = pod('owner');
    const child = configMap('child', { ownerReferences: [ownedBy(owner, { kind: 'pod' })] });
    expect(playOut([owner, child])).toEqual({
      'Pod owner': 'alive',
      'ConfigMap child': 'alive, owned by owner',
    });
    expect(playOut([owner, child], [remove(owner, 'Background')])).toEqual({});
  });
});
