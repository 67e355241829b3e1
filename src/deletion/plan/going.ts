import { isTool } from '../../delivery/tools.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { volumeAttachments } from '../../kube/resources.ts';
import { isNamespace, namesContainer } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { contentKindsOf } from '../../snapshot/graph/kinds-not-in-input.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Fate, Plan, PlannedObject, PlanRemark } from './plan.ts';

/** Fates of objects that are deleted, or whose deletion begins. */
export const goingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);
const goes: ReadonlySet<Fate> = new Set([...goingFates, 'unknown']);

/** May the object be removed: immediately, or after the finalizers that it waits for? */
export function mayGo({ fate, then }: Pick<PlannedObject, 'fate' | 'then'>): boolean {
  return goes.has(fate) || (then !== undefined && goes.has(then));
}

/** Is it deleted only once the finalizers are removed that it waits for? */
export function goesThen({ then }: Pick<PlannedObject, 'then'>): boolean {
  return then === 'deleted' || then === 'recreated';
}

/** `4 objects`, or `at least 4 objects` where what was not read, or is not decided, may hold more. */
export function goingCount(plan: Plan): string {
  const objects = counted(plan.objects.filter(mayGo).length, 'object');
  return isOpen(plan) ? `at least ${objects}` : objects;
}

/** May more go than the plan names? */
export function isOpen(plan: Pick<Plan, 'coverage' | 'objects' | 'requests'>): boolean {
  const isUnknown = ({ fate, then }: PlannedObject) => fate === 'unknown' || then === 'unknown';
  return unreadOf(plan).length > 0 || plan.objects.some(isUnknown);
}

/** Is a remark about data that is lost, because no controller recreates it? */
export function isAboutData({ code, severity }: PlanRemark): boolean {
  return code === 'data' || (code === 'custom-resources' && severity === 'warning');
}

/**
 * `the data of 4 PersistentVolumes, 3 Secrets and all objects of 1 CustomResourceDefinition`; empty where no data
 * is known to go.
 */
export function dataThatGoes({ remarks }: Pick<Plan, 'remarks'>): string {
  const { data = [], definitions = [] } = Object.groupBy(remarks.filter(isAboutData), ({ code }) =>
    code === 'data' ? 'data' : 'definitions',
  );
  const holders = countsByKind(data.flatMap(({ objects }) => objects));
  return [
    ...(holders === '' ? [] : [`the data of ${holders}`]),
    ...(definitions.length > 0
      ? [`all objects of ${counted(definitions.length, 'CustomResourceDefinition')}`]
      : []),
  ].join(' and ');
}

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

/** Kinds that could not be read and may contain objects that the requests delete. */
export function unreadOf({
  coverage,
  requests,
  objects,
}: Pick<Plan, 'coverage' | 'requests'> & {
  readonly objects: readonly ObjectReference[];
}): readonly CoverageProblem[] {
  // Orphan deletes no dependents, except the content of a namespace or definition, and objects that a delivery tool deletes.
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
  const isOfVolumes = resource === 'persistentvolumes' || resource === volumeAttachments;
  return !isOfVolumes && !/^(.+\.)?metrics\.k8s\.io(\/|$)/.test(apiVersion);
}
