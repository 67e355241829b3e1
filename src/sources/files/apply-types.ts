import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

/** Gives records their final type in place: they are not shared with anybody before that. */
export function applyTypes(
  records: readonly ObjectRecord[],
  finalType: (type: ResourceType) => ResourceType,
): void {
  for (const record of records) {
    const type = finalType(record.type);
    if (type === record.type) continue;
    const own: { -readonly [Field in keyof ObjectRecord]: ObjectRecord[Field] } = record;
    own.type = type;
    if (!type.namespaced) own.namespace = '';
  }
}
