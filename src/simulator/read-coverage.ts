import { groupResourceOf, parseApiVersion, type ResourceType } from '../kube/resource-type.ts';
import { isAbout } from '../kube/resource-types.ts';
import { CoverageIndex, type ProblemReason } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Where the absence of an object is a fact. */
export interface ReadCoverage {
  /** Would this object be in the snapshot if it existed? */
  covers(type: ResourceType, namespace: string, name: string): boolean;
  /**
   * Is it a fact that no other object of this kind exists here? Files that hold no object of a kind,
   * and do not say that there is none, do not tell.
   */
  sawKind(type: ResourceType, namespace: string): boolean;
  /** Would a kind of this group version be in the snapshot's types if it were served? */
  hasKind(apiVersion: string): boolean;
}

const unread: ReadonlySet<ProblemReason> = new Set([
  'forbidden',
  'unavailable',
  'discovery-failed',
  'timed-out',
  'truncated',
]);

/**
 * Files count as the whole cluster, except for what they themselves say could not be read. Of a
 * cluster, only what was read is known.
 */
export function readCoverageOf({ coverage, origin, types, records }: Snapshot): ReadCoverage {
  const index = new CoverageIndex(coverage);
  const isDiscovered = (apiVersion: string) => {
    const group = parseApiVersion(apiVersion)?.group;
    return !types.failed.some((failed) => group !== undefined && isAbout(failed, group));
  };
  if (origin.kind === 'cluster') {
    return {
      covers: (type, namespace, name) => index.covers(type, namespace, name),
      sawKind: (type, namespace) => index.coversKind(type, namespace),
      hasKind: (apiVersion) => types.exhaustive && isDiscovered(apiVersion),
    };
  }
  const missing = new Set(
    coverage.problems.flatMap(({ reason, resource }) =>
      resource !== undefined && unread.has(reason) ? [resource] : [],
    ),
  );
  let held: ReadonlySet<string> | undefined;
  return {
    covers: (type, namespace, name) =>
      !missing.has(groupResourceOf(type)) || index.covers(type, namespace, name),
    sawKind: (type, namespace) => {
      if (index.coversKind(type, namespace)) return true;
      held ??= new Set(records.map((record) => groupResourceOf(record.type)));
      const resource = groupResourceOf(type);
      return held.has(resource) && !missing.has(resource);
    },
    hasKind: isDiscovered,
  };
}
