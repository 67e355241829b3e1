import { listKeyOf } from '../../cluster/list/list-objects.ts';
import { denialOf } from '../../cluster/write/access-reviews.ts';
import type { Planned, PlannedCluster } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import { whileAsking } from '../input/while-asking.ts';
import { settingsOnCluster } from '../settings/find-settings.ts';
import type { NearTargets } from './read-for-plan.ts';

/**
 * Reads what these objects' deletion can touch, and plans it. What plans is a large part of the program: it is loaded
 * while the first lists are on their way.
 */
export async function readAndPlan(
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  const [near, { seen }, { readRestAndPlan }] = await Promise.all([
    readNear(cluster, named),
    settingsOnCluster(cluster.client),
    whileAsking(() => import('./plan-within.ts')),
  ]);
  return readRestAndPlan({ near, seen }, cluster, named, options, where);
}

/**
 * Reads the namespaces of these objects: the dependents of a namespaced object are in its namespace (GC-28). Undefined
 * if one of them is in no namespace.
 */
export async function readNear(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
): Promise<NearTargets | undefined> {
  if (!targets.every(({ type }) => type.namespaced)) return undefined;
  const listVersions = new Map<string, string>();
  const read = await readCluster(cluster, {
    namespaces: [...new Set(targets.map(({ namespace }) => namespace))],
    namespacedOnly: true,
    facts: true,
    owners: true,
    latest: true,
    onListed: (list) => listVersions.set(listKeyOf(list), list.resourceVersion),
  });
  return { snapshot: await setAside(cluster, read), listVersions };
}

/**
 * Built-in kinds that contain no data, and that no controller of Kubernetes creates for an
 * owner, or that it recreates with the owner. No controller reads or creates PodTemplates. A CSIStorageCapacity
 * is a report that a storage driver rewrites while it runs. The kubelet creates a PodCertificateRequest (served
 * since v1.37) for a Pod, and another for the next Pod. Operators create Roles and
 * RoleBindings for custom resources: with one in the plan they count as unread
 * after all (plan-totals.ts).
 */
const withoutDependents: ReadonlySet<string> = new Set([
  'podtemplates',
  'csistoragecapacities.storage.k8s.io',
  'podcertificaterequests.certificates.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
]);

/**
 * Marks kinds that may not be listed and need not stop a deletion of namespaced objects. The roles
 * `admin` and `edit` do not have them, so every namespace admin would be refused. All of this must
 * hold: the list was forbidden, and did not fail; the kind is one of `withoutDependents`; the user may
 * not create it either, so none is theirs, and none could be restored by them; and no object that was
 * read names one as its owner. An object of any other kind may be a dependent with data in it, such
 * as the Secret of an operator: there the deletion is refused as before.
 */
async function setAside(cluster: OpenedCluster, snapshot: Snapshot): Promise<Snapshot> {
  const owners = new Set(
    snapshot.records.flatMap(({ ownerReferences }) =>
      ownerReferences.map(
        ({ apiVersion, kind }) => `${parseApiVersion(apiVersion)?.group} ${kind}`,
      ),
    ),
  );
  const mark = async (problem: CoverageProblem): Promise<CoverageProblem> => {
    const { reason, resource = '', namespace } = problem;
    if (reason !== 'forbidden' || !withoutDependents.has(resource) || namespace === undefined)
      return problem;
    const [type] = cluster.types.versions(resource);
    if (!type || owners.has(`${type.group} ${type.kind}`)) return problem;
    return (await mayNotCreate(cluster, type, namespace))
      ? { ...problem, setAside: true }
      : problem;
  };
  const problems = await Promise.all(snapshot.coverage.problems.map(mark));
  return { ...snapshot, coverage: { ...snapshot.coverage, problems } };
}

/** Where the review itself fails, this is not known, and the answer is no. */
async function mayNotCreate(
  { client }: OpenedCluster,
  type: ResourceType,
  namespace: string,
): Promise<boolean> {
  const access = { verb: 'create', type, namespace, name: undefined };
  return (await denialOf(client, access)) !== undefined;
}
