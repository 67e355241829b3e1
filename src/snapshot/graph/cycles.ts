import {
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { isMonitored } from '../../kube/resource-type.ts';
import { classifyReference } from './classify-reference.ts';
import type { Graph } from './graph.ts';
import { strongComponents } from './strong-components.ts';

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

/** Strongly connected components of more than one object. */
function ringsAmong(
  records: readonly ObjectRecord[],
  ownersOf: (record: ObjectRecord) => ObjectRecord[],
): ObjectRecord[][] {
  const owned = records.filter(({ ownerReferences }) => ownerReferences.length > 0);
  return strongComponents(owned, ownersOf).filter((ring) => ring.length > 1);
}
