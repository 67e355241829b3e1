import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import {
  AbsentOwnerCache,
  OwnershipGraph,
} from '../../../src/simulator/garbage-collector/ownership-graph.ts';
import {
  alternateIdentity,
  OwnershipNode,
  partitionDependents,
} from '../../../src/simulator/garbage-collector/ownership-node.ts';
import { blocking, configMap, gadget, ownedBy, secret } from '../../support/builders.ts';

/** A graph that has seen these, and what it tells afterwards. */
function graphOf(...records: ObjectRecord[]) {
  const told: string[] = [];
  const absentOwners = new AbsentOwnerCache();
  const graph = new OwnershipGraph(
    absentOwners,
    {
      attemptToDelete: ({ identity }) => told.push(`delete ${identity.name}`),
      attemptToDeleteLater: ({ identity }) => told.push(`later ${identity.name}`),
      attemptToOrphan: ({ identity }) => told.push(`orphan ${identity.name}`),
      invalidNamespace: ({ identity }, uid) => told.push(`warn ${identity.name} of ${uid}`),
    },
    referenceTo,
  );
  for (const record of records) graph.observe(undefined, record);
  const before = told.splice(0);
  const dependentsOf = (uid: string) =>
    [...(graph.node(uid)?.dependents ?? [])].map(({ identity }) => identity.name);
  return { graph, told, before, absentOwners, dependentsOf };
}

const owner = configMap('owner');
const other = configMap('other');
const child = secret('child', { ownerReferences: [ownedBy(owner, blocking)] });

describe('an object that is seen', () => {
  test('is looked at where a reference does not fit its owner', () => {
    const misnamed = secret('child', { ownerReferences: [ownedBy(owner, { name: 'wrong' })] });
    expect(graphOf(owner, misnamed).before).toEqual(['delete child']);
    const elsewhere = secret('child', {
      namespace: 'elsewhere',
      ownerReferences: [ownedBy(owner)],
    });
    expect(graphOf(owner, elsewhere).before).toEqual([
      `warn child of ${owner.uid}`,
      'delete child',
    ]);
    const byCluster = secret('child', { ownerReferences: [ownedBy(gadget('g'))] });
    expect(graphOf(gadget('g'), byCluster).before).toEqual([]);
    // Where the owner is known from a reference only, nothing warns yet.
    expect(graphOf(child, { ...elsewhere, uid: 'two' }).before).toEqual([
      'delete owner',
      'delete child',
    ]);
  });

  test('replaces its older state; dependents that name it otherwise are queued', () => {
    const wrong = secret('wrong', { ownerReferences: [ownedBy(owner, { name: 'nobody' })] });
    const right = secret('right', { ownerReferences: [ownedBy(owner)] });
    const away = secret('away', { namespace: 'elsewhere', ownerReferences: [ownedBy(owner)] });
    const { graph, told, dependentsOf } = graphOf(wrong, right, away);
    graph.observe(undefined, owner);
    expect(told).toEqual(['delete wrong', `warn away of ${owner.uid}`, 'delete away']);
    expect(graph.node(owner.uid)).toMatchObject({ isObserved: true, identity: { name: 'owner' } });
    expect(dependentsOf(owner.uid)).toEqual(['wrong', 'right', 'away']);
    const fitting = graphOf(right);
    fitting.graph.observe(undefined, owner);
    expect(fitting.told).toEqual([]);
  });

  test('waits for its dependents where its deletion says so', () => {
    const dependent = secret('child', { ownerReferences: [ownedBy(owner)] });
    const foreground = configMap('owner', { deleting: 'foreground' });
    expect(graphOf(foreground).before).toEqual(['delete owner']);
    const { graph, told } = graphOf(owner, dependent);
    graph.observe(owner, foreground);
    expect(told).toEqual(['delete child', 'delete owner']);
    expect(graph.node(owner.uid)).toMatchObject({ beingDeleted: true, deletingDependents: true });
    told.splice(0);
    graph.observe(foreground, foreground);
    expect(told).toEqual([]);
  });
});

describe('an object whose references change', () => {
  const update = (before: ObjectRecord, ownerReferences: ObjectRecord['ownerReferences']) => {
    const all = graphOf(owner, other, before);
    all.graph.observe(before, { ...before, ownerReferences });
    return { ...all, links: [all.dependentsOf(owner.uid), all.dependentsOf(other.uid)] };
  };

  test('is linked to the new ones, and no more to those that it lost', () => {
    const { links, told } = update(child, [ownedBy(other)]);
    expect(links).toEqual([[], ['child']]);
    // The owner may have waited for it.
    expect(told).toEqual(['delete owner']);
    expect(update(child, [ownedBy(owner, blocking), ownedBy(other)]).links).toEqual([
      ['child'],
      ['child'],
    ]);
    expect(update(secret('child'), [ownedBy(other)]).links).toEqual([[], ['child']]);
  });

  test('lets an owner be looked at that it does not block any more', () => {
    expect(update(child, [ownedBy(owner)]).told).toEqual(['delete owner']);
    expect(update(child, [ownedBy(owner, { blockOwnerDeletion: false })]).told).toEqual([
      'delete owner',
    ]);
    expect(update(child, [ownedBy(owner, { ...blocking, controller: true })]).told).toEqual([]);
    const loose = secret('child', { ownerReferences: [ownedBy(owner)] });
    expect(update(loose, []).told).toEqual([]);
    expect(update(loose, [ownedBy(owner, blocking)]).told).toEqual([]);
    expect(update(loose, [ownedBy(owner, { controller: true })]).told).toEqual([]);
  });

  test('changes at each update where two references have one uid (GC-15)', () => {
    const twice = [ownedBy(owner), ownedBy(owner, blocking)];
    const referring = secret('child', { ownerReferences: twice });
    expect(update(referring, twice).told).toEqual(['delete owner']);
    expect(update(referring, [...twice]).told).toEqual(['delete owner']);
    const backwards = [...twice].reverse();
    expect(update({ ...referring, ownerReferences: backwards }, backwards).told).toEqual([]);
    const misnamed = [ownedBy(owner), ownedBy(owner, { name: 'wrong' })];
    expect(update({ ...referring, ownerReferences: misnamed }, misnamed).told).toEqual([
      'delete child',
    ]);
  });

  test('enqueues no unknown owner', () => {
    const { graph, told } = graphOf(child);
    graph.forgetVirtual(referenceTo(owner), 'it was deleted');
    told.splice(0);
    graph.observe(child, { ...child, ownerReferences: [] });
    expect(told).toEqual([]);
  });
});

describe('an object that goes', () => {
  test('lets its dependents be looked at, and an owner that waits for it', () => {
    const waiting = configMap('owner', { deleting: 'foreground' });
    const below = configMap('below', { ownerReferences: [ownedBy(child)] });
    const { graph, told, dependentsOf, absentOwners } = graphOf(waiting, child, below);
    graph.forget(child);
    expect(told).toEqual(['delete below', 'delete owner']);
    expect(dependentsOf(owner.uid)).toEqual([]);
    expect(graph.node(child.uid)).toBeUndefined();
    expect(absentOwners.whyAbsent(referenceTo(child))).toBe('Secret child was deleted');
    graph.forget(child);
    expect(told).toHaveLength(2);
  });

  test('is not remembered where nothing depends on it, and no other owner is asked', () => {
    const { graph, told, absentOwners } = graphOf(owner, child);
    graph.forget(child);
    expect(told).toEqual([]);
    expect(absentOwners.whyAbsent(referenceTo(child))).toBeUndefined();
  });
});

describe('a lookup that finds nothing', () => {
  const identity = referenceTo(owner);

  test('says of who calls it so that its owner is absent, and another name is tried', () => {
    const wrong = secret('wrong', { ownerReferences: [ownedBy(owner, { name: 'zz' })] });
    const { graph, told, absentOwners } = graphOf(child, wrong);
    told.splice(0);
    graph.forgetVirtual(identity, 'it was deleted');
    expect(told).toEqual(['delete child', 'later zz']);
    expect(graph.node(owner.uid)?.identity.name).toBe('zz');
    expect(absentOwners.whyAbsent(identity)).toBe('it was deleted');
    // Once it has another name, nothing more is tried by the old one.
    told.splice(0);
    graph.forgetVirtual(identity, 'it was deleted');
    expect(told).toEqual(['delete child']);
  });

  test('is no news once an owner is known to be absent under each of its descriptions', () => {
    const both = [ownedBy(owner), ownedBy(owner, { name: 'zz' })];
    const { graph } = graphOf(secret('both', { ownerReferences: both }));
    const inTurn = ['owner', 'zz', 'owner', 'zz'].map((name) => {
      expect(graph.node(owner.uid)?.identity.name).toBe(name);
      return graph.forgetVirtual({ ...identity, name }, 'it was deleted');
    });
    expect(inTurn).toEqual([true, true, false, false]);
    expect(graph.forgetVirtual(referenceTo(configMap('unheard-of')), 'it was deleted')).toBe(false);
  });
});

describe('dependents', () => {
  const nodeOf = (record: ObjectRecord) => {
    const node = new OwnershipNode(referenceTo(record));
    node.owners = record.ownerReferences;
    return node;
  };
  const names = (nodes: readonly OwnershipNode[]) => nodes.map(({ identity }) => identity.name);

  test('call their owner by its coordinates, by others, or both', () => {
    const wrong = ownedBy(owner, { name: 'zz' });
    const nodes = [
      secret('right', { ownerReferences: [ownedBy(owner)] }),
      secret('wrong', { ownerReferences: [wrong] }),
      secret('both', { ownerReferences: [wrong, ownedBy(owner)] }),
      secret('away', { namespace: 'elsewhere', ownerReferences: [ownedBy(owner)] }),
      secret('stranger', { ownerReferences: [ownedBy(other)] }),
    ].map(nodeOf);
    const { matching, other: rest } = partitionDependents(nodes, referenceTo(owner));
    expect([names(matching), names(rest)]).toEqual([
      ['right', 'both'],
      ['wrong', 'both', 'away'],
    ]);
    const ofCluster = secret('any', { ownerReferences: [ownedBy(gadget('g'))] });
    expect(
      names(partitionDependents([nodeOf(ofCluster)], referenceTo(gadget('g'))).matching),
    ).toEqual(['any']);
  });

  test('know their owner by the name that follows the absent one, else by the first', () => {
    const named = (...called: string[]) =>
      called.map((name) => nodeOf(secret(name, { ownerReferences: [ownedBy(owner, { name })] })));
    const next = (absent: string, ...called: string[]) =>
      alternateIdentity(named(...called), { ...referenceTo(owner), name: absent })?.name;
    expect(next('b', 'd', 'c', 'a')).toBe('c');
    expect(next('b', 'c', 'd', 'a')).toBe('c');
    expect(next('x', 'b', 'a', 'x')).toBe('a');
    expect(next('x', 'a', 'b')).toBe('a');
    expect(next('x', 'x')).toBeUndefined();
    const stranger = nodeOf(secret('s', { ownerReferences: [ownedBy(other, { name: 'z' })] }));
    expect(alternateIdentity([stranger], referenceTo(owner))).toBeUndefined();
  });
});

test('the last 500 absent owners are remembered, in the order of requests', () => {
  const cache = new AbsentOwnerCache();
  const identity = (at: number) => ({ ...referenceTo(owner), uid: `u${at}` });
  expect(cache.whyAbsent(identity(0))).toBeUndefined();
  for (let at = 0; at < 500; at++) cache.add(identity(at));
  // Asked for again, it is the youngest.
  expect(cache.whyAbsent(identity(0))).toBe('ConfigMap owner was deleted');
  cache.add(identity(500), 'because');
  expect([0, 1, 2, 500].map((at) => cache.whyAbsent(identity(at)))).toEqual([
    'ConfigMap owner was deleted',
    undefined,
    'ConfigMap owner was deleted',
    'because',
  ]);
  cache.add(identity(2));
  cache.add(identity(501));
  expect(cache.whyAbsent(identity(3))).toBeUndefined();
  expect(cache.whyAbsent({ ...identity(4), name: 'x' })).toBeUndefined();
});
