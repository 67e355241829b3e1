import { rememberedBy } from '../../collectors/remembered.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';

const leases = 'leases.coordination.k8s.io';

/** Since when the present leader runs its controllers, as its Lease tells; epoch milliseconds. */
export function controllersSince(
  records: readonly ObjectRecord[],
  now: number,
): number | undefined {
  const lease = records.find(
    ({ type, namespace, name }) =>
      name === 'kube-controller-manager' &&
      namespace === 'kube-system' &&
      groupResourceOf(type) === leases,
  );
  if (!lease) return undefined;
  const none = () => [];
  return rememberedBy({ all: none, in: none, at: () => lease, covers: () => true }, now).startedAt;
}
