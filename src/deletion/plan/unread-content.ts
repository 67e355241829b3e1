import { attachments } from '../../controllers/volumes/attachdetach.ts';
import { isTool } from '../../delivery/tools.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isNamespace, namesContainer } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { contentKindsOf } from '../../snapshot/graph/kinds-not-in-input.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Plan } from './plan.ts';

/** The kinds of which a namespace or a definition may hold objects that were not read. */
export type UnreadContent = (home: ObjectRecord) => readonly string[];

export function unreadContentOf(snapshot: Snapshot): UnreadContent {
  const { types } = snapshot;
  const read = readCoverageOf(snapshot);
  return (home) => {
    const place = isNamespace(home) ? home.name : '';
    return contentKindsOf(types, home)
      .filter((type) => !read.covers(type, place, ''))
      .map(groupResourceOf);
  };
}

/** What could not be read and may hold objects that go along with what is requested. */
export function unreadOf({
  coverage,
  requests,
  objects,
}: Pick<Plan, 'coverage' | 'requests'> & {
  readonly objects: readonly ObjectReference[];
}): readonly CoverageProblem[] {
  // Nothing goes along with Orphan, except what a namespace or a definition holds, or a delivery tool deletes.
  const isAlone = requests.every(
    (request) =>
      request.propagationPolicy === 'Orphan' &&
      !namesContainer(request) &&
      !isTool(request, request.dependsOn?.finalizers),
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

/** Metrics are computed when they are asked for: there is nothing in them to delete. */
function mayHideDependents({ resource, apiVersion = '' }: CoverageProblem): boolean {
  const isOfVolumes = resource === 'persistentvolumes' || resource === attachments;
  return !isOfVolumes && !/^(.+\.)?metrics\.k8s\.io(\/|$)/.test(apiVersion);
}
