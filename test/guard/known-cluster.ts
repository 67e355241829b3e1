import { RecordIndex } from '../../src/guard/record-index.ts';
import type { KnownCluster } from '../../src/guard/watched-cluster.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import type { SeenSettings } from '../../src/settings/controller-settings.ts';
import { inOrder, type Snapshot } from '../../src/snapshot/snapshot.ts';

/** A snapshot as watches know it. */
export function knownCluster(snapshot: Snapshot, settings: SeenSettings = {}): KnownCluster {
  const index = new RecordIndex();
  for (const record of snapshot.records) index.put(record, undefined);
  const kinds = Map.groupBy(snapshot.records, ({ type }) => groupResourceOf(type));
  return {
    index,
    settings,
    types: snapshot.types,
    ofKind: (resource) => kinds.get(resource) ?? [],
    find: (resource, namespace, name) =>
      kinds.get(resource)?.find((one) => one.namespace === namespace && one.name === name),
    *records() {
      yield* snapshot.records;
    },
    snapshotOf: (records: Iterable<ObjectRecord>) =>
      inOrder({ ...snapshot, records: [...records] }),
  };
}
