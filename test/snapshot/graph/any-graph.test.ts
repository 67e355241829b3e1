import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCycles, findDeadlocks } from '../../../src/audit/cycles.ts';
import { judge } from '../../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { dependentsOf, ownersOf, type Subgraph } from '../../../src/questions/owners/subgraph.ts';
import { buildGraph, type Graph, idOf } from '../../../src/snapshot/graph/graph.ts';
import { ownerPlaceOf } from '../../../src/snapshot/graph/owner-place.ts';
import { inOrder } from '../../../src/snapshot/snapshot.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';

const runs = { numRuns: 300 };

/** Something that holds for the graph of any snapshot. */
function always(name: string, holds: (graph: Graph) => void): void {
  test(name, () => {
    fc.assert(
      fc.property(anySnapshot(), (snapshot) => holds(buildGraph(snapshot))),
      runs,
    );
  });
}

describe('in any graph', () => {
  always('edges are mutual', (graph) => {
    const { records } = graph.snapshot;
    const uids = new Set(
      records.flatMap(({ uid, ownerReferences }) => [uid, ...ownerReferences.map((r) => r.uid)]),
    );
    for (const uid of uids) {
      const expected = records.filter(({ ownerReferences }) =>
        ownerReferences.some((reference) => reference.uid === uid),
      );
      expect(graph.dependentsOf(uid)).toEqual(expected);
    }
  });

  always('solid edges have one owner, by name and uid', (graph) => {
    for (const sorted of [graph, buildGraph(inOrder(graph.snapshot))]) {
      const doubtful = new Set(sorted.unverifiedDependents());
      for (const record of sorted.snapshot.records) {
        if (record.ownerReferences.length === 0 || doubtful.has(record)) continue;
        const [reference] = record.ownerReferences as readonly [OwnerReference];
        const owner = sorted.withUid(reference.uid);
        const place = ownerPlaceOf(sorted.snapshot.types, record, reference);
        expect(place.end).toBe('at');
        if (place.end === 'at') {
          expect(sorted.at(place.type, place.namespace, reference.name)).toBe(owner);
        }
        expect(record.ownerReferences).toEqual([reference]);
        expect(judge(sorted, record).action).toMatch(/keep|terminating|ignored/);
      }
    }
  });

  always('both walks end, each object visited once', (graph) => {
    for (const record of graph.snapshot.records) {
      const down = dependentsOf(graph, [record]);
      expect([...down.nodes.keys()].sort()).toEqual(
        reach(record, (r) => [...graph.dependentsOf(r.uid)]),
      );
      const up = ownersOf(graph, [record]);
      const observed = [...up.nodes.values()].flatMap((node) =>
        'record' in node ? [node.id] : [],
      );
      expect(observed.sort()).toEqual(
        reach(record, (r) => r.ownerReferences.flatMap(({ uid }) => graph.withUid(uid) ?? [])),
      );
      for (const walk of [down, up]) checkEdges(walk);
    }
  });

  always('every verdict is complete', (graph) => {
    for (const record of graph.snapshot.records) {
      const { action, policy, references, rule, because } = judge(graph, record);
      expect(references.map(({ reference }) => reference)).toEqual(record.ownerReferences);
      expect([rule, because].map(Boolean)).toEqual([true, true]);
      expect(policy === undefined).toBe(action !== 'delete');
      // What is being deleted is not judged by its owners (attemptToDeleteItem).
      const isJudged = action !== 'terminating' && record.ownerReferences.length === 0;
      expect(action === 'unowned').toBe(isJudged);
    }
  });

  always(
    'unresolved references change nothing, unless their owner orphans its dependents',
    (graph) => {
      const orphansDependents = (uid: string) =>
        graph.withUid(uid)?.deletionTimestamp !== undefined &&
        graph.withUid(uid)?.finalizers.includes('orphan');
      for (const record of graph.snapshot.records) {
        const { action, references } = judge(graph, record);
        const doubt = references.some(
          (one) =>
            one.class === 'unknown' ||
            (one.class === 'unresolvable' && !orphansDependents(one.reference.uid)),
        );
        if (doubt) expect(action).toMatch(/^(frozen|unknown|terminating|ignored)$/);
      }
    },
  );

  always('ring members reach each other', (graph) => {
    for (const ring of findCycles(graph)) {
      expect(ring.length).toBeGreaterThan(1);
      for (const member of ring) {
        expect(member.deletionTimestamp).toBeUndefined();
        const above = new Set(ownersOf(graph, [member]).nodes.keys());
        expect(ring.filter((other) => !above.has(idOf(other)))).toEqual([]);
      }
    }
  });

  always('rings and deadlocks are disjoint', (graph) => {
    const members = [...findCycles(graph), ...findDeadlocks(graph)].flat();
    expect(new Set(members).size).toBe(members.length);
  });
});

/** Ids of what can be reached from an object, itself included, sorted. */
function reach(start: ObjectRecord, next: (record: ObjectRecord) => ObjectRecord[]): string[] {
  const met = new Set([start]);
  for (const record of met) for (const other of next(record)) met.add(other);
  return [...met].map(idOf).sort();
}

function checkEdges({ nodes, edges, from }: Subgraph): void {
  expect(
    edges.filter(({ dependent, owner }) => !nodes.has(dependent) || !nodes.has(owner)),
  ).toEqual([]);
  expect([...from.values()].flat()).toHaveLength(edges.length);
}
