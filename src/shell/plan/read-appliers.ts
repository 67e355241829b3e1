import { getObjects, snapshotOf } from '../../cluster/list/get-objects.ts';
import { appliedBy, inventoryOf, placesOf, toolOf } from '../../delivery/tools.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { withAsked } from '../../snapshot/with-asked.ts';
import type { OpenedCluster } from '../input/session.ts';

/** Many objects are applied by few; of the rest it is not known whether they come back. */
const mostAppliers = 20;

/**
 * Adds the objects of delivery tools that applied some of these, each asked for once: whether the tool makes
 * them again. What may not be read is only not known.
 */
export async function withAppliers(
  cluster: Pick<OpenedCluster, 'client' | 'types' | 'serverVersion'>,
  snapshot: Snapshot,
  records: readonly ObjectRecord[],
): Promise<Snapshot> {
  const places = records.flatMap((record) => {
    const { by } = appliedBy(record) ?? {};
    return by ? placesOf(by, cluster.types) : [];
  });
  if (places.length === 0) return snapshot;
  const coverage = coverageIndexOf(snapshot.coverage);
  const known = new Map(snapshot.records.filter(toolOf).map((tool) => [locationKey(tool), tool]));
  const wanted = [...new Map(places.map((place) => [locationKey(place), place])).values()]
    .filter((place) => {
      const tool = known.get(locationKey(place));
      return tool
        ? inventoryOf(tool) === 'unknown'
        : !coverage.covers(place.type, place.namespace, place.name);
    })
    .slice(0, mostAppliers);
  if (wanted.length === 0) return snapshot;
  const options = { facts: true };
  const answers = await getObjects(cluster.client, wanted, options);
  const read = snapshotOf(cluster.client, cluster, answers, options);
  return withAsked(snapshot, {
    records: read.records,
    coverage: { ...read.coverage, problems: [] },
  });
}
