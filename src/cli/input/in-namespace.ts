import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** What a reading of this namespace alone would have seen: its objects, and all cluster-scoped ones. */
export function inNamespace(snapshot: Snapshot, namespace: string): Snapshot {
  const { records, types, coverage } = snapshot;
  const namespaced = new Set(types.all.filter((type) => type.namespaced).map(groupResourceOf));
  return {
    ...snapshot,
    records: records.filter((record) => !record.type.namespaced || record.namespace === namespace),
    coverage: {
      read: coverage.read.flatMap(({ resource, namespaces }) => {
        if (!namespaced.has(resource)) return [{ resource }];
        if (namespaces && !namespaces.includes(namespace)) return [];
        return [{ resource, namespaces: [namespace] }];
      }),
      asked: coverage.asked.filter(
        (object) => object.namespace === '' || object.namespace === namespace,
      ),
      problems: coverage.problems.filter(
        (problem) => problem.namespace === undefined || problem.namespace === namespace,
      ),
    },
  };
}
