import {
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { isMonitored } from '../../kube/resource-type.ts';
import { classifyReference } from './classify-reference.ts';
import type { Graph } from './graph.ts';

/**
 * Groups of objects that keep each other alive in a ring: through references that the garbage
 * collector honours, and without a member that is being deleted, as its removal breaks the ring
 * (GC-22.12, GC-22.13). An object that owns only itself is no ring.
 */
export function findCycles(graph: Graph): ObjectRecord[][] {
  return ringsAmong(graph.snapshot.records, (record) => livingOwners(graph, record));
}

/**
 * Groups of objects that are all being deleted in the foreground and block each other in a ring:
 * each waits for its dependents, and nothing looks at those again (GC-23).
 */
export function findDeadlocks(graph: Graph): ObjectRecord[][] {
  return ringsAmong(graph.snapshot.records, (record) =>
    isDeletingDependents(record) && isMonitored(record.type)
      ? record.ownerReferences.flatMap(({ uid, blockOwnerDeletion }) => {
          const owner = blockOwnerDeletion === true ? graph.withUid(uid) : undefined;
          return owner && owner !== record && isDeletingDependents(owner) ? [owner] : [];
        })
      : [],
  );
}

/** An object that is being deleted is no living owner, so it is in no ring. */
function livingOwners(graph: Graph, record: ObjectRecord): ObjectRecord[] {
  return record.ownerReferences.flatMap((reference) => {
    const { class: cls, found } = classifyReference(graph, record, reference);
    return found && cls === 'solid' && found !== record && !isBeingDeleted(found) ? [found] : [];
  });
}

/**
 * Strongly connected components of more than one object. Tarjan's algorithm with a stack of its
 * own, as chains may be longer than the call stack.
 */
function ringsAmong(
  records: readonly ObjectRecord[],
  ownersOf: (record: ObjectRecord) => ObjectRecord[],
): ObjectRecord[][] {
  const index = new Map<ObjectRecord, number>();
  const low = new Map<ObjectRecord, number>();
  const onStack = new Set<ObjectRecord>();
  const stack: ObjectRecord[] = [];
  const rings: ObjectRecord[][] = [];

  const enter = (record: ObjectRecord): Frame => {
    low.set(record, index.size);
    index.set(record, index.size);
    stack.push(record);
    onStack.add(record);
    return { record, owners: ownersOf(record), next: 0 };
  };
  const lower = (record: ObjectRecord, to: number) =>
    low.set(record, Math.min(low.get(record) ?? to, to));

  for (const start of records) {
    if (start.ownerReferences.length === 0 || index.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const owner = frame.owners[frame.next++];
      if (owner) {
        if (!index.has(owner)) frames.push(enter(owner));
        else if (onStack.has(owner)) lower(frame.record, index.get(owner) ?? 0);
        continue;
      }
      frames.pop();
      const { record } = frame;
      const parent = frames.at(-1);
      if (parent) lower(parent.record, low.get(record) ?? 0);
      if (low.get(record) !== index.get(record)) continue;
      const ring = stack.splice(stack.lastIndexOf(record));
      for (const member of ring) onStack.delete(member);
      if (ring.length > 1) rings.push(ring);
    }
  }
  return rings;
}

interface Frame {
  readonly record: ObjectRecord;
  readonly owners: readonly ObjectRecord[];
  next: number;
}
