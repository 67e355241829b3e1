import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { deliveriesAmong } from '../../delivery/deliveries.ts';
import { isTool, toolOf } from '../../delivery/tools.ts';
import { amongBuiltIn, builtIn } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import { apiVersionOf, parseApiVersion } from '../../kube/resource-type.ts';
import { mayConcern, type ResourceTypes } from '../../kube/resource-types.ts';
import { dependentsOf } from '../../questions/owners/subgraph.ts';
import { discoveryProblem } from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import {
  refuseMissingNamespace,
  selectNamed,
  warnOfLostNamespace,
  withMissingNamespace,
} from './missing-namespace.ts';
import type { FileListeners } from './read-files.ts';
import { openSource, type ReadRequest, readSource } from './read-question.ts';
import {
  type AllNamespaces,
  isInNamespace,
  kindsOf,
  type Selectors,
  scopeOf,
  selectorsOf,
} from './scope.ts';
import type { OpenedCluster, Session } from './session.ts';
import {
  type FilenameFlag,
  type NamedTarget,
  type NamedTargets,
  noted,
  refuseNameAndSelector,
  selectObjects,
  targetLocation,
  targetsOf,
} from './targets.ts';
import { releaseNamed, targetsOfRelease } from './targets-of-release.ts';

type TreeFlags = CommonFlags & Selectors & AllNamespaces & FilenameFlag;

/**
 * The roots of a tree and all their possible dependents; the namespace of the question, undefined for all of
 * them. The dependents of a namespaced object are in its
 * namespace (GC-28), so only that one is listed; below a cluster-scoped root, everything is.
 */
export async function openTree(args: readonly string[], flags: TreeFlags, session: Session) {
  // What is wrong with the command line is reported before anything is read.
  selectorsOf(flags);
  const all = flags['all-namespaces'] ?? false;
  const release = releaseNamed(args, flags);
  const targetsIn =
    release === undefined
      ? await targetsOf(args, { ...flags, ...(all && { namespace: undefined }) })
      : await targetsInRelease(release, session);
  const source = await openSource(flags, session);
  const targets = noted(targetsIn(source.types));
  refuseNameAndSelector(targets, flags);
  const { namespace } = source;
  const asked = { flags, session, home: source.cluster && namespace };
  const rootsIn = (snapshot: Snapshot) =>
    release === undefined
      ? selectObjects(snapshot, targets, namespace, flags)
      : thoseThere(snapshot, targets);
  // READY, STATUS and the Pods of a Node need more than metadata.
  const everywhere = { facts: true } as const;
  const isNarrow =
    namespace !== undefined &&
    targets.every(
      ({ type }) => type.namespaced && !isTool({ ...type, apiVersion: apiVersionOf(type) }),
    );
  const namespaces = new Set(targets.map((target) => target.namespace ?? namespace ?? ''));
  const readTree = async () => {
    const read = await readSource(source, {
      ...everywhere,
      ...(isNarrow && {
        namespaces: [...namespaces],
        namespacedOnly: true,
        // Dependents of the roots may have owners outside of their namespace, too: the Node of a Pod.
        owners: (first) => recordsBelow(first, rootsIn(first)),
      }),
    });
    // What delivery tools apply is in any namespace.
    const isShort = isNarrow && recordsBelow(read, rootsIn(read)).some(toolOf);
    const snapshot = isShort ? await readSource(source, everywhere) : read;
    return { graph: buildGraph(snapshot), roots: rootsIn(snapshot), namespace };
  };
  const tree = await readTree().catch(async (error) => {
    throw await withMissingNamespace(error, { ...asked, snapshot: source.snapshot });
  });
  const { snapshot } = tree.graph;
  if (tree.roots.length === 0) await refuseMissingNamespace({ ...asked, snapshot });
  else warnOfLostNamespace({ ...asked, snapshot });
  return tree;
}

async function targetsInRelease(release: string, session: Session): Promise<TargetsIn> {
  const client = await session.client();
  const { readHelmRelease } = await import('../../cluster/helm-release.ts');
  const found = await readHelmRelease(client, client.namespace, release);
  return (types) => targetsOfRelease(found, types);
}

/** Of a release some objects may be gone. */
function thoseThere({ records }: Snapshot, targets: readonly NamedTarget[]): ObjectRecord[] {
  const there = new Map(records.map((record) => [locationKey(record), record]));
  return targets.flatMap(
    ({ type, namespace = '', name = '' }) =>
      there.get(locationKey({ type, namespace, name })) ?? [],
  );
}

function recordsBelow(snapshot: Snapshot, roots: readonly ObjectRecord[]): ObjectRecord[] {
  const { nodes } = dependentsOf(buildGraph(snapshot), roots);
  return [...nodes.values()].flatMap((node) => ('record' in node ? node.record : []));
}

/**
 * All that has no owner that could be seen, and owns something, names an owner or is being deleted: the roots of
 * the trees of a namespace, or of all of them.
 */
export async function openAllTrees(flags: TreeFlags, session: Session) {
  const source = await openSource(flags, session);
  const { namespace } = source;
  const snapshot = await readSource(source, { namespace, facts: true });
  await refuseMissingNamespace({
    flags,
    session,
    snapshot,
    defaultNamespace: source.cluster && namespace,
  });
  const matches = selectorsOf(flags);
  const graph = buildGraph(snapshot);
  const { below } = deliveriesAmong(snapshot.records);
  const roots = snapshot.records.filter((record) => {
    const { ownerReferences } = record;
    if (namespace !== undefined && !isInNamespace(record, namespace)) return false;
    if (ownerReferences.some((reference) => graph.withUid(reference.uid))) return false;
    const isLinked =
      ownerReferences.length > 0 ||
      graph.dependentsOf(record.uid).length > 0 ||
      below(record).length > 0;
    return (isLinked || record.deletionTimestamp !== undefined) && matches(record);
  });
  return { graph, roots, namespace };
}

/** What a list is about: the kinds that the arguments name, or all, where the selectors match. */
export async function openListed(
  args: readonly string[],
  flags: TreeFlags,
  session: Session,
  { facts, ...listeners }: FileListeners & Pick<ReadRequest, 'facts'> = {},
) {
  const scopeIn = scopeOf(args, flags);
  const source = await openSource(flags, session, listeners);
  const { namespace, cluster } = source;
  // A kind that is not served is reported before anything is listed.
  const scope = scopeIn(source.types, namespace);
  const snapshot = await readSource(source, { namespace, owners: true, ...(facts && { facts }) });
  await refuseMissingNamespace({
    flags,
    session,
    snapshot,
    defaultNamespace: cluster && namespace,
  });
  const counted = { kinds: kindsOf(args, source.types, namespace), namespace };
  return { snapshot, scope, counted, cluster, namespace };
}

type TargetsIn = (types: ResourceTypes) => NamedTargets;

/** The objects asked for and the chain of owners above them; on a cluster by GETs alone. */
export async function openOwners(
  args: readonly string[],
  flags: CommonFlags & FilenameFlag,
  session: Session,
) {
  const targetsIn = await targetsOf(args, flags);
  const builtInChain = flags.from
    ? undefined
    : await withBuiltInTypes(await session.client(), targetsIn);
  if (builtInChain) return builtInChain;
  const source = await openSource(flags, session);
  const targets = noted(targetsIn(source.types));
  const { cluster, namespace } = source;
  const snapshot = cluster
    ? withDiscoveryProblems(await loadChain(cluster.client, cluster, targets))
    : source.snapshot;
  const asked = { flags, session, snapshot, home: cluster && namespace };
  return { snapshot, roots: await selectNamed(asked, targets, namespace) };
}

/**
 * Nearly every chain consists of kinds that every server serves: for those, a GET that finds the
 * object also proves that its kind is served, and discovery can be saved. Undefined when anything
 * else turned up: another kind, or an object that was not found.
 */
async function withBuiltInTypes(client: ClusterClient, targetsIn: TargetsIn) {
  const found = amongBuiltIn(targetsIn);
  if (!found) return undefined;
  const { targets } = found;
  const discovery = { types: builtIn, serverVersion: undefined };
  const snapshot = await loadChain(client, discovery, targets);
  if (!isPlain(snapshot)) return undefined;
  return { snapshot, roots: selectObjects(snapshot, noted(found), client.namespace) };
}

/** All that was asked for is there, and every reference names a built-in kind. */
function isPlain({ records, coverage, types }: Snapshot): boolean {
  return (
    coverage.problems.length === 0 &&
    coverage.asked.length === records.length &&
    records.every((record) =>
      record.ownerReferences.every(
        ({ apiVersion, kind }) => types.mapKind(apiVersion, kind).kind === 'served',
      ),
    )
  );
}

/** Kinds that could not be discovered are missing from a chain only if it leads there. */
function withDiscoveryProblems(snapshot: Snapshot): Snapshot {
  const { records, coverage, types } = snapshot;
  const named = new Set(
    records.flatMap(({ ownerReferences }) => ownerReferences.map(({ apiVersion }) => apiVersion)),
  );
  const missed = types.failed.filter((failure) =>
    [...named].some((apiVersion) => {
      const parsed = parseApiVersion(apiVersion);
      if (!parsed || !mayConcern(failure, parsed.group)) return false;
      return failure.version === undefined || parsed.version === failure.version;
    }),
  );
  if (missed.length === 0) return snapshot;
  const problems = [...coverage.problems, ...missed.map(discoveryProblem)];
  return { ...snapshot, coverage: { ...coverage, problems } };
}

async function loadChain(
  client: ClusterClient,
  discovery: Pick<OpenedCluster, 'types' | 'serverVersion'>,
  targets: readonly NamedTarget[],
): Promise<Snapshot> {
  const advice = 'On a cluster, owners looks up single objects: name each as TYPE/NAME.';
  const starts = targets.map((target) => targetLocation(target, client.namespace, advice));
  const { loadOwnerChain } = await import('../../cluster/list/look-up-owners.ts');
  // READY and STATUS are in the status; of Secrets only metadata is read.
  return loadOwnerChain(client, discovery, starts, { facts: true });
}
