import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  type Build,
  blocking,
  configMap,
  type Details,
  deployment,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';
import { create, eventsOf, hold, letGo, playOut, remove, simulateObjects } from '../play-out.ts';

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

  test('E24: a ReplicaSet with another owner only loses the reference', () => {
    const rs = controlled(replicaSet, 'web-1', o1, web);
    const objects = [o1, web, rs, controlled(pod, 'a', rs)];
    expect(playOut(objects, [remove(web, 'Foreground')])).toEqual({
      'Secret o1': 'alive',
      'ReplicaSet web-1': 'alive, owned by o1!',
      'Pod a': 'alive, owned by web-1!',
    });
  });

  const orphaning = child('child', [o1], {}, { finalizers: ['orphan'] });
  const grandchild = child('grandchild', [orphaning]);

  test('E25: a dependent that is to orphan is deleted so', () => {
    expect(playOut([o1, orphaning, grandchild], [remove(o1, 'Background')])).toEqual({
      'ConfigMap grandchild': 'alive',
    });
  });

  test('E25: but not under an owner that waits for it', () => {
    const dependent = child('child', [o1], blocking, { finalizers: ['orphan'] });
    const objects = [o1, dependent, child('grandchild', [dependent], blocking)];
    expect(playOut(objects, [remove(o1, 'Foreground')])).toEqual({});
  });

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

  test('E31: an owner that terminates on another finalizer counts as alive until it is gone', () => {
    const owner = secret('o2', held);
    const both = child('child', [o1, owner]);
    const objects = [o1, owner, both];
    const requests = [remove(owner), remove(o1, 'Foreground', { after: 5_000 })];
    expect(playOut(objects, requests)).toEqual({
      'Secret o2': 'terminating (example.com/hold)',
      'ConfigMap child': 'alive, owned by o2',
    });
    expect(playOut(objects, [...requests, letGo(owner)])).toEqual({});
  });

  const facts = { nodeName: 'node-1', phase: 'Running', terminationGracePeriodSeconds: 30 };
  const web = deployment('web');
  const rs = replicaSet('web-1', { ownerReferences: [ownedBy(web, blocking)] });
  const running = pod('a', { ownerReferences: [ownedBy(rs, blocking)], facts });
  const chain = [node('node-1'), web, rs, running];

  test('E32: a pod whose node has no kubelet holds a foreground deletion until it is forced', () => {
    const stuck = [remove(web, 'Foreground')];
    expect(playOut(chain, stuck)).toEqual({
      'Node node-1': 'alive',
      'Deployment web': 'terminating (foregroundDeletion)',
      'ReplicaSet web-1': 'terminating (foregroundDeletion), owned by web!',
      'Pod a': 'terminating, owned by web-1!',
    });
    const force = remove(running, 'Background', { gracePeriodSeconds: 0, after: 60_000 });
    expect(playOut(chain, [...stuck, force])).toEqual({ 'Node node-1': 'alive' });
  });

  test('E32: a background deletion leaves nothing but the pod', () => {
    expect(playOut(chain, [remove(web, 'Background')])).toEqual({
      'Node node-1': 'alive',
      'Pod a': 'terminating, owned by web-1!',
    });
  });

  test('E32: a kubelet confirms the pod, and all is gone', () => {
    const kubelets = { kubelets: true };
    expect(playOut(chain, [remove(web, 'Foreground')], kubelets)).toEqual({
      'Node node-1': 'alive',
    });
  });

  test('E33: a dependent in another namespace blocks until it is collected', () => {
    const away = child('child', [o1], blocking, { namespace: 'bank' });
    expect(playOut([o1, away], [remove(o1, 'Foreground')], { start: 'after-requests' })).toEqual(
      {},
    );
    const unserved = ownedByGone('gone.example.com/v1 Gone it');
    const frozen = { ...away, ownerReferences: [...away.ownerReferences, unserved] };
    const simulation = simulateObjects([o1, frozen], [remove(o1, 'Foreground')]);
    expect(eventsOf(simulation)).toEqual([
      'v1 ConfigMap child: ownerRef [v1/Secret, namespace: bank, name: o1, uid: uid-secret-shop-o1] does not exist in namespace "bank"',
    ]);
    expect(playOut([o1, frozen], [remove(o1, 'Foreground')])).toEqual({
      'Secret o1': 'terminating (foregroundDeletion)',
      'ConfigMap bank/child': 'alive, owned by o1! and it',
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
