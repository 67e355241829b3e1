import { describe, expect, test } from 'vitest';
import { node, ownedBy, pod } from '../../support/builders.ts';
import { workbench } from '../workbench.ts';

// Upstream's TestConflictingData, case by case: what the graph holds and what is queued after each
// step, in the order of events that the case is about. The tables of asked requests are complete.

const machine = node('machine');

describe('good child in ns1 -> cluster-scoped owner', () => {
  const child = pod('child', { ownerReferences: [ownedBy(machine)] });

  test('the child comes first, both stay', () => {
    const bench = workbench([machine, child]);
    bench.see(child);
    expect(bench.queued).toEqual(['v1 Node shop/machine?']);
    expect(bench.work()).toEqual(['get v1 Node machine']);
    expect(bench.queued).toEqual(['v1 Node shop/machine?']);
    bench.see(machine);
    expect(bench.state([child.uid, machine.uid])).toEqual({
      [child.uid]: 'v1 Pod shop/child',
      [machine.uid]: 'v1 Node machine',
    });
    // The stale virtual node is dropped; the child, suspicious no more, is looked at once.
    expect(bench.work()).toEqual([]);
    while (bench.queued.length > 0) bench.work();
    expect([bench.stored(child), bench.stored(machine)]).toEqual([child, machine]);
    expect(bench.warned).toEqual([]);
  });
});

describe('bad child in ns1 -> owner in ns2', () => {
  const owner = pod('owner', { namespace: 'bank' });
  const child = pod('child', { ownerReferences: [ownedBy(owner)] });
  const judged = ['get v1 Pod child', 'get v1 Pod owner', 'delete Pod child'];

  test('owner first', () => {
    const bench = workbench([owner, child]);
    bench.see(owner);
    bench.see(child);
    expect(bench.warned).toEqual(['v1 Pod shop/child']);
    expect(bench.queued).toEqual(['v1 Pod shop/child']);
    expect(bench.work()).toEqual(judged);
    expect(bench.queued).toEqual([]);
    expect([bench.stored(child), bench.stored(owner)]).toEqual([undefined, owner]);
    const identity = { apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: owner.uid };
    expect(bench.absentOwners.whyAbsent({ ...identity, namespace: 'shop' })).toBe(
      'Pod owner is gone',
    );
    expect(bench.absentOwners.whyAbsent({ ...identity, namespace: 'bank' })).toBe(undefined);
  });
});
