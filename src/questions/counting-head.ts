import { kindsInWords } from '../kube/counts-by-kind.ts';
import { groupResourceOf, isDeletable } from '../kube/resource-type.ts';
import { type CoverageProblem, coverageIndexOf } from '../snapshot/coverage.ts';
import { type DocumentHead, headOf, type Snapshot } from '../snapshot/snapshot.ts';

/** Which objects are counted: of these kinds, by default of all; in this namespace, by default in all. */
export interface CountedObjects {
  readonly kinds?: ReadonlySet<string> | undefined;
  readonly namespace?: string | undefined;
}

/**
 * The head of a document that counts objects. Where files do not show all of these objects, the document is incomplete.
 * `found`: problems that the answer itself met.
 */
export function countingHead<K extends string>(
  kind: K,
  snapshot: Snapshot,
  counted: CountedObjects = {},
  found: readonly CoverageProblem[] = [],
): DocumentHead<K> {
  return headOf(kind, snapshot, [...notShown(snapshot, counted), ...found]);
}

/** What files do not show of the objects that are counted; a cluster has answered for each kind, or that is a problem already. */
function notShown(
  { origin, types, coverage }: Snapshot,
  { kinds, namespace }: CountedObjects,
): CoverageProblem[] {
  if (origin.kind !== 'files') return [];
  const index = coverageIndexOf(coverage);
  const told = new Set(coverage.problems.map(({ resource }) => resource));
  const lacking = types
    .preferred()
    .filter(
      (type) =>
        (kinds === undefined ? isDeletable(type) : kinds.has(groupResourceOf(type))) &&
        (namespace === undefined || type.namespaced) &&
        !index.coversKind(type, namespace ?? ''),
    )
    .map(groupResourceOf)
    .filter((resource) => !told.has(resource));
  if (lacking.length === 0) return [];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const message = `the input does not show all objects of ${kindsInWords(lacking)}${where}`;
  return [{ reason: 'not-in-input', message }];
}
