import { describe, expect, test } from 'vitest';
import { autoscaler, deployment, node, ownedBy, pod } from '../../support/builders.ts';
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

  test('child first', () => {
    const bench = workbench([owner, child]);
    bench.see(child);
    expect(bench.queued).toEqual(['v1 Pod shop/owner?']);
    bench.see(owner);
    expect(bench.warned).toEqual(['v1 Pod shop/child']);
    expect(bench.queued).toEqual(['v1 Pod shop/owner?', 'v1 Pod shop/child']);
    expect(bench.work()).toEqual([]);
    expect(bench.work()).toEqual(judged);
    expect(bench.queued).toEqual([]);
    expect([bench.stored(child), bench.stored(owner)]).toEqual([undefined, owner]);
  });

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

describe('bad cluster-scoped child -> owner in ns1', () => {
  const owner = pod('owner');
  const child = node('child', { ownerReferences: [ownedBy(owner)] });

  test('child first', () => {
    const bench = workbench([owner, child]);
    bench.see(child);
    expect(bench.queued).toEqual(['v1 Pod owner?']);
    expect(bench.work()).toEqual([]);
    expect(bench.queued).toEqual([]);
    bench.see(owner);
    expect(bench.warned).toEqual(['v1 Node child']);
    expect(bench.work()).toEqual(['get v1 Node child']);
    expect(bench.queued).toEqual([]);
    expect([bench.stored(child), bench.stored(owner)]).toEqual([child, owner]);
  });

  test('owner first', () => {
    const bench = workbench([owner, child]);
    bench.see(owner);
    bench.see(child);
    expect(bench.warned).toEqual(['v1 Node child']);
    expect(bench.work()).toEqual(['get v1 Node child']);
    expect(bench.queued).toEqual([]);
    expect([bench.stored(child), bench.stored(owner)]).toEqual([child, owner]);
  });
});

test('good child -> existing owner with non-preferred accessible API version', () => {
  const owner = autoscaler('owner');
  const child = pod('child', {
    ownerReferences: [ownedBy(owner, { apiVersion: 'autoscaling/v1' })],
  });
  const bench = workbench([owner, child]);
  bench.see(child);
  bench.see(owner);
  expect(bench.state([owner.uid])).toEqual({
    [owner.uid]: 'autoscaling/v2 HorizontalPodAutoscaler shop/owner',
  });
  expect(bench.work()).toEqual([]);
  expect(bench.work()).toEqual([
    'get v1 Pod child',
    'get autoscaling/v1 HorizontalPodAutoscaler owner',
  ]);
  expect(bench.queued).toEqual([]);
  bench.write(owner, undefined);
  bench.forget(owner);
  expect(bench.queued).toEqual(['v1 Pod shop/child']);
  expect(bench.work()).toEqual([
    'get v1 Pod child',
    'get autoscaling/v1 HorizontalPodAutoscaler owner',
    'delete Pod child',
  ]);
  const identity = { kind: 'HorizontalPodAutoscaler', namespace: 'shop', name: 'owner' };
  for (const apiVersion of ['autoscaling/v1', 'autoscaling/v2']) {
    const known = { ...identity, apiVersion, uid: owner.uid };
    expect(bench.absentOwners.whyAbsent(known)).toBe('HorizontalPodAutoscaler owner is gone');
  }
});

describe('child -> existing owner with inaccessible API version', () => {
  const owner = deployment('owner');
  const child = pod('child', {
    ownerReferences: [ownedBy(owner, { apiVersion: 'extensions/v1beta1' })],
  });

  test.each([
    ['child first', [child, owner]],
    ['owner first', [owner, child]],
  ] as const)('%s', (_, order) => {
    const bench = workbench([owner, child]);
    for (const record of order) bench.see(record);
    bench.work();
    if (bench.queued.length > 1) bench.work();
    expect(bench.queued).toContain('v1 Pod shop/child');
    bench.write(owner, undefined);
    bench.forget(owner);
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(bench.work()).toEqual(['get v1 Pod child']);
      expect(bench.queued).toEqual(['v1 Pod shop/child']);
    }
    expect(bench.stored(child)).toEqual(child);
  });
});

describe('child -> non-existent owner with inaccessible API version', () => {
  const owner = deployment('owner');
  const unserved = pod('unserved', {
    ownerReferences: [ownedBy(owner, { apiVersion: 'extensions/v1beta1' })],
  });
  const served = pod('served', { ownerReferences: [ownedBy(owner)] });

  test('inaccessible parent apiVersion first', () => {
    const bench = workbench([unserved, served]);
    bench.see(unserved);
    bench.see(served);
    expect(bench.queued).toEqual([
      'extensions/v1beta1 Deployment shop/owner?',
      'v1 Pod shop/served',
    ]);
    expect(bench.work()).toEqual([]);
    expect(bench.work()).toEqual([
      'get v1 Pod served',
      'get apps/v1 Deployment owner',
      'delete Pod served',
    ]);
    bench.forget(served);
    expect(bench.queued).toEqual(['extensions/v1beta1 Deployment shop/owner?']);
    expect(bench.work()).toEqual([]);
    expect(bench.queued).toEqual(['extensions/v1beta1 Deployment shop/owner?']);
    expect([bench.stored(unserved), bench.stored(served)]).toEqual([unserved, undefined]);
  });

  test('accessible parent apiVersion first', () => {
    const bench = workbench([unserved, served]);
    bench.see(served);
    bench.see(unserved);
    expect(bench.queued).toEqual(['apps/v1 Deployment shop/owner?', 'v1 Pod shop/unserved']);
    expect(bench.work()).toEqual(['get apps/v1 Deployment owner']);
    expect(bench.work()).toEqual(['get v1 Pod unserved']);
    bench.applyReports();
    expect(bench.state([owner.uid])).toEqual({
      [owner.uid]: 'extensions/v1beta1 Deployment shop/owner?',
    });
    expect(bench.queued).toEqual([
      'v1 Pod shop/unserved',
      'v1 Pod shop/served',
      'extensions/v1beta1 Deployment shop/owner?',
    ]);
    expect(bench.work()).toEqual(['get v1 Pod unserved']);
    expect(bench.work()).toEqual(['get v1 Pod served', 'delete Pod served']);
    bench.forget(served);
    expect(bench.work()).toEqual([]);
    expect(bench.queued).toEqual([
      'v1 Pod shop/unserved',
      'extensions/v1beta1 Deployment shop/owner?',
    ]);
    expect(bench.stored(unserved)).toEqual(unserved);
  });
});
