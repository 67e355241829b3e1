import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { nameOf } from './api-server.ts';
import { storedAs } from './cluster-state.ts';

/**
 * A cluster has one object per name, and one per uid. Of objects that contradict each other the
 * first counts; the others are left out, and said to be.
 */
export function consistentRecords(records: readonly ObjectRecord[]): {
  readonly records: readonly ObjectRecord[];
  readonly problems: readonly CoverageProblem[];
} {
  const problems: CoverageProblem[] = [];
  const uids = new Map<string, ObjectRecord>();
  const names = new Map<string, Map<string, ObjectRecord>>();
  const dropped = new Set<ObjectRecord>();
  for (const record of records) {
    const place = `${storedAs(record.type)}/${record.namespace}`;
    let taken = names.get(place);
    if (!taken) {
      taken = new Map();
      names.set(place, taken);
    }
    const sameName = taken.get(record.name);
    const sameUid = record.uid === '' ? undefined : uids.get(record.uid);
    const first = sameName ?? sameUid;
    if (first) {
      dropped.add(record);
      problems.push(problemOf(record, first, sameName !== undefined));
      continue;
    }
    taken.set(record.name, record);
    if (record.uid !== '') uids.set(record.uid, record);
  }
  if (dropped.size === 0) return { records, problems };
  return { records: records.filter((record) => !dropped.has(record)), problems };
}

function problemOf(record: ObjectRecord, first: ObjectRecord, byName: boolean): CoverageProblem {
  const { type, namespace, place, uid } = record;
  const why = byName
    ? `is there more than once${first.uid === uid ? '' : ', under different uids'}`
    : `has the uid ${uid} of ${nameOf(first)}`;
  return {
    reason: 'duplicate-uid',
    message: `${nameOf(record)} ${why}; only the first was taken`,
    resource: groupResourceOf(type),
    namespace,
    ...(place && { path: place.path, line: place.line }),
  };
}
