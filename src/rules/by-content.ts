import type { ObjectRecord } from '../kube/object-record.ts';

/** Orders objects by what they are, so that nothing depends on the order in which they were read. */
export function byContent(a: ObjectRecord, b: ObjectRecord): number {
  return (
    compare(a.type.group, b.type.group) ||
    compare(a.type.kind, b.type.kind) ||
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name) ||
    compare(a.uid, b.uid)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
