import { judge } from '../collectors/garbage-collector/judge.ts';
import { buildGraph, type Graph } from '../graph/graph.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/**
 * The references that stay when the garbage collector takes those to lost owners off (GC-22.11): the ones
 * that were sound in the snapshot, and whose owners have not ended since. The graph is built at first use.
 */
export function remainingReferences(
  snapshot: Snapshot,
): (record: ObjectRecord, hasEnded: (uid: string) => boolean) => OwnerReference[] {
  let graph: Graph | undefined;
  return (record, hasEnded) => {
    graph ??= buildGraph(snapshot);
    return judge(graph, record).references.flatMap(({ class: verdict, reference }) =>
      verdict === 'solid' && !hasEnded(reference.uid) ? [reference] : [],
    );
  };
}
