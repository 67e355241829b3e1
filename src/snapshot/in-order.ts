import { compareText } from '../kube/names.ts';
import { byContent, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { Snapshot } from './snapshot.ts';

/** Snapshots that are in order already. They are returned unchanged, as an index of them may exist. */
const ordered = new WeakSet<Snapshot>();

/**
 * The same snapshot with its objects by kind, namespace, name and uid: what is printed must not
 * depend on the order of the input. Lists of a server are sorted already, so this costs little.
 */
export function inOrder(snapshot: Snapshot): Snapshot {
  if (ordered.has(snapshot)) return snapshot;
  const compare = (a: ObjectRecord, b: ObjectRecord) =>
    (a.type === b.type ? 0 : compareText(groupResourceOf(a.type), groupResourceOf(b.type))) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid);
  const sorted = { ...snapshot, records: snapshot.records.toSorted(compare) };
  ordered.add(sorted);
  return sorted;
}

/** By uid, so that a plan does not depend on which was read first. */
export function inContentOrder(records: readonly ObjectRecord[]): readonly ObjectRecord[] {
  return records.toSorted(
    (a, b) =>
      compareText(a.uid, b.uid) ||
      byContent(a, b) ||
      compareText(a.type.version, b.type.version) ||
      compareText(a.resourceVersion ?? '', b.resourceVersion ?? ''),
  );
}
