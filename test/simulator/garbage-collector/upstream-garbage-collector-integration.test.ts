import { describe, expect, test } from 'vitest';
import { noReferences, type ObjectRecord } from '../../../src/kube/object-record.ts';
import type { DeleteOptions } from '../../../src/simulator/api-server/request.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import {
  create,
  eventsOf,
  letGo,
  persistentVolume,
  playOut,
  remove,
  replicationController,
  simulateObjects,
} from '../play-out.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

const rc1 = replicationController('rc1');
const rc2 = replicationController('rc2');
const [x, y] = ['example.com/x', 'example.com/y'];

function child(name: string, owners: readonly ObjectRecord[], changes = {}, finalizers = [x]) {
  const ownerReferences = owners.map((owner) => ownedBy(owner, changes));
  return pod(name, { ownerReferences, finalizers });
}
const plain = (name: string, ...owners: ObjectRecord[]) => child(name, owners, {}, []);

describe.each(['running', 'after-requests'] as const)('integration tests, %s', (start) => {
  const play = (
    objects: readonly ObjectRecord[],
    ...requests: Parameters<typeof playOut>[1] & {}
  ) => playOut(objects, requests, { start });

  test('CrossNamespaceReferences', () => {
    const parent = configMap('parent', { namespace: 'b' });
    const good = Array.from({ length: 10 }, (_, n) =>
      secret(`child-${n}`, { namespace: 'b', ownerReferences: [ownedBy(parent)] }),
    );
    const wrong = ownedBy(parent, { apiVersion: 'v1', kind: 'Pod', name: 'invalid' });
    const unknown = Array.from({ length: 25 }, (_, n) =>
      ownedByGone(`example.com/v1 Unknown${n} it`, { uid: parent.uid }),
    );
    const frozen = [configMap, secret].map((build) =>
      build('frozen', { namespace: 'a', ownerReferences: [wrong, ...unknown] }),
    );
    const single = secret('single', { namespace: 'a', ownerReferences: [wrong] });
    const late = secret('late', { namespace: 'a', ownerReferences: [wrong] });
    const left = play([parent, ...good, ...frozen, single], { ...create(late), after: 60_000 });
    const owned = `alive, owned by ${['invalid', ...unknown.map(() => 'it')].join(' and ')}`;
    expect(left).toEqual({
      'ConfigMap b/parent': 'alive',
      ...Object.fromEntries(good.map(({ name }) => [`Secret b/${name}`, 'alive, owned by parent'])),
      'ConfigMap a/frozen': owned,
      'Secret a/frozen': owned,
    });
  });

  test('CascadingDeletion', () => {
    const objects = [rc1, rc2, plain('one', rc1), plain('both', rc1, rc2), plain('none')];
    expect(play(objects, remove(rc1, undefined, { orphanDependents: false }))).toEqual({
      'ReplicationController rc2': 'alive',
      'Pod both': 'alive, owned by rc2',
      'Pod none': 'alive',
    });
  });

  test('CreateWithNonExistentOwner', () => {
    expect(play([], create(plain('one', rc1)))).toEqual({});
  });

  test.each<[string, string[], DeleteOptions, boolean]>([
    ['no finalizer, no options', [], {}, true],
    ['orphan, no options', ['orphan'], {}, true],
    ['orphan, orphanDependents=false', ['orphan'], { orphanDependents: false }, false],
    ['no finalizer, orphanDependents=true', [], { orphanDependents: true }, true],
    ['no finalizer, policy Orphan', [], { propagationPolicy: 'Orphan' }, true],
  ])('StressingCascadingDeletion: %s', (_, finalizers, options, remain) => {
    const owners = ['a', 'b', 'c'].map((name) => replicationController(name, { finalizers }));
    const pods = owners.flatMap((owner) => [
      plain(`${owner.name}-1`, owner),
      plain(`${owner.name}-2`, owner),
    ]);
    const requests = owners.map((owner) => remove(owner, undefined, options));
    const kept = pods.map(({ name }) => [`Pod ${name}`, 'alive']);
    expect(play([...owners, ...pods], ...requests)).toEqual(remain ? Object.fromEntries(kept) : {});
  });

  test('Orphaning', () => {
    const pods = ['a', 'b', 'c'].map((name) => plain(name, rc1));
    expect(play([rc1, ...pods], remove(rc1, undefined, { orphanDependents: true }))).toEqual({
      'Pod a': 'alive',
      'Pod b': 'alive',
      'Pod c': 'alive',
    });
  });

  test('SolidOwnerDoesNotBlockWaitingOwner', () => {
    const both = pod('one', { ownerReferences: [ownedBy(rc1, blocking), ownedBy(rc2)] });
    expect(play([rc1, rc2, both], remove(rc1, 'Foreground'))).toEqual({
      'ReplicationController rc2': 'alive',
      'Pod one': 'alive, owned by rc2',
    });
  });

  test('NonBlockingOwnerRefDoesNotBlock', () => {
    const pods = [child('unset', [rc1]), child('false', [rc1], { blockOwnerDeletion: false })];
    expect(play([rc1, ...pods], remove(rc1, 'Foreground'))).toEqual({
      'Pod unset': `terminating (${x}), owned by rc1`,
      'Pod false': `terminating (${x}), owned by rc1`,
    });
  });

  test('DoubleDeletionWithFinalizer', () => {
    const held = child('one', [], {}, [x, y]);
    const once = remove(held, 'Foreground');
    const again = remove(held, 'Foreground', { after: 10_000 });
    const waiting = { 'Pod one': `terminating (${x}, ${y})` };
    expect(play([held], once)).toEqual(waiting);
    expect(play([held], once, again)).toEqual(waiting);
    expect(play([held], once, again, letGo(held, x), letGo(held, y))).toEqual({});
  });

  test('BlockingOwnerRefDoesBlock', () => {
    const held = child('one', [rc1], blocking);
    expect(play([rc1, held], remove(rc1, 'Foreground'))).toEqual({
      'ReplicationController rc1': 'terminating (foregroundDeletion)',
      'Pod one': `terminating (${x}), owned by rc1!`,
    });
  });

  test('CustomResourceCascadingDeletion', () => {
    const owner = widget('owner');
    const dependent = widget('dependent', { ownerReferences: [ownedBy(owner)] });
    expect(play([owner, dependent], remove(owner, 'Foreground'))).toEqual({});
  });

  test('MixedRelationships', () => {
    const custom = widget('owner');
    const core = configMap('owner');
    const objects = [
      custom,
      core,
      configMap('dependent', { ownerReferences: [ownedBy(custom)] }),
      widget('dependent', { ownerReferences: [ownedBy(core)] }),
    ];
    const requests = [remove(custom, 'Foreground'), remove(core, 'Foreground')];
    expect(play(objects, ...requests)).toEqual({});
  });

  test('ClusterScopedOwners', () => {
    const volume = persistentVolume('volume');
    const objects = [
      volume,
      configMap('kept', { ownerReferences: [ownedBy(volume)] }),
      configMap('collected', { ownerReferences: [ownedByGone('v1 PersistentVolume missing')] }),
      configMap('unknown', { ownerReferences: [ownedByGone('unknown.group/v1 Unknown it')] }),
    ];
    expect(play(objects)).toEqual({
      'PersistentVolume volume': 'alive',
      'ConfigMap kept': 'alive, owned by volume',
      'ConfigMap unknown': 'alive, owned by it',
    });
  });
});

test('CascadingDeleteOnCRDConversionFailure', () => {
  const objects = [rc1, plain('one', rc1)];
  const requests = [remove(rc1, undefined, { orphanDependents: false })];
  expect(playOut(objects, requests, { unread: ['widgets.example.com'] })).toEqual({});
});

describe('CRDDeletionCascading', () => {
  const widgets = definition('widgets.example.com');
  const owner = widget('owner');
  const objects = [widgets, owner, configMap('one', { ownerReferences: [ownedBy(owner)] })];

  test('with the collector running', () => {
    expect(playOut(objects, [remove(widgets)])).toEqual({});
  });

  test('a collector that starts when the kind is gone leaves the dependent', () => {
    const requests = [remove(widgets), remove(secret('nobody'), undefined, { after: 8_000 })];
    expect(playOut(objects, requests, { start: 'after-requests' })).toEqual({
      'ConfigMap one': 'alive, owned by owner',
    });
  });

  test('of a definition that is there again, as the first time', () => {
    const requests = [remove(widgets), { ...create(widgets), after: 120_000 }];
    expect(playOut(objects, requests)).toEqual({
      'CustomResourceDefinition widgets.example.com': 'alive',
    });
  });
});

test('CrossNamespaceReferences: an owner of the wrong kind elsewhere is told in an event', () => {
  const parent = configMap('parent', { namespace: 'b' });
  const child = secret('child', { namespace: 'a', ownerReferences: [ownedBy(parent)] });
  const { objects } = simulateObjects([parent, child]);
  expect(objects).toEqual([parent]);
  expect(eventsOf(simulateObjects([parent, child]))).toEqual([
    `v1 Secret child: ownerRef [v1/ConfigMap, namespace: a, name: parent, uid: ${parent.uid}] does not exist in namespace "a"`,
  ]);
});

describe('end-to-end tests', () => {
  const pods = (owner: ObjectRecord, changes = blocking) =>
    ['a', 'b'].map((name) => pod(name, { ownerReferences: [ownedBy(owner, changes)] }));

  const web = deployment('web');
  const rs = replicaSet('web-1', {
    ownerReferences: [ownedBy(web, { ...blocking, controller: true })],
  });

  test('should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan', () => {
    const { objects } = simulateObjects([web, rs, ...pods(rs)], [remove(web, 'Orphan')]);
    expect(objects).toEqual([
      { ...rs, ownerReferences: noReferences, resourceVersion: expect.any(String) },
      ...pods(rs),
    ]);
  });
});
