import {
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
  type OwnerReference,
} from '../kube/object-record.ts';
import { isMonitored } from '../kube/resource-type.ts';
import { classifyReference } from '../snapshot/graph/classify-reference.ts';
import type { Graph } from '../snapshot/graph/graph.ts';

/**
 * Groups of objects that own each other in a ring, so that none is ever collected: through references that the garbage
 * collector follows, and without a member that is being deleted, because its removal breaks the ring (GC-22.12,
 * GC-22.13). An object that owns only itself is not a ring.
 */
export function findCycles(graph: Graph): ObjectRecord[][] {
  return ringsAmong(graph, graph.snapshot.records, (record) => livingOwners(graph, record));
}

/**
 * Groups of objects that are all being deleted in the foreground and block each other in a ring:
 * each waits for its dependents, and nothing looks at those again (GC-23).
 */
export function findDeadlocks(graph: Graph): ObjectRecord[][] {
  return ringsAmong(graph, graph.snapshot.records.filter(isDeletingDependents), (record) =>
    isMonitored(record.type)
      ? record.ownerReferences.flatMap(({ uid, blockOwnerDeletion }) => {
          const owner = blockOwnerDeletion === true ? graph.withUid(uid) : undefined;
          return owner && owner !== record && isDeletingDependents(owner) ? [owner] : [];
        })
      : [],
  );
}

/** An object that is being deleted is not a living owner, so it is in no ring. */
function livingOwners(graph: Graph, record: ObjectRecord): ObjectRecord[] {
  return record.ownerReferences.flatMap((reference) => {
    const { class: cls, found } = classifyReference(graph, record, reference);
    return found && cls === 'solid' && found !== record && !isBeingDeleted(found) ? [found] : [];
  });
}

/** Strongly connected components of more than one object, each of which owns, is owned and has an owner that is. */
function ringsAmong(
  { intermediate: between, withUid }: Graph,
  records: readonly ObjectRecord[],
  ownersOf: (record: ObjectRecord) => ObjectRecord[],
): ObjectRecord[][] {
  const isOwned = ({ uid }: OwnerReference) => (withUid(uid)?.ownerReferences.length ?? 0) > 0;
  const possible = new Set(between().filter((record) => record.ownerReferences.some(isOwned)));
  if (possible.size < 2) return [];
  const nodes = records.filter((record) => possible.has(record));
  return strongComponents(nodes, ownersOf).filter((ring) => ring.length > 1);
}

/**
 * Strongly connected components, those that nothing leads out of first: with edges from owners to
 * dependents, leaves come before their owners. Tarjan's algorithm with an explicit stack, because
 * chains may be longer than the call stack.
 */
function strongComponents<T extends object>(
  nodes: readonly T[],
  next: (node: T) => readonly T[],
): T[][] {
  const index = new Map<T, number>();
  const low = new Map<T, number>();
  const onStack = new Set<T>();
  const stack: T[] = [];
  const components: T[][] = [];
  const enter = (node: T): Frame<T> => {
    low.set(node, index.size);
    index.set(node, index.size);
    stack.push(node);
    onStack.add(node);
    return { node, edges: next(node), at: 0 };
  };
  const lower = (node: T, to: number) => low.set(node, Math.min(low.get(node) ?? to, to));

  for (const start of nodes) {
    if (index.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const other = frame.edges[frame.at++];
      if (other) {
        if (!index.has(other)) frames.push(enter(other));
        else if (onStack.has(other)) lower(frame.node, index.get(other) ?? 0);
        continue;
      }
      frames.pop();
      const { node } = frame;
      const parent = frames.at(-1);
      if (parent) lower(parent.node, low.get(node) ?? 0);
      if (low.get(node) !== index.get(node)) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack.delete(member);
      components.push(component);
    }
  }
  return components;
}

interface Frame<T> {
  readonly node: T;
  readonly edges: readonly T[];
  at: number;
}
