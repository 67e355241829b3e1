import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { usageError } from '../../errors.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { isAbout, ResourceTypes } from '../../kube/resource-types.ts';
import { discoveryProblem } from '../../snapshot/coverage.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import { dependentsOf } from '../../snapshot/graph/subgraph.ts';
import { inOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { listCluster, openFrom, readQuestion, withOwners } from './input.ts';
import {
  type AllNamespaces,
  isInNamespace,
  namespaceInFiles,
  oneNamespaceInFiles,
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
  targetsOf,
} from './targets.ts';

interface OpenedObjects {
  readonly snapshot: Snapshot;
  readonly roots: readonly ObjectRecord[];
  /** The namespace that the question is about; undefined: all of them, or what the targets name. */
  readonly namespace?: string | undefined;
}

/** The same with the graph of the whole snapshot. */
interface OpenedTrees extends Omit<OpenedObjects, 'snapshot'> {
  readonly graph: Graph;
}

type TreeFlags = CommonFlags & Selectors & AllNamespaces & FilenameFlag;

/**
 * The roots of a tree and all that may hang below them. What a namespaced object owns is in its
 * namespace (GC-28), so only that one is listed; below a cluster-scoped root, everything is.
 */
export async function openTree(
  args: readonly string[],
  flags: TreeFlags,
  session: Session,
): Promise<OpenedTrees> {
  // What is wrong with the command line is reported before anything is read.
  selectorsOf(flags);
  const all = flags['all-namespaces'] ?? false;
  const targetsIn = await targetsOf(args, { ...flags, ...(all && { namespace: undefined }) });
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const targets = noted(targetsIn(snapshot.types));
    const namespace = await namespaceInFiles(flags);
    const roots = selectObjects(snapshot, targets, namespace, flags);
    return { graph: buildGraph(snapshot), roots, namespace };
  }
  const cluster = await session.cluster();
  const targets = noted(targetsIn(cluster.types));
  refuseNameAndSelector(targets, flags);
  const namespace = all ? undefined : cluster.client.namespace;
  const narrow = namespace !== undefined && targets.every((target) => target.type.namespaced);
  const namespaces = new Set(targets.map((target) => target.namespace ?? namespace ?? ''));
  const scope = narrow ? { namespaces: [...namespaces], namespacedOnly: true } : {};
  // READY and STATUS need more than metadata, and so does which pods a node runs.
  const snapshot = await listCluster(cluster, scope, { facts: true });
  const roots = selectObjects(snapshot, targets, namespace, flags);
  const graph = buildGraph(snapshot);
  if (!narrow) return { graph, roots, namespace };
  return { graph: await withOwnersElsewhere(graph, roots, cluster), roots, namespace };
}

/** What hangs below the roots may have owners outside of its namespace, too: the Node of a pod. They are asked for. */
async function withOwnersElsewhere(
  graph: Graph,
  roots: readonly ObjectRecord[],
  cluster: OpenedCluster,
): Promise<Graph> {
  const { snapshot } = graph;
  const { nodes } = dependentsOf(graph, roots);
  const records = [...nodes.values()].flatMap((node) => ('record' in node ? node.record : []));
  const below = { ...snapshot, records };
  const found = await withOwners(cluster, below);
  if (found === below) return graph;
  const elsewhere = found.records.slice(records.length);
  return buildGraph(inOrder({ ...found, records: [...snapshot.records, ...elsewhere] }));
}

/**
 * All that has no owner that could be seen, and either owns something or names an owner: the roots of the trees
 * of a namespace, or of all of them.
 */
export async function openAllTrees(flags: TreeFlags, session: Session): Promise<OpenedTrees> {
  const { snapshot, namespace } = await readQuestion(flags, session, { facts: true });
  const matches = selectorsOf(flags);
  const graph = buildGraph(snapshot);
  const roots = snapshot.records.filter((record) => {
    const { ownerReferences } = record;
    if (namespace !== undefined && !isInNamespace(record, namespace)) return false;
    if (ownerReferences.some((reference) => graph.withUid(reference.uid))) return false;
    const isLinked = ownerReferences.length > 0 || graph.countDependents(record) > 0;
    return isLinked && matches(record);
  });
  return { graph, roots, namespace };
}

/** What a list is about: the kinds that the arguments name, or all, where the selectors match. */
export async function openListed(args: readonly string[], flags: TreeFlags, session: Session) {
  const scopeIn = scopeOf(args, flags);
  // A kind that is not served is reported before anything is listed.
  if (!flags.from) scopeIn((await session.cluster()).types, undefined);
  const read = await readQuestion(flags, session, { owners: true });
  return { ...read, scope: scopeIn(read.snapshot.types, read.namespace) };
}

type TargetsIn = (types: ResourceTypes) => NamedTargets;

/** The objects asked for and the chain of owners above them; on a cluster by GETs alone. */
export async function openOwners(
  args: readonly string[],
  flags: CommonFlags & FilenameFlag,
  session: Session,
): Promise<OpenedObjects> {
  const targetsIn = await targetsOf(args, flags);
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const targets = noted(targetsIn(snapshot.types));
    const namespace = await oneNamespaceInFiles(flags);
    return { snapshot, roots: selectObjects(snapshot, targets, namespace) };
  }
  const builtInChain = await withBuiltInTypes(await session.client(), targetsIn);
  return builtInChain ?? withAllTypes(await session.cluster(), targetsIn);
}

/**
 * Nearly every chain consists of kinds that every server serves: for those, a GET that finds the
 * object also proves that its kind is served, and discovery can be saved. Undefined when anything
 * else turned up: another kind, or an object that was not found.
 */
async function withBuiltInTypes(
  client: ClusterClient,
  targetsIn: TargetsIn,
): Promise<OpenedObjects | undefined> {
  const types = new ResourceTypes(builtInTypes, { exhaustive: false });
  const found = builtIn(targetsIn, types);
  if (!found) return undefined;
  const { targets } = found;
  const snapshot = await loadChain(client, { types, serverVersion: undefined }, targets);
  if (!isPlain(snapshot)) return undefined;
  return { snapshot, roots: selectObjects(snapshot, noted(found), client.namespace) };
}

function builtIn(targetsIn: TargetsIn, types: ResourceTypes): NamedTargets | undefined {
  try {
    return targetsIn(types);
  } catch {
    // The kind is not built in, or the arguments are wrong: discovery shows which.
    return undefined;
  }
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

async function withAllTypes(
  { client, ...discovery }: OpenedCluster,
  targetsIn: TargetsIn,
): Promise<OpenedObjects> {
  const targets = noted(targetsIn(discovery.types));
  const snapshot = await withDiscoveryProblems(await loadChain(client, discovery, targets));
  return { snapshot, roots: selectObjects(snapshot, targets, client.namespace) };
}

/** Kinds that could not be discovered are missing from a chain only if it leads there. */
async function withDiscoveryProblems(snapshot: Snapshot): Promise<Snapshot> {
  const { records, coverage, types } = snapshot;
  const named = new Set(
    records.flatMap(({ ownerReferences }) => ownerReferences.map(({ apiVersion }) => apiVersion)),
  );
  const missed = types.failed.filter((failure) =>
    [...named].some((apiVersion) => {
      const parsed = parseApiVersion(apiVersion);
      if (!parsed || !isAbout(failure, parsed.group)) return false;
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
  const starts = targets.map(({ type, name, namespace = client.namespace }) => {
    if (name !== undefined) return { type, name, namespace: type.namespaced ? namespace : '' };
    throw usageError('resource(s) were provided, but no name was specified', [
      'On a cluster, owners looks up single objects: name each as TYPE/NAME.',
    ]);
  });
  const { loadOwnerChain } = await import('../../cluster/list/look-up-owners.ts');
  // READY and STATUS are in the status; of Secrets only metadata is read.
  return loadOwnerChain(client, discovery, starts, { facts: true });
}
