import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** A snapshot of the places that were read, and of nothing else. */
export function snapshotAt(
  places: readonly ObjectLocation[],
  records: readonly ObjectRecord[],
  types: ResourceTypes,
): Snapshot {
  const asked = places.map(({ type, namespace, name }) => ({
    resource: groupResourceOf(type),
    namespace,
    name,
  }));
  return {
    records,
    types,
    coverage: { read: [], asked, problems: [] },
    observedAt: '',
    serverVersion: undefined,
    origin: { kind: 'files', paths: [] },
  };
}
