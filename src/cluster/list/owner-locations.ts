import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { ownerPlaceOf } from '../../snapshot/graph/owner-place.ts';

/** Where the owners that an object names would be (GC-27, GC-29); those no request can find are left out. */
export function ownersOf(
  record: ObjectRecord,
  types: ResourceTypes,
  isWanted: (reference: OwnerReference) => boolean = () => true,
): readonly ObjectLocation[] {
  return record.ownerReferences.filter(isWanted).flatMap((reference) => {
    const { name } = reference;
    const place = ownerPlaceOf(types, record, reference);
    if (place.end !== 'at' || name === '') return [];
    const { type, namespace } = place;
    // No path can be made without a namespace.
    return type.namespaced && namespace === '' ? [] : { type, namespace, name };
  });
}
