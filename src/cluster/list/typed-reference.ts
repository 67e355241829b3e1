import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { isPathSegment } from '../../kube/path-segment.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

/** Where the owners that an object names would be (GC-27, GC-29); those no request can find are left out. */
export function ownersOf(
  record: ObjectRecord,
  types: ResourceTypes,
  isWanted: (reference: OwnerReference) => boolean = () => true,
): readonly ObjectLocation[] {
  return record.ownerReferences.filter(isWanted).flatMap(({ apiVersion, kind, name }) => {
    const mapping = types.mapKind(apiVersion, kind);
    if (mapping.kind !== 'served' || !isPathSegment(name)) return [];
    const { type } = mapping;
    // A cluster-scoped object names an owner in no namespace, so there is nothing to ask for.
    if (type.namespaced && record.namespace === '') return [];
    return { type, namespace: type.namespaced ? record.namespace : '', name };
  });
}
