import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  type Build,
  blocking,
  builderOf,
  configMap,
  type Details,
  deployment,
  event,
  gadget,
  ownedBy,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { create, hold, letGo, playOut, remove, simulateObjects } from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

/** Two ConfigMaps that own each other, `b` first in the collector's way when `a` is deleted. */
function ring(changes = {}): [ObjectRecord, ObjectRecord] {
  const a = configMap('a');
  const b = configMap('b', { ownerReferences: [ownedBy(a, changes)] });
  return [configMap('a', { ownerReferences: [ownedBy(b, changes)] }), b];
}

describe('E1 to E7: cycles', () => {
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
});

describe('E26 to E29: other scopes and kinds', () => {
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
});

/** An object with these owners, all references alike. */
function child(name: string, owners: readonly ObjectRecord[], changes = {}, details: Details = {}) {
  const ownerReferences = owners.map((owner) => ownedBy(owner, changes));
  return configMap(name, { ownerReferences, ...details });
}

const o1 = secret('o1');

describe('E20 to E23: what is seen while owners go', () => {
  test('E21: a dependent that comes after its owner was orphaned is collected', () => {
    const late = child('late', [o1]);
    const early = child('early', [o1]);
    const requests = [remove(o1, 'Orphan'), { ...create(late), after: 5_000 }];
    expect(playOut([o1, early], requests)).toEqual({ 'ConfigMap early': 'alive' });
  });
});

describe('E24 to E25: cascades', () => {
  const web = deployment('web');
  const controlled = (build: Build, name: string, ...owners: ObjectRecord[]) =>
    build(name, { ownerReferences: owners.map((owner) => ownedBy(owner, blocking)) });

  test('E24: a Deployment goes in the foreground, its pods first', () => {
    const rs = controlled(replicaSet, 'web-1', web);
    const pods = ['a', 'b'].map((name) => controlled(pod, name, rs));
    const simulation = simulateObjects([web, rs, ...pods], [remove(web, 'Foreground')]);
    expect(simulation.objects).toEqual([]);
    expect(
      simulation.steps.map(({ actor, verb, object, policy, result }) =>
        [actor, verb, object.name, policy ?? '', result].join(' '),
      ),
    ).toEqual([
      'user delete web Foreground terminating',
      'garbage-collector-controller delete web-1 Foreground terminating',
      'garbage-collector-controller delete a Background removed',
      'garbage-collector-controller delete b Background removed',
      'garbage-collector-controller patch web-1  removed',
      'garbage-collector-controller patch web  removed',
    ]);
  });
});

test('two references to itself, of which the second blocks, go or stay by the moment of an update', () => {
  const kept = configMap('kept');
  const self = configMap('self');
  const both = [ownedBy(self), ownedBy(self, blocking), ownedBy(kept)];
  const twice = { ...self, ownerReferences: both, finalizers: [hold] };
  // Any update counts as one of its references (GC-15).
  const update = letGo(twice, hold, 0);
  const ends = playOut([kept, twice], [update, remove(twice, 'Foreground')]);
  expect(ends['ConfigMap self']).toMatch(/, depends on the order$/);
  expect(playOut([kept, twice], [remove(twice, 'Foreground')])).toEqual({
    'ConfigMap kept': 'alive',
    'ConfigMap self':
      'terminating (example.com/hold, foregroundDeletion), owned by self and self! and kept',
  });
});

describe('E35 to E37: what depends on the order', () => {
  test('E37: an orphaned dependent with a wrong reference survives, as the patch comes first', () => {
    const wrong = child('child', [o1], { name: 'nobody' });
    const start = 'after-requests';
    expect(playOut([o1, wrong], [remove(o1, 'Orphan')], { start })).toEqual({
      'ConfigMap child': expect.stringMatching(/^alive/),
    });
    const unserved = child('child', [o1], { apiVersion: 'v9' });
    expect(playOut([o1, unserved], [remove(o1, 'Orphan')], { start })).toEqual({
      'ConfigMap child': 'alive',
    });
  });
});
