import { isDeletingDependents, type ObjectRecord } from '../kube/object-record.ts';
import { classifyReference } from './classify-reference.ts';
import type { Graph } from './graph.ts';

/**
 * Groups of objects that own each other in a ring through references the collector honours;
 * objects that own only themselves are not among them. Tarjan's algorithm with a stack of its own,
 * as chains may be longer than the call stack.
 */
export function findCycles(graph: Graph): ObjectRecord[][] {
  const index = new Map<ObjectRecord, number>();
  const low = new Map<ObjectRecord, number>();
  const onStack = new Set<ObjectRecord>();
  const stack: ObjectRecord[] = [];
  const cycles: ObjectRecord[][] = [];

  const enter = (record: ObjectRecord): Frame => {
    index.set(record, index.size);
    low.set(record, index.size - 1);
    stack.push(record);
    onStack.add(record);
    return { record, owners: honouredOwners(graph, record), next: 0 };
  };
  const lower = (record: ObjectRecord, to: number) =>
    low.set(record, Math.min(low.get(record) ?? to, to));

  for (const start of graph.snapshot.records) {
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
      const component = stack.splice(stack.lastIndexOf(record));
      for (const member of component) onStack.delete(member);
      if (component.length > 1) cycles.push(component);
    }
  }
  return cycles;
}

interface Frame {
  readonly record: ObjectRecord;
  readonly owners: readonly ObjectRecord[];
  next: number;
}

function honouredOwners(graph: Graph, record: ObjectRecord): ObjectRecord[] {
  return record.ownerReferences.flatMap((reference) => {
    const { class: cls, found } = classifyReference(graph, record, reference);
    return found && (cls === 'solid' || cls === 'waiting') && found !== record ? [found] : [];
  });
}

/** A ring whose members are being deleted in the foreground undoes itself (GC-22.12). */
export function isUnwinding(cycle: readonly ObjectRecord[]): boolean {
  return cycle.some(isDeletingDependents);
}
