import { isTool } from '../../delivery/tools.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isNamespace, namesContainer, volumeAttachments } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { contentKindsOf } from '../../snapshot/graph/kinds-not-in-input.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Fate, Plan, PlannedObject, PlanRemark } from './plan.ts';

type Fates = Pick<PlannedObject, 'fate' | 'then'>;

const disappearingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);

/** Is the object removed, or does its deletion begin: immediately, or after its blockers are removed? */
export function disappears(object: Fates): boolean {
  return disappearingFates.has(object.fate) || disappearsOnceReleased(object);
}

/** Is it removed only after the blockers are removed that it waits for? */
export function disappearsOnceReleased({ then }: Pick<Fates, 'then'>): boolean {
  return then === 'deleted' || then === 'recreated';
}

/** May it disappear? Objects with an unknown fate may. */
export function canDisappear({ fate, then = fate }: Fates): boolean {
  return [fate, then].some((one) => one === 'unknown' || disappearingFates.has(one));
}

/** The objects of a plan that may disappear: an upper bound. */
export function disappearingIn<Planned extends Fates>({
  objects,
}: {
  readonly objects: readonly Planned[];
}): Planned[] {
  return objects.filter(canDisappear);
}

/** `4 objects`; `at least 4 objects` if unread or undecided objects may be deleted as well. */
export function disappearingCount(plan: Plan): string {
  const objects = counted(disappearingIn(plan).length, 'object');
  return mayDeleteMore(plan) ? `at least ${objects}` : objects;
}

/** May more objects be deleted than a plan names? */
export function mayDeleteMore(
  plan: Pick<Plan, 'coverage' | 'objects' | 'remarks' | 'requests'>,
): boolean {
  const isUnknown = ({ fate, then }: PlannedObject) => fate === 'unknown' || then === 'unknown';
  return (
    hiddenFrom(plan).length > 0 ||
    plan.objects.some(isUnknown) ||
    plan.remarks.some(({ code }) => code === 'ended-pods')
  );
}

/** The kinds of which a namespace or a definition may contain unread objects. */
export type UnreadContent = (container: ObjectRecord) => readonly string[];

export function unreadContentOf(snapshot: Snapshot): UnreadContent {
  const { types } = snapshot;
  const read = readCoverageOf(snapshot);
  return (container) => {
    const place = isNamespace(container) ? container.name : '';
    return contentKindsOf(types, container)
      .filter((type) => !read.covers(type, place, ''))
      .map(groupResourceOf);
  };
}

/** Kinds that could not be read and may contain objects that the requests delete: those that stop a deletion. */
export function unreadOf(
  plan: Pick<Plan, 'coverage' | 'requests'> & { readonly objects: readonly ObjectReference[] },
): readonly CoverageProblem[] {
  const isCustom = ({ apiVersion }: ObjectReference) =>
    !isBuiltInGroup(parseApiVersion(apiVersion)?.group ?? '');
  const hasOperator = plan.objects.some(isCustom);
  return hiddenFrom(plan).filter(
    ({ setAside, resource = '' }) => !setAside || (hasOperator && madeByOperators.has(resource)),
  );
}

/** The same with those that stop none. */
function hiddenFrom({
  coverage,
  requests,
}: Pick<Plan, 'coverage' | 'requests'>): readonly CoverageProblem[] {
  // Orphan deletes no dependents, except the content of a namespace or definition, and objects that a delivery tool deletes.
  const isAlone = requests.every(
    (request) =>
      request.propagationPolicy === 'Orphan' &&
      !namesContainer(request) &&
      !isTool(request, request.dependsOn?.finalizers),
  );
  return isAlone && requests.length > 0 ? [] : coverage.problems.filter(mayHideDependents);
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

/** Is a remark about data that is lost, because no controller recreates it? */
export function isAboutData({ code, severity }: PlanRemark): boolean {
  return code === 'data' || (code === 'custom-resources' && severity === 'warning');
}

/**
 * `the data of 4 PersistentVolumes, 3 Secrets and all objects of 1 CustomResourceDefinition`; empty if no data is known to
 * be lost.
 */
export function lostDataOf({ remarks }: Pick<Plan, 'remarks'>): string {
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

/** What a plan says before the words of the API server. */
export const serverRefuses = 'the API server refuses this';
