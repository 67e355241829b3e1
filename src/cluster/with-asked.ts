import { locationKey } from '../kube/object-reference.ts';
import { inOrder, type Snapshot } from '../snapshot/snapshot.ts';

/** The same snapshot with what single questions brought, which takes the place of what it had of these objects. */
export function withAsked(
  snapshot: Snapshot,
  { records, coverage: { asked, problems } }: Pick<Snapshot, 'records' | 'coverage'>,
): Snapshot {
  const names = new Set(records.map(({ name }) => name));
  const places = new Set(records.map(locationKey));
  const { coverage } = snapshot;
  return inOrder({
    ...snapshot,
    records: [
      ...snapshot.records.filter((one) => !names.has(one.name) || !places.has(locationKey(one))),
      ...records,
    ],
    coverage: {
      read: coverage.read,
      asked: [...coverage.asked, ...asked],
      problems: [...coverage.problems, ...problems],
    },
  });
}
