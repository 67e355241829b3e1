import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** The same picture with its objects by uid, so that a plan does not depend on which was read first. */
export function inContentOrder(snapshot: Snapshot): Snapshot {
  const { records } = snapshot;
  const isSorted = records.every((record, index) => {
    const before = records[index - 1];
    return before === undefined || compareRecords(before, record) <= 0;
  });
  return isSorted ? snapshot : { ...snapshot, records: [...records].sort(compareRecords) };
}

function compareRecords(a: ObjectRecord, b: ObjectRecord): number {
  return (
    compareText(a.uid, b.uid) ||
    compareText(a.type.kind, b.type.kind) ||
    compareText(a.type.group, b.type.group) ||
    compareText(a.type.version, b.type.version) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.resourceVersion ?? '', b.resourceVersion ?? '')
  );
}
