import { review } from '../../cluster/write/access-reviews.ts';
import { podsReady } from '../../controllers/finalizers/program-life.ts';
import { mayGo } from '../../deletion/plan/going.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import { isForeign } from '../../deletion/plan/waits.ts';
import { leaseType, podType, workloadTypes } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import {
  groupResourceOf,
  isEventType,
  parseApiVersion,
  type ResourceType,
} from '../../kube/resource-type.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import {
  type CoverageProblem,
  coverageIndexOf,
  discoveryProblem,
} from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { dependentsOf } from '../../snapshot/graph/subgraph.ts';
import { inOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { inSmallHeap } from '../input/input.ts';
import type { OpenedCluster } from '../input/session.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';

/**
 * Reads all that a deletion of these objects can touch, and plans it. What a namespaced object owns is in
 * its namespace (GC-28), so only those are read, the volumes of their claims and the Nodes of the pods that
 * go; for anything else everything is. A volume may own objects everywhere: where one may go, everything is
 * read after all.
 */
export async function planOfRead<T extends { readonly plan: Plan }>(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
  planned: (snapshot: Snapshot) => T | Promise<T>,
): Promise<T> {
  const everything = () => reading((progress) => list(cluster, {}, progress), targets);
  if (!targets.every(({ type }) => type.namespaced)) return planned(await everything());
  const namespaces = new Set(targets.map(({ namespace }) => namespace));
  const read = await reading((progress) => readNamespaces(cluster, namespaces, progress), targets);
  const nodes = nodesAsked(cluster);
  const below = dependentsOf(buildGraph(read), sameObjects(read, targets)).nodes.values();
  const owned = [...below].flatMap((node) => ('record' in node ? node.record : []));
  let near = await nodes(read, owned);
  let first = await planned(near);
  // What goes without being owned by a target, the plan alone knows.
  const going = first.plan.objects.filter(mayGo);
  const nearer = await nodes(near, sameObjects(near, going));
  if (nearer !== near) {
    near = nearer;
    first = await planned(near);
  }
  const reachesOut = first.plan.objects.some((one) => one.namespace === '' && mayGo(one));
  return reachesOut ? planned(together(await everything(), near)) : first;
}

function reading(
  read: (progress: Progress) => Promise<Snapshot>,
  targets: readonly ObjectRecord[],
): Promise<Snapshot> {
  return withProgress('Reading what may be touched', (progress) =>
    inSmallHeap(async () => inOrder(withTargets(await read(progress), targets))),
  );
}

/** More single questions than this would be a list in disguise; the other Nodes stay unknown. */
const mostNodes = 500;
/** Who may not read so many Nodes may read none. */
const firstNodes = 8;

/**
 * Adds the Nodes of these pods to a snapshot, each asked for once: whether the kubelets answer that have to
 * confirm the end of the pods. What may not be read is only not known.
 */
function nodesAsked(
  cluster: OpenedCluster,
): (snapshot: Snapshot, pods: readonly ObjectRecord[]) => Promise<Snapshot> {
  const type = cluster.types.find('v1', 'Node');
  const asked = new Set<string>();
  return async (snapshot, pods) => {
    const names = new Set(pods.flatMap((pod) => knownNodeOf(pod) ?? []));
    for (const name of asked) names.delete(name);
    if (!type || names.size === 0) return snapshot;
    const wanted = [...names].slice(0, mostNodes).map((name) => ({ type, namespace: '', name }));
    for (const name of names) asked.add(name);
    const { getObjects, snapshotOf } = await import('../../cluster/list/get-objects.ts');
    const options = { facts: true };
    const answers = await getObjects(cluster.client, wanted.slice(0, firstNodes), options);
    if (!answers.some(({ problem }) => problem === undefined)) return snapshot;
    answers.push(...(await getObjects(cluster.client, wanted.slice(firstNodes), options)));
    return withNodes(snapshot, snapshotOf(cluster.client, cluster, answers, options));
  };
}

/** Those that own something were looked up already, but without their status. */
function withNodes(snapshot: Snapshot, nodes: Snapshot): Snapshot {
  const names = new Set(nodes.records.map(({ name }) => name));
  const { coverage } = snapshot;
  return inOrder({
    ...snapshot,
    records: [
      ...snapshot.records.filter((record) => !isNode(record) || !names.has(record.name)),
      ...nodes.records,
    ],
    coverage: { ...coverage, asked: [...coverage.asked, ...nodes.coverage.asked] },
  });
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
  namespaces: ReadonlySet<string>,
  progress: Progress,
): Promise<Snapshot> {
  const types = cluster.types.preferred().filter(isInNamespaces);
  const listed = await list(cluster, { namespaces: [...namespaces], types }, progress);
  const { lookUpOwners } = await import('../../cluster/list/look-up-owners.ts');
  const snapshot = await setAside(cluster, await lookUpOwners(cluster.client, listed));
  const { coverage } = snapshot;
  const problems = [...cluster.types.failed.map(discoveryProblem), ...coverage.problems];
  const whole = { ...snapshot, coverage: { ...coverage, problems } };
  return withVolumes(cluster, whole, progress);
}

/** Volumes go with their claims, or stay: where they may be read, the plan says which. */
async function withVolumes(
  cluster: OpenedCluster,
  snapshot: Snapshot,
  progress: Progress,
): Promise<Snapshot> {
  const isClaim = ({ type }: ObjectRecord) =>
    type.group === '' && type.kind === 'PersistentVolumeClaim';
  const type = cluster.types.find('v1', 'PersistentVolume');
  const claims = snapshot.records.filter(isClaim);
  if (!type || claims.length === 0) return snapshot;
  const claimed = new Set(claims.map(({ facts }) => facts?.volumeName));
  const claimants = new Set(claims.map(({ namespace, name }) => `${namespace}/${name}`));
  const volumes = await list(cluster, { types: [type] }, progress);
  // One that is made for a claim may be bound to it any moment.
  const used = volumes.records.filter(
    ({ name, facts: { claimRef } = {} }) =>
      claimed.has(name) || claimants.has(`${claimRef?.namespace}/${claimRef?.name}`),
  );
  // One that owns something was looked up already, but without its reclaim policy.
  const uids = new Set(used.map(({ uid }) => uid));
  return {
    ...snapshot,
    records: [...snapshot.records.filter(({ uid }) => !uids.has(uid)), ...used],
    coverage: {
      ...snapshot.coverage,
      asked: [
        ...snapshot.coverage.asked,
        ...volumes.records.map(({ name }) => ({
          resource: groupResourceOf(type),
          namespace: '',
          name,
        })),
      ],
      problems: [...snapshot.coverage.problems, ...volumes.coverage.problems],
    },
  };
}

/**
 * Who may remove the finalizers of others is mostly in another namespace: its workloads and Leases are read
 * apart, as they are no part of what is deleted, and the pods beside a workload without a ready one. What may not be read is only not known.
 */
export async function readPrograms(
  cluster: OpenedCluster,
  { records }: Snapshot,
): Promise<Pick<Snapshot, 'records' | 'coverage'> | undefined> {
  if (!records.some((record) => record.finalizers.some(isForeign))) return undefined;
  const seen = new Set(records.map(({ uid }) => uid));
  const types = [...workloadTypes, leaseType].flatMap(
    ({ group, version, kind }) => cluster.types.find(`${group}/${version}`, kind) ?? [],
  );
  return withProgress('Reading who removes finalizers', async (progress) => {
    const read = await list(cluster, { types }, progress);
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
        : (await list(cluster, { namespaces, types: [podType] }, progress)).records;
    const more = [...read.records, ...pods].filter(({ uid }) => !seen.has(uid));
    return { records: more, coverage: read.coverage };
  });
}

function isWorkload({ type }: ObjectRecord): boolean {
  return workloadTypes.some((one) => groupResourceOf(one) === groupResourceOf(type));
}

async function list(
  cluster: OpenedCluster,
  scope: { readonly namespaces?: readonly string[]; readonly types?: readonly ResourceType[] },
  progress: Progress,
): Promise<Snapshot> {
  const { fromCluster } = await import('../../cluster/from-cluster.ts');
  return fromCluster(cluster.client, scope, {
    facts: true,
    // What was created a moment ago must not be missed.
    freshness: 'latest',
    discovery: cluster,
    onProgress: ({ done, total, objects }) =>
      progress.update(`Reading what may be touched: ${done} of ${total} kinds, ${objects} objects`),
  });
}

function isInNamespaces(type: ResourceType): boolean {
  const { namespaced, verbs } = type;
  return namespaced && verbs.includes('list') && verbs.includes('delete') && !isEventType(type);
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
    : { ...snapshot, records: [...snapshot.records, ...missing] };
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
