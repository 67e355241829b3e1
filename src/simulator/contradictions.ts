import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { nameOf } from './api-server.ts';
import type { ClusterState } from './cluster-state.ts';

/**
 * A cluster has one object per name, and one per uid. Says of each object that was left out which
 * other one it contradicts.
 */
export function contradictions(
  state: ClusterState,
  records: readonly ObjectRecord[],
): CoverageProblem[] {
  const { contradicting } = state;
  if (contradicting.length === 0) return [];
  const uids = new Set(contradicting.map(({ uid }) => uid));
  const left = new Set(contradicting);
  const firsts = records.filter((record) => !left.has(record));
  const byUid = new Map(
    firsts.flatMap((record) => (uids.has(record.uid) ? [[record.uid, record] as const] : [])),
  );
  return contradicting.map((record) => {
    const { type, namespace, place, uid } = record;
    const sameUid = byUid.get(uid);
    const why =
      sameUid && (sameUid.name !== record.name || sameUid.type.kind !== type.kind)
        ? `has the uid ${uid} of ${nameOf(sameUid)}`
        : 'is there more than once';
    return {
      reason: 'duplicate-uid',
      message: `${nameOf(record)} ${why}; only the first was taken`,
      resource: groupResourceOf(type),
      namespace,
      ...(place && { path: place.path, line: place.line }),
    };
  });
}
