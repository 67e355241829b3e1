import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { SimulatedRequest } from './request.ts';

/**
 * Namespaces that requests are about and that exist, as objects are in them, although the input
 * has no Namespace object of that name.
 */
export function impliedNamespaces(
  types: ResourceTypes,
  records: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[],
): ObjectRecord[] {
  const type = types.find('v1', 'Namespace');
  const wanted = new Set(
    requests.flatMap((request) =>
      request.kind === 'Namespace' && request.verb !== 'deletecollection' ? [request.name] : [],
    ),
  );
  if (!type || wanted.size === 0) return [];
  const inhabited = new Set<string>();
  for (const record of records) {
    if (record.type.kind === 'Namespace' && record.type.group === '') wanted.delete(record.name);
    else if (wanted.has(record.namespace)) inhabited.add(record.namespace);
  }
  return [...inhabited]
    .filter((name) => wanted.has(name))
    .map((name) =>
      recordOf(
        {
          metadata: { name },
          spec: { finalizers: ['kubernetes'] },
          status: { phase: 'Active' },
        },
        type,
      ),
    );
}
