import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, isEventType, parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Plan } from './plan.ts';

/** The kinds of which a namespace or a definition may hold objects that were not read. */
export type UnreadContent = (home: ObjectRecord) => readonly string[];

export function unreadContentOf(snapshot: Snapshot): UnreadContent {
  const { types } = snapshot;
  const read = readCoverageOf(snapshot);
  const isContent = ({ verbs }: { readonly verbs: readonly string[] }) =>
    verbs.includes('list') && verbs.includes('delete');
  return (home) => {
    const kinds = isNamespace(home)
      ? types.preferred().filter((type) => type.namespaced && !isEventType(type))
      : isCustomResourceDefinition(home)
        ? types.versions(home.name).slice(0, 1)
        : [];
    const place = isNamespace(home) ? home.name : '';
    return kinds
      .filter((type) => isContent(type) && !read.covers(type, place, ''))
      .map(groupResourceOf);
  };
}

/** `widgets.example.com`, `a, b and 7 more kinds`. */
export function kindsInWords(resources: readonly string[]): string {
  const more = resources.length > 3 ? ` and ${resources.length - 3} more kinds` : '';
  return resources.slice(0, 3).join(', ') + more;
}

/** What could not be read and may hold objects that go along with what is requested. */
export function unreadOf({
  coverage,
  requests,
  objects,
}: Pick<Plan, 'coverage' | 'requests' | 'objects'>): readonly CoverageProblem[] {
  // Nothing goes along with Orphan, except what a namespace or a definition holds.
  const isAlone = requests.every(
    ({ propagationPolicy, kind }) => propagationPolicy === 'Orphan' && !homes.has(kind),
  );
  if (isAlone && requests.length > 0) return [];
  const isCustom = ({ apiVersion }: ObjectReference) =>
    !isBuiltInGroup(parseApiVersion(apiVersion)?.group ?? '');
  const hasOperator = objects.some(isCustom);
  return coverage.problems.filter((problem) =>
    problem.setAside
      ? hasOperator && madeByOperators.has(problem.resource ?? '')
      : mayHideDependents(problem),
  );
}

/** What an operator may make for a custom resource, with that as the owner. */
const madeByOperators = new Set([
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
]);

const homes = new Set(['Namespace', 'CustomResourceDefinition']);

/** Metrics are computed when they are asked for: there is nothing in them to delete. */
function mayHideDependents({ resource, apiVersion = '' }: CoverageProblem): boolean {
  return resource !== 'persistentvolumes' && !/^(.+\.)?metrics\.k8s\.io(\/|$)/.test(apiVersion);
}
