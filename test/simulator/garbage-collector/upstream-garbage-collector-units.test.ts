import { describe, expect, test } from 'vitest';
import { blocking, configMap, ownedBy, pod, widget } from '../../support/builders.ts';
import { hold, playOut, remove, replicationController } from '../play-out.ts';
import { workbench } from '../workbench.ts';

// Cases of upstream's unit tests that no recorded case and none of attempts, ownership-graph and workers holds.

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

  test('DeleteObjectNotFound: it does not exist when it is to be deleted', () => {
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
  ])('in v1.%i an object adopted just before its deletion is %s (GC-33)', (minor, end) => {
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
  });

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

describe('patches', () => {
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
