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
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { create, hold, letGo, playOut, remove, simulateObjects } from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const widgetDefinition = definition('widgets.example.com');

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

  test('E13: one uid rightly and wrongly: both references go, and the child outlives its owner', () => {
    const child = configMap('child', {
      ownerReferences: [ownedBy(owner), ownedBy(owner, { name: 'nobody' })],
    });
    expect(playOut([owner, child], [remove(owner, 'Background')])).toEqual({
      'ConfigMap child': 'alive',
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
const o2 = secret('o2');
const held = { finalizers: [hold] };
const gone = ownedByGone('v1 Secret gone');

describe('E20 to E23: what is seen while owners go', () => {
  test.each([undefined, false])(
    'E20: a foreground deletion does not wait for a dependent with blockOwnerDeletion %s',
    (blockOwnerDeletion) => {
      const dependent = child('child', [o1], { blockOwnerDeletion }, held);
      expect(playOut([o1, dependent], [remove(o1, 'Foreground')])).toEqual({
        'ConfigMap child': 'terminating (example.com/hold), owned by o1',
      });
    },
  );

  test('E20: it depends on the order where another finalizer keeps the owner', () => {
    const owner = secret('o1', held);
    expect(playOut([owner, child('child', [owner])], [remove(owner, 'Foreground')])).toEqual({
      'Secret o1': 'terminating (example.com/hold)',
      'ConfigMap child': 'gone, depends on the order',
    });
  });

  test('E21: a dependent that comes after its owner was orphaned is collected', () => {
    const late = child('late', [o1]);
    const early = child('early', [o1]);
    const requests = [remove(o1, 'Orphan'), { ...create(late), after: 5_000 }];
    expect(playOut([o1, early], requests)).toEqual({ 'ConfigMap early': 'alive' });
  });

  test.each(['Background', 'Foreground'] as const)(
    'E22: one owner orphans, the other goes in the %s',
    (policy) => {
      const both = child('child', [o1, o2]);
      const requests = [remove(o1, 'Orphan'), remove(o2, policy)];
      const told = playOut([o1, o2, both], requests, { start: 'after-requests' });
      expect(told).toEqual({ 'ConfigMap child': 'gone, depends on the order' });
    },
  );

  test('E22: one owner orphans, the other was never there', () => {
    const both = child('child', [o1], {}, { ownerReferences: [ownedBy(o1), gone] });
    const told = playOut([o1, both], [remove(o1, 'Orphan')], { start: 'after-requests' });
    expect(told).toEqual({ 'ConfigMap child': 'gone, depends on the order' });
  });

  test('E23: a terminating dependent keeps its references and holds its waiting owner', () => {
    const dependent = configMap('child', {
      ownerReferences: [ownedBy(o1), ownedBy(o2, blocking)],
      finalizers: [hold],
    });
    const requests = [remove(dependent), remove(o2, 'Foreground', { after: 5_000 })];
    expect(playOut([o1, o2, dependent], requests)).toEqual({
      'Secret o1': 'alive',
      'Secret o2': 'terminating (foregroundDeletion)',
      'ConfigMap child': 'terminating (example.com/hold), owned by o1 and o2!',
    });
    expect(playOut([o1, o2, dependent], [...requests, letGo(dependent)])).toEqual({
      'Secret o1': 'alive',
    });
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

  const orphaning = child('child', [o1], {}, { finalizers: ['orphan'] });
  const grandchild = child('grandchild', [orphaning]);

  test('E25: under an owner that does not wait for it, it depends on the order', () => {
    expect(playOut([o1, orphaning, grandchild], [remove(o1, 'Foreground')])).toEqual({
      'ConfigMap grandchild': 'gone, depends on the order',
    });
  });
});

describe('E30 to E34: what holds whom', () => {
  test('E30: a dependent that is deleted in the foreground for another reason unblocks its owner', () => {
    const item = child('item', [o1], blocking, held);
    const leaf = configMap('leaf', { ownerReferences: [ownedBy(item, blocking)], ...held });
    const inner = child('inner', [leaf], blocking, held);
    const requests = [remove(leaf, 'Foreground'), remove(o1, 'Foreground', { after: 5_000 })];
    expect(playOut([o1, item, leaf, inner], requests)).toEqual({
      // Judged afresh after its references stopped blocking, with o1 still there or not.
      'ConfigMap item': 'terminating (example.com/hold), owned by o1, depends on the order',
      'ConfigMap leaf': 'terminating (example.com/hold, foregroundDeletion), owned by item!',
      'ConfigMap inner': 'terminating (example.com/hold), owned by leaf!',
    });
  });

  test('E34: an owner is deleted before the collector runs', () => {
    const start = 'after-requests';
    const objects = [o1, o2, child('one', [o1]), child('two', [o1, o2])];
    expect(playOut(objects, [remove(o1, 'Background')], { start })).toEqual({
      'Secret o2': 'alive',
      'ConfigMap two': 'alive, owned by o2',
    });
  });
});

describe('E35 to E37: what depends on the order', () => {
  test('E35: references left on what stays terminating', () => {
    const item = child('item', [o1, o2], {}, held);
    const told = playOut([o1, o2, item], [remove(o1, 'Background'), remove(o2, 'Background')]);
    expect(told).toEqual({
      'ConfigMap item': expect.stringMatching(
        /^terminating \(example.com\/hold\), owned by .*, depends on the order$/,
      ),
    });
  });

  test('E36: a diamond ends alike, unless its bottom carries a finalizer of the collector', () => {
    const left = child('left', [o1], blocking);
    const right = child('right', [o2], blocking);
    const diamond = (details: Details = {}) => {
      const bottom = child('bottom', [left, right], blocking, details);
      return [o1, o2, left, right, bottom, child('below', [bottom])];
    };
    const requests = [remove(o1, 'Foreground'), remove(o2, 'Background')];
    expect(playOut(diamond(), requests)).toEqual({});
    for (const start of ['running', 'after-requests'] as const) {
      expect(playOut(diamond({ finalizers: ['orphan'] }), requests, { start })).toEqual({
        'ConfigMap below': expect.stringMatching(/^(alive|gone), depends on the order$/),
      });
    }
  });

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
