import { describe, expect, test } from 'vitest';
import { deployment, node, ownedBy, pod, secret } from '../../support/builders.ts';
import { workbench } from '../workbench.ts';

// Cases of upstream's TestConflictingData: what the graph holds and what is queued after each
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
      'Pod owner was deleted',
    );
    expect(bench.absentOwners.whyAbsent({ ...identity, namespace: 'bank' })).toBe(undefined);
  });
});

describe('bad child -> existing owner with incorrect API version', () => {
  const owner = deployment('owner');
  const bad = pod('bad', {
    ownerReferences: [ownedBy(owner, { apiVersion: 'v1', kind: 'Secret' })],
  });
  const good = pod('good', { ownerReferences: [ownedBy(owner)] });
  const all = [owner, bad, good];
  const settled = (bench: ReturnType<typeof workbench>) => {
    while (bench.queued.length > 0) {
      bench.work();
      bench.applyReports();
      if (!bench.stored(bad)) bench.forget(bad);
    }
    expect(bench.state(all.map(({ uid }) => uid))).toEqual({
      [owner.uid]: 'apps/v1 Deployment shop/owner',
      [good.uid]: 'v1 Pod shop/good',
    });
    expect(all.map((record) => bench.stored(record))).toEqual([owner, undefined, good]);
  };

  test('bad child, good child, bad parent delete, good parent', () => {
    const bench = workbench(all);
    bench.see(bad);
    bench.see(good);
    expect(bench.queued).toEqual(['v1 Secret shop/owner?', 'v1 Pod shop/good']);
    expect(bench.work()).toEqual(['get v1 Secret owner']);
    expect(bench.work()).toEqual(['get v1 Pod good', 'get apps/v1 Deployment owner']);
    bench.applyReports();
    expect(bench.state([owner.uid])).toEqual({ [owner.uid]: 'apps/v1 Deployment shop/owner?' });
    expect(bench.queued).toEqual(['v1 Pod shop/bad', 'apps/v1 Deployment shop/owner?']);
    expect(bench.work()).toEqual(['get v1 Pod bad', 'delete Pod bad']);
    bench.forget(bad);
    expect(bench.work()).toEqual(['get apps/v1 Deployment owner']);
    bench.see(owner);
    settled(bench);
  });
});

describe('cluster-scoped bad child, namespaced good child', () => {
  const owner = pod('owner');
  const bad = node('bad', { ownerReferences: [ownedBy(owner)] });
  const good = pod('good', { ownerReferences: [ownedBy(owner)] });

  test('missing parent', () => {
    const bench = workbench([bad, good]);
    bench.see(bad);
    bench.see(good);
    expect(bench.queued).toEqual(['v1 Pod owner?', 'v1 Pod shop/good']);
    expect(bench.work()).toEqual([]);
    expect(bench.work()).toEqual(['get v1 Pod good', 'get v1 Pod owner', 'delete Pod good']);
    bench.forget(good);
    expect(bench.queued).toEqual([]);
    expect(bench.state([owner.uid])).toEqual({ [owner.uid]: 'v1 Pod owner?' });
    expect([bench.stored(bad), bench.stored(good)]).toEqual([bad, undefined]);
  });

  test('late observed parent', () => {
    const bench = workbench([owner, bad, good]);
    bench.see(bad);
    bench.see(good);
    expect(bench.work()).toEqual([]);
    expect(bench.work()).toEqual(['get v1 Pod good', 'get v1 Pod owner']);
    expect(bench.queued).toEqual([]);
    bench.see(owner);
    expect(bench.warned).toEqual(['v1 Node bad']);
    expect(bench.queued).toEqual(['v1 Node bad']);
    expect(bench.work()).toEqual(['get v1 Node bad']);
    expect(bench.queued).toEqual([]);
    expect([owner, bad, good].map((record) => bench.stored(record))).toEqual([owner, bad, good]);
  });
});

test('resourceVersion conflict between Get/Delete while processing object deletion', () => {
  const owner = pod('owner');
  const child = pod('child', { ownerReferences: [ownedBy(owner)] });
  const bench = workbench([owner, child]);
  bench.see(owner);
  bench.see(child);
  bench.write(owner, undefined);
  bench.forget(owner);
  expect(bench.queued).toEqual(['v1 Pod shop/child']);
  const other = { ...child, ownerReferences: [ownedBy(secret('missing'))] };
  bench.work((at) => {
    if (at === 1) bench.write(child, other);
  });
  expect(bench.queued).toEqual(['v1 Pod shop/child']);
  expect(bench.stored(child)?.ownerReferences).toEqual(other.ownerReferences);
  const asked = bench.work((at) => {
    const now = bench.stored(child);
    if (at === 2 && now) bench.write(now, { ...now, labels: { changed: 'meanwhile' } });
  });
  expect(asked).toEqual(['delete Pod child']);
  expect(bench.stored(child)).toBeUndefined();
});
