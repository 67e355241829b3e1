import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';

/** Records in an order of their own, without what depends on where and when they were read. */
export function comparableRecords(records: readonly ObjectRecord[]): object[] {
  return records
    .map((one) => {
      const { type, place: _, ...record } = one;
      const kind = `${apiVersionOf(type)} ${type.kind} ${type.resource} ${type.namespaced}`;
      const key = `${kind} ${record.namespace}/${record.name}`;
      if (type.kind !== 'Lease') return { key, ...record };
      // The API server keeps renewing its own lease.
      const facts = { ...record.facts, renewTime: undefined };
      return { key, ...record, resourceVersion: undefined, facts };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
