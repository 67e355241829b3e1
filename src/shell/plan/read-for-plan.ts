import { getObjects, snapshotOf } from '../../cluster/list/get-objects.ts';
import { review } from '../../cluster/write/access-reviews.ts';
import { accounts } from '../../controllers/bookkeeping.ts';
import { podsReady } from '../../controllers/finalizers/program-life.ts';
import { attachments } from '../../controllers/volumes/attachdetach.ts';
import { mayGo } from '../../deletion/plan/going.ts';
import type { Plan, PlannedObject } from '../../deletion/plan/plan.ts';
import { isForeign } from '../../deletion/plan/waits.ts';
import { isTool } from '../../delivery/tools.ts';
import { leaseType, workloadTypes } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf, parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import { type CoverageProblem, coverageIndexOf } from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { dependentsOf } from '../../snapshot/graph/subgraph.ts';
import { inOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { withAsked } from '../../snapshot/with-asked.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import { withAppliers } from './read-appliers.ts';

/**
 * Reads all that a deletion of these objects can touch, and plans it. What a namespaced object owns is in
 * its namespace (GC-28), so only those are read, the volumes of their claims and the Nodes of the pods that
 * go; for anything else everything is. What the plan alone knows to go is read then, and it is planned again.
 */
export async function planOfRead<T extends { readonly plan: Plan }>(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
  planned: (snapshot: Snapshot) => T | Promise<T>,
): Promise<T> {
  const everything = async () =>
    withTargets(await readCluster(cluster, { facts: true, latest: true }), targets);
  if (!targets.every(({ type }) => type.namespaced)) return planned(await everything());
  const read = withTargets(await readNamespaces(cluster, targets), targets);
  const withNodesOf = askedByName(cluster, cluster.types.find('v1', 'Node'), (pod) =>
    [knownNodeOf(pod) ?? []].flat(),
  );
  const withAddressesOf = askedByName(
    cluster,
    cluster.types.versions(addresses.kept)[0],
    (record) =>
      groupResourceOf(record.type) === addresses.of
        ? addresses.namesFor(record, cluster.types)
        : [],
  );
  const withOthersOf = async (snapshot: Snapshot, records: readonly ObjectRecord[]) =>
    withAddressesOf(await withNodesOf(snapshot, records), records);
  const below = dependentsOf(buildGraph(read), sameObjects(read, targets)).nodes.values();
  const owned = [...below].flatMap((node) => ('record' in node ? node.record : []));
  let near = await withAppliers(cluster, await withOthersOf(read, owned), targets);
  let isWhole = false;
  for (;;) {
    const made = await planned(near);
    const going = made.plan.objects.filter(mayGo);
    // A volume may own objects everywhere, and a delivery tool may have applied some; addresses own nothing.
    const isWide = (object: PlannedObject) =>
      isTool(object) || (object.namespace === '' && object.kind !== 'IPAddress');
    const reachesOut: boolean = !isWhole && going.some(isWide);
    const wider: Snapshot = reachesOut
      ? together(await everything(), near)
      : await withOthersOf(near, sameObjects(near, going));
    if (wider === near) return made;
    isWhole ||= reachesOut;
    near = wider;
  }
}

/** More single questions than this would be a list in disguise; the others stay unknown. */
const mostAsked = 500;
/** Who may not read so many may read none. */
const firstAsked = 8;
const [addresses] = accounts;

/**
 * Adds what objects have outside of their namespace to a snapshot, each asked for once: the Nodes of pods, whose kubelets
 * have to confirm their end, and the addresses of Services. What may not be read is only not known.
 */
function askedByName(
  cluster: OpenedCluster,
  type: ResourceType | undefined,
  namesOf: (record: ObjectRecord) => readonly string[],
): (snapshot: Snapshot, records: readonly ObjectRecord[]) => Promise<Snapshot> {
  const asked = new Set<string>();
  return async (snapshot, records) => {
    if (!type || coverageIndexOf(snapshot.coverage).coversEverywhere(type)) return snapshot;
    const names = new Set(records.flatMap(namesOf));
    for (const name of asked) names.delete(name);
    if (names.size === 0) return snapshot;
    const wanted = [...names].slice(0, mostAsked).map((name) => ({ type, namespace: '', name }));
    for (const name of names) asked.add(name);
    const options = { facts: true };
    const answers = await getObjects(cluster.client, wanted.slice(0, firstAsked), options);
    if (!answers.some(({ problem }) => problem === undefined)) return snapshot;
    answers.push(...(await getObjects(cluster.client, wanted.slice(firstAsked), options)));
    const found = snapshotOf(cluster.client, cluster, answers, options);
    return withAsked(snapshot, { ...found, coverage: { ...found.coverage, problems: [] } });
  };
}

/** What may be read of some namespaces, but not of all, stays read. */
function together(whole: Snapshot, near: Snapshot): Snapshot {
  const coverage = coverageIndexOf(whole.coverage);
  const seen = new Set(whole.records.map(({ uid }) => uid));
  const isMore = ({ uid, type, namespace }: ObjectRecord) =>
    !seen.has(uid) && !coverage.coversKind(type, namespace);
  return inOrder({
    ...whole,
    records: [...whole.records, ...near.records.filter(isMore)],
    coverage: {
      read: [...whole.coverage.read, ...near.coverage.read],
      asked: [...whole.coverage.asked, ...near.coverage.asked],
      problems: [...whole.coverage.problems, ...near.coverage.problems],
    },
  });
}

async function readNamespaces(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
): Promise<Snapshot> {
  const read = await readCluster(cluster, {
    namespaces: [...new Set(targets.map(({ namespace }) => namespace))],
    namespacedOnly: true,
    facts: true,
    owners: true,
    latest: true,
  });
  return withVolumes(cluster, await setAside(cluster, read));
}

/** Volumes go with their claims, or stay, and are detached after their pods: where they may be read, the plan says which. */
async function withVolumes(cluster: OpenedCluster, snapshot: Snapshot): Promise<Snapshot> {
  const isClaim = ({ type }: ObjectRecord) =>
    type.group === '' && type.kind === 'PersistentVolumeClaim';
  const claims = snapshot.records.filter(isClaim);
  if (claims.length === 0) return snapshot;
  const claimed = new Set(claims.map(({ facts }) => facts?.volumeName));
  const claimants = new Set(claims.map(({ namespace, name }) => `${namespace}/${name}`));
  const kinds = ['persistentvolumes', attachments];
  const volumes = await readCluster(cluster, { kinds, facts: true, latest: true });
  // One that is made for a claim may be bound to it any moment.
  const used = volumes.records.filter(
    ({ name, facts: { claimRef, attachment } = {} }) =>
      claimed.has(attachment?.persistentVolumeName ?? name) ||
      claimants.has(`${claimRef?.namespace}/${claimRef?.name}`),
  );
  const asked = volumes.records.map(({ type, name }) => ({
    resource: groupResourceOf(type),
    namespace: '',
    name,
  }));
  return withAsked(snapshot, { records: used, coverage: { ...volumes.coverage, asked } });
}

/**
 * Who may remove the finalizers of others is mostly in another namespace: its workloads and Leases are read
 * apart, as they are no part of what is deleted, and the pods beside a workload without a ready one. What may not be read is only not known.
 */
export async function readPrograms(
  cluster: OpenedCluster,
  { records }: Pick<Snapshot, 'records'>,
): Promise<Pick<Snapshot, 'records' | 'coverage'> | undefined> {
  if (!records.some((record) => record.finalizers.some(isForeign))) return undefined;
  const seen = new Set(records.map(({ uid }) => uid));
  const kinds = [...workloadTypes, leaseType].map(groupResourceOf);
  const read = await readCluster(cluster, { kinds, facts: true, latest: true });
  const down = read.records.filter(
    (record) =>
      isWorkload(record) &&
      record.facts?.replicas !== 0 &&
      podsReady(record, true).state === 'down',
  );
  const namespaces = [...new Set(down.map(({ namespace }) => namespace))];
  const pods =
    namespaces.length === 0
      ? []
      : (await readCluster(cluster, { namespaces, kinds: ['pods'], facts: true, latest: true }))
          .records;
  const more = [...read.records, ...pods].filter(({ uid }) => !seen.has(uid));
  return { records: more, coverage: read.coverage };
}

function isWorkload({ type }: ObjectRecord): boolean {
  return workloadTypes.some((one) => groupResourceOf(one) === groupResourceOf(type));
}

/**
 * Kinds that may be read one by one, but not listed, have their targets in the snapshot all the same.
 * Where the kind was listed and the target is not there, it is gone by now.
 */
function withTargets(snapshot: Snapshot, targets: readonly ObjectRecord[]): Snapshot {
  const seen = new Set(snapshot.records.map(({ uid }) => uid));
  const coverage = coverageIndexOf(snapshot.coverage);
  const missing = targets.filter(
    ({ uid, type, namespace }) => !seen.has(uid) && !coverage.coversKind(type, namespace),
  );
  return missing.length === 0
    ? snapshot
    : inOrder({ ...snapshot, records: [...snapshot.records, ...missing] });
}

/** The records of a snapshot with the uids of these targets, in their order; those that are gone are left out. */
export function sameObjects(
  { records }: Snapshot,
  targets: readonly Pick<ObjectRecord, 'uid'>[],
): ObjectRecord[] {
  const byUid = new Map(records.map((record) => [record.uid, record]));
  return targets.flatMap(({ uid }) => byUid.get(uid) ?? []);
}

/**
 * Kinds of Kubernetes itself that hold no data, and that no controller of Kubernetes makes for an
 * owner, or makes again with it. No controller reads or makes PodTemplates at all. A CSIStorageCapacity
 * is a report that a storage driver writes again as long as it runs. A PodCertificateRequest (served
 * since v1.37) is made by the kubelet for a pod, and made again for the next pod. Roles and
 * RoleBindings are made by operators, for custom resources: with one in the plan they count as unread
 * after all (unread-content.ts).
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
      ownerReferences.map(({ apiVersion, kind }) => groupKindOf(apiVersion, kind)),
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

function groupKindOf(apiVersion: string, kind: string): string {
  return `${parseApiVersion(apiVersion)?.group} ${kind}`;
}

/** Where the review itself fails, this is not known, and the answer is no. */
async function mayNotCreate(
  { client }: OpenedCluster,
  type: ResourceType,
  namespace: string,
): Promise<boolean> {
  const { answer } = await review(client, { verb: 'create', type, namespace, name: undefined });
  return answer === 'denied';
}
