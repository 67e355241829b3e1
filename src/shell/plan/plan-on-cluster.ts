import type { Planned, PlannedCluster } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import { whileAsking } from '../input/while-asking.ts';
import { setAside } from './set-aside.ts';

/**
 * Reads what these objects' deletion can touch, and plans it. What plans is a large part of the program: it is loaded
 * while the first lists are on their way.
 */
export async function planOnCluster(
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  const [near, { planWithin }] = await Promise.all([
    readNear(cluster, named),
    whileAsking(() => import('./plan-within.ts')),
  ]);
  return planWithin(near, cluster, named, options, where);
}

/**
 * What a deletion of these objects touches first: what a namespaced object owns is in its namespace (GC-28). Undefined
 * where one of them is in no namespace.
 */
export async function readNear(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
): Promise<Snapshot | undefined> {
  if (!targets.every(({ type }) => type.namespaced)) return undefined;
  const read = await readCluster(cluster, {
    namespaces: [...new Set(targets.map(({ namespace }) => namespace))],
    namespacedOnly: true,
    facts: true,
    owners: true,
    latest: true,
  });
  return setAside(cluster, read);
}
