import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { CoverageIndex } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { fromClusterObjects, type GetObjectsOptions } from './get-objects.ts';
import { ownersOf } from './owner-locations.ts';

/** More single questions than this would be a list in disguise; the rest stays unknown. */
const mostQuestions = 500;

/**
 * Completes a picture of a part of a cluster: owners that its references name outside of what was
 * read (Nodes of pods, kinds that may be read but not listed) are asked for one by one.
 */
export async function lookUpOwners(
  client: ClusterClient,
  snapshot: Snapshot,
  options: GetObjectsOptions = {},
): Promise<Snapshot> {
  const wanted = ownersOutside(snapshot).slice(0, mostQuestions);
  if (wanted.length === 0) return snapshot;
  const found = await fromClusterObjects(client, snapshot, wanted, options);
  // A kind that could not be listed has its problem already; that one object cannot be read adds nothing.
  const known = new Set(snapshot.coverage.problems.map((problem) => problem.resource));
  const problems = found.coverage.problems.filter((problem) => !known.has(problem.resource));
  return {
    ...snapshot,
    records: [...snapshot.records, ...found.records],
    coverage: {
      read: snapshot.coverage.read,
      asked: [...snapshot.coverage.asked, ...found.coverage.asked],
      problems: [...snapshot.coverage.problems, ...problems],
    },
  };
}

/** Where the collector would look for owners and the picture does not reach; each once. */
function ownersOutside({ records, coverage, types }: Snapshot): ObjectLocation[] {
  const index = new CoverageIndex(coverage);
  const wanted = new Map<string, ObjectLocation>();
  for (const record of records) {
    for (const owner of ownersOf(record, types)) {
      if (index.covers(owner.type, owner.namespace, owner.name)) continue;
      wanted.set(locationKey(owner), owner);
    }
  }
  return [...wanted.values()];
}
