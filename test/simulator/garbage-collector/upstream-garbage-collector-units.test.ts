import { describe, expect, test } from 'vitest';
import { noReferences, type ObjectRecord } from '../../../src/kube/object-record.ts';
import { isMonitored } from '../../../src/kube/resource-type.ts';
import { withoutOwners } from '../../../src/simulator/garbage-collector/attempts.ts';
import { AbsentOwnerCache } from '../../../src/simulator/garbage-collector/ownership-graph.ts';
import { blocking, configMap, customType, ownedBy, pod, widget } from '../../support/builders.ts';
import { hold, playOut, remove, replicationController } from '../play-out.ts';
import { workbench } from '../workbench.ts';

// Rows of upstream's unit tests of the collector that no test here can stand for:
//
// | test | why |
// | --- | --- |
// | GarbageCollectorConstruction, GarbageCollectorSync | monitors, informers and their health: a simulation has no informers that could fail |
// | DependentsRace | locks of a graph that goroutines share; one thread needs none |
// | OrphanDependentsFailure | that the function returns an error; that the step is tried again is tested below |
// | GetDeletableResources, nonspecific and partial failures | what discovery returns beside an error is read by the client, not by the collector |
// | ToDOTGraph, ToDOTGraphObj, MarshalDOT | the controller manager's debug endpoint |

describe('AttemptToDeleteItem', () => {
  const absent = replicationController('absent');
  const child = pod('child', { ownerReferences: [ownedBy(absent)] });

  test('a virtual node is judged by the object that is found', () => {
    const below = configMap('below', { ownerReferences: [ownedBy(child)] });
    const bench = workbench([child]);
    bench.see(below);
    expect(bench.work()).toEqual([
      'get v1 Pod child',
      'get v1 ReplicationController absent',
      'delete Pod child',
    ]);
    expect(bench.state([child.uid])).toEqual({ [child.uid]: 'v1 Pod shop/child?' });
  });

  test('DeleteObjectNotFound: it is gone when it is to be deleted', () => {
    const bench = workbench([child]);
    bench.see(child);
    expect(bench.work()).toEqual(['get v1 ReplicationController absent']);
    bench.applyReports();
    expect(bench.queued).toEqual(['v1 Pod shop/child']);
    bench.work((at) => {
      if (at === 1) bench.write(child, undefined);
    });
    expect(bench.state([child.uid])).toEqual({ [child.uid]: 'v1 Pod shop/child' });
    bench.applyReports();
    expect(bench.state([child.uid])).toEqual({});
    expect(bench.queued).toEqual([]);
  });

  test.each([
    [33, 'deleted all the same'],
    [34, 'judged again'],
  ])(
    'in v1.%i an object that gets an owner just before its deletion is %s (GC-33)',
    (minor, end) => {
      const alive = replicationController('alive');
      const bench = workbench([child, alive], minor);
      bench.see(alive);
      bench.see(child);
      bench.work();
      bench.applyReports();
      bench.work((at) => {
        const references = [...child.ownerReferences, ownedBy(alive)];
        if (at === 1) bench.write(child, { ...child, ownerReferences: references });
      });
      expect(bench.stored(child) ? 'judged again' : 'deleted all the same').toBe(end);
      expect(bench.queued).toEqual(minor < 34 ? [] : ['v1 Pod shop/child']);
    },
  );

  test('DeleteObjectNotFoundWaitingForDependents: likewise while its owner waits', () => {
    const owner = replicationController('owner', { deleting: 'foreground' });
    const dependent = pod('child', { ownerReferences: [ownedBy(owner, blocking)] });
    const bench = workbench([owner, dependent]);
    bench.see(owner);
    bench.see(dependent);
    expect(bench.work()).toEqual(['get v1 ReplicationController owner']);
    expect(bench.queued).toEqual(['v1 Pod shop/child']);
    bench.work((at) => {
      if (at === 2) bench.write(dependent, undefined);
    });
    bench.applyReports();
    expect(bench.state([dependent.uid])).toEqual({});
    expect(bench.queued).toEqual(['v1 ReplicationController shop/owner']);
  });
});

describe('ProcessEvent', () => {
  const by = (name: string, ...owners: string[]) =>
    configMap(name, { ownerReferences: owners.map((owner) => ownedBy(configMap(owner))) });
  const all = ['1', '2', '3', '4'].map((name) => configMap(name));

  /** Who depends on whom after each event; `-2` deletes. */
  function edges(...events: (ObjectRecord | string)[]) {
    const bench = workbench([]);
    const seen = new Map<string, ObjectRecord>();
    for (const event of events) {
      if (typeof event === 'string') {
        const record = seen.get(event.slice(1));
        if (record) bench.forget(record);
        continue;
      }
      bench.see(event, seen.get(event.name));
      seen.set(event.name, event);
    }
    return bench.edges(all);
  }

  test('test1', () => {
    expect(edges(by('1'))).toEqual({ 1: [] });
    expect(edges(by('1'), by('2', '1'))).toEqual({ 1: ['2'], 2: [] });
    const three = [by('1'), by('2', '1'), by('3', '1', '2')];
    expect(edges(...three)).toEqual({ 1: ['2', '3'], 2: ['3'], 3: [] });
  });

  const tree = [by('1'), by('2', '1'), by('3', '1', '2'), by('4', '2')];

  test('test2', () => {
    expect(edges(...tree)).toEqual({ 1: ['2', '3'], 2: ['3', '4'], 3: [], 4: [] });
    expect(edges(...tree, '-2')).toEqual({ 1: ['3'], 3: [], 4: [] });
  });

  test('test3', () => {
    const events = [by('1'), by('2', '1'), by('3', '1', '2'), by('4', '3'), by('2', '4')];
    expect(edges(...events)).toEqual({ 1: ['3'], 2: ['3'], 3: ['4'], 4: ['2'] });
  });

  test('reverse test2', () => {
    const [one, two, three, four] = tree as [
      ObjectRecord,
      ObjectRecord,
      ObjectRecord,
      ObjectRecord,
    ];
    expect(edges(four, three, two, one)).toEqual({ 1: ['3', '2'], 2: ['4', '3'], 3: [], 4: [] });
    expect(edges(four, three, two, one, '-2')).toEqual({ 1: ['3'], 3: [], 4: [] });
  });
});

describe('AbsentOwnerCache', () => {
  const identity = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ReplicationController',
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
  });

  test('an absent owner is asked for once, whatever else its references say', () => {
    const [rc1, rc2, rc3] = ['rc1', 'rc2', 'rc3'].map((name) => replicationController(name)) as [
      ObjectRecord,
      ObjectRecord,
      ObjectRecord,
    ];
    const pods = [rc1, rc2, rc1, rc3].map((owner, index) =>
      pod(`pod-${index}`, {
        ownerReferences: [ownedBy(owner, { controller: index === 2 ? false : undefined })],
      }),
    );
    const bench = workbench(pods);
    for (const record of pods) bench.see(record);
    const asked: string[] = [];
    while (bench.queued.length > 0) {
      asked.push(...bench.work());
      bench.applyReports();
    }
    expect(asked).toEqual([
      'get v1 ReplicationController rc1',
      'get v1 ReplicationController rc2',
      'get v1 ReplicationController rc3',
      ...['0', '2', '1', '3'].flatMap((n) => [`get v1 Pod pod-${n}`, `delete Pod pod-${n}`]),
    ]);
  });

  test('it holds 500, and forgets what was not asked for longest', () => {
    const cache = new AbsentOwnerCache();
    for (let n = 0; n < 500; n++) cache.add(identity(`rc${n}`));
    expect(cache.whyAbsent(identity('rc0'))).toBe('ReplicationController rc0 is gone');
    cache.add(identity('one-more'));
    const known = ['rc0', 'rc1', 'rc2', 'one-more'];
    expect(known.map((name) => cache.whyAbsent(identity(name)))).toEqual([
      'ReplicationController rc0 is gone',
      undefined,
      'ReplicationController rc2 is gone',
      'ReplicationController one-more is gone',
    ]);
  });
});

describe('patches', () => {
  test('DeleteOwnerRefPatch', () => {
    const owners = ['1', '2', '3'].map((name) => ownedBy(configMap(name)));
    const gone = new Set(owners.slice(1).map(({ uid }) => uid));
    const child = pod('child', { ownerReferences: owners });
    expect(withoutOwners(gone).merge(owners)).toEqual(owners.slice(0, 1));
    expect(withoutOwners(gone).replace(child)).toEqual(owners.slice(0, 1));
    expect(withoutOwners(new Set(owners.map(({ uid }) => uid))).merge(owners)).toEqual(
      noReferences,
    );
  });

  // As built-in kinds take strategic merges and custom ones do not, nil ends differently there.
  test.each([
    ['a built-in kind', configMap, [false, false, undefined]],
    ['a custom kind', widget, [false, false, false]],
  ] as const)('UnblockOwnerReference: on %s', (_, build, expected) => {
    const root = configMap('root', { finalizers: [hold] });
    const [one, two] = [configMap('one'), configMap('two')];
    const ownerReferences = [
      ownedBy(root, blocking),
      ownedBy(one, { blockOwnerDeletion: false }),
      ownedBy(two),
    ];
    // Its dependent is being deleted in the foreground already, so the item stops blocking.
    const item = build('item', { ownerReferences, finalizers: [hold] });
    const below = configMap('below', {
      ownerReferences: [ownedBy(item, blocking)],
      finalizers: ['foregroundDeletion', hold],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    });
    const owner = {
      ...root,
      finalizers: ['foregroundDeletion', hold],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    };
    const bench = workbench([owner, item, below]);
    for (const record of [item, below, owner]) bench.see(record);
    while (!bench.queued[0]?.endsWith('item')) bench.work();
    bench.work();
    const left = bench.stored(item)?.ownerReferences;
    expect(left?.map(({ blockOwnerDeletion }) => blockOwnerDeletion)).toEqual(expected);
  });

  test('OrphanDependentsFailure: a dependent that cannot be patched is tried again', () => {
    const owner = configMap('owner');
    // Stored before names were checked: the API server refuses every update of it (GC-67).
    const odd = configMap('odd', { ownerReferences: [ownedBy(owner)], finalizers: ['a/b/c'] });
    const plain = configMap('plain', { ownerReferences: [ownedBy(owner)] });
    expect(playOut([owner, odd, plain], [remove(owner, 'Orphan')])).toEqual({
      'ConfigMap owner': 'terminating (orphan)',
      'ConfigMap odd': 'alive (a/b/c), owned by owner',
      'ConfigMap plain': 'alive',
    });
  });
});

describe('GetDeletableResources', () => {
  test.each([
    [['delete', 'list', 'watch'], true],
    [[], false],
    [['delete'], false],
    [['list', 'watch'], false],
  ])('no error: a resource with %j', (verbs, expected) => {
    expect(isMonitored(customType('widgets.acme.example.com/v1 Widget', { verbs }))).toBe(expected);
  });

  test.each(['events.v1', 'events.events.k8s.io/v1'])('%s is ignored', (name) => {
    const [path = '', version = 'v1'] = name === 'events.v1' ? ['events', 'v1'] : name.split('/');
    expect(isMonitored(customType(`${path}/${version} Event`))).toBe(false);
  });
});
