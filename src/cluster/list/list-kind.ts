import { firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, isSecretType, type ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { CoverageProblem, ReadKind } from '../../snapshot/coverage.ts';
import { ApiFailure, problemOf } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { inParallel } from '../in-parallel.ts';
import { readsFacts } from '../protobuf/decode-item.ts';
import { type ListedObjects, type ListOptions, listObjects, listSecrets } from './list-objects.ts';

interface KindScope {
  /** Namespaced kinds are listed in these only; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Where to look when a list over all namespaces is forbidden. */
  readonly fallback?: NamespaceFallback | undefined;
  /** Returns whether a kind that was not found is no longer served; undefined: it counts as not read. */
  readonly isGone?: IsGone | undefined;
}

type IsGone = (type: ResourceType) => Promise<boolean>;

/** What was seen of one kind. */
export interface ListedKind {
  readonly records: readonly ObjectRecord[];
  /** Undefined if none of it could be read completely. */
  readonly read: ReadKind | undefined;
  readonly problems: readonly CoverageProblem[];
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
  /** A watch goes on from here; of one place that was read. */
  readonly resourceVersion?: string;
}

const namespaceConcurrency = 4;

/** Lists one kind as far as the user may; what could not be read is in `problems`. */
export async function listKind(
  client: ClusterClient,
  type: ResourceType,
  scope: KindScope = {},
  options: ListOptions = {},
): Promise<ListedKind> {
  const namespaces = type.namespaced ? scope.namespaces : undefined;
  if (namespaces) return listInNamespaces(client, type, namespaces, scope, options);
  const whole = await listPlace(client, { type, namespace: undefined }, options, scope.isGone);
  const [problem] = whole.problems;
  if (problem?.reason !== 'forbidden' || !type.namespaced || !scope.fallback) return whole;
  const { namespaces: tried, all } = await scope.fallback();
  const parts = await listInNamespaces(client, type, tried, scope, options);
  if (all && parts.problems.length === 0) return parts;
  const allowed = parts.read?.namespaces ?? [];
  const others = parts.problems.filter(({ reason }) => reason !== 'forbidden');
  return { ...parts, problems: [narrowed(problem, allowed, tried), ...others] };
}

async function listInNamespaces(
  client: ClusterClient,
  type: ResourceType,
  namespaces: readonly string[],
  scope: KindScope,
  options: ListOptions,
): Promise<ListedKind> {
  const parts = await inParallel(namespaces, namespaceConcurrency, (namespace) =>
    listPlace(client, { type, namespace }, options, scope.isGone),
  );
  const allowed = parts.flatMap(({ read }) => read?.namespaces ?? []);
  return {
    records: parts.flatMap(({ records }) => records),
    read: allowed.length > 0 ? { resource: groupResourceOf(type), namespaces: allowed } : undefined,
    problems: parts.flatMap(({ problems }) => problems),
    serverTime: parts.findLast(({ serverTime }) => serverTime !== undefined)?.serverTime,
  };
}

/** Lists what is at one place, or says why it could not be read. */
export async function listPlace(
  client: ClusterClient,
  place: ListedPlace,
  options: ListOptions,
  isGone?: IsGone,
): Promise<ListedKind> {
  const { type, namespace } = place;
  const resource = groupResourceOf(type);
  try {
    const { records, serverTime, resourceVersion } = await listRecords(client, place, options);
    options.onListed?.({ type, namespace, records, resourceVersion });
    const read = namespace === undefined ? { resource } : { resource, namespaces: [namespace] };
    return { records, read, problems: [], serverTime, resourceVersion };
  } catch (error) {
    const problem = problemOf(error, 'list', place);
    // Nothing serves the kind, although discovery has named it.
    const isUnserved = error instanceof ApiFailure && error.status === 404 && !error.isAbsence;
    const problems = isUnserved && (await isGone?.(type)) ? [] : [problem];
    return { records: [], read: undefined, problems, serverTime: undefined };
  }
}

/** One kind, in one namespace or everywhere. */
export interface ListedPlace {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

async function listRecords(
  client: ClusterClient,
  { type, namespace }: ListedPlace,
  { factsIn = [], ...options }: ListOptions,
): Promise<ListedObjects> {
  const isApart = type.namespaced && hasFacts(type, true) && !hasFacts(type, options.facts);
  if (isApart && factsIn.length > 0) {
    if (namespace === undefined) return listInTwo(client, type, factsIn, options);
    if (factsIn.includes(namespace))
      return listRecords(client, { type, namespace }, { ...options, facts: true });
  }
  const list = isSecretType(type) && hasFacts(type, options.facts) ? listSecrets : listObjects;
  return list(client, type, namespace, options);
}

function hasFacts(type: ResourceType, facts: ListOptions['facts']): boolean {
  return isSecretType(type) ? facts === true || facts === 'all' : readsFacts(type, facts);
}

/** What is in these namespaces with facts, and all else without: nothing is read twice. */
async function listInTwo(
  client: ClusterClient,
  type: ResourceType,
  factsIn: readonly string[],
  options: ListOptions,
): Promise<ListedObjects> {
  const fieldSelector = factsIn.map((namespace) => `metadata.namespace!=${namespace}`).join(',');
  const [others, parts] = await Promise.all([
    listRecords(client, { type, namespace: undefined }, { ...options, fieldSelector }),
    inParallel(factsIn, namespaceConcurrency, (namespace) =>
      listRecords(client, { type, namespace }, { ...options, facts: true }),
    ),
  ]);
  // A server that is not Kubernetes' own may not know the selector.
  const elsewhere = others.records.filter(({ namespace }) => !factsIn.includes(namespace));
  const all = [{ ...others, records: elsewhere }, ...parts];
  return {
    records: all.flatMap(({ records }) => records),
    serverTime: all.findLast(({ serverTime }) => serverTime !== undefined)?.serverTime,
    resourceVersion: `${Math.min(...all.map((list) => Number(list.resourceVersion)))}`,
  };
}

/** Says how far the list got by namespaces that was forbidden as a whole. */
function narrowed(
  problem: CoverageProblem,
  allowed: readonly string[],
  tried: readonly string[],
): CoverageProblem {
  const got =
    allowed.length === 0
      ? tried.length === 1
        ? `; nor in namespace ${tried[0]}`
        : `; nor in any of ${tried.length} namespaces`
      : `; it was read in ${namespacesInWords(allowed)} only`;
  return { ...problem, message: problem.message + got };
}

function namespacesInWords(namespaces: readonly string[]): string {
  return `namespace${namespaces.length === 1 ? '' : 's'} ${firstOf(namespaces)}`;
}

/** How many single-namespace lists may stand in for forbidden cluster-wide ones, over all kinds. */
const budget = 2000;

interface KnownNamespaces {
  readonly namespaces: readonly string[];
  /** Are these all that there are? */
  readonly all: boolean;
}

/** The namespaces to try for one more kind, the one in force first; fewer once the budget is spent. */
export type NamespaceFallback = () => Promise<KnownNamespaces>;

/**
 * The namespaces to look into when a user may not list a kind everywhere: all of them when they
 * may be listed, else the one in force. Asked for once, when first needed.
 */
export function namespaceFallback(
  client: ClusterClient,
  types: ResourceTypes,
  options: ListOptions,
): NamespaceFallback {
  let known: Promise<KnownNamespaces> | undefined;
  let left = budget;
  return async () => {
    known ??= knownNamespaces(client, types, options);
    const { namespaces, all } = await known;
    const share = namespaces.slice(0, Math.max(left, 1));
    left -= share.length;
    return { namespaces: share, all: all && share.length === namespaces.length };
  };
}

async function knownNamespaces(
  client: ClusterClient,
  types: ResourceTypes,
  options: ListOptions,
): Promise<KnownNamespaces> {
  const { namespace: current } = client;
  const type = types.find('v1', 'Namespace');
  // The list of namespaces itself reports that namespaces may not be listed.
  const listed =
    type && (await listObjects(client, type, undefined, options).catch(() => undefined));
  const names = listed?.records.map(({ name }) => name) ?? [];
  const others = names.filter((name) => name !== current);
  return { namespaces: [current, ...others], all: listed !== undefined };
}

/** The API server creates these itself, and refuses their deletion. */
const everywhere = ['default', 'kube-system'];

/**
 * A list of all namespaces that lacks one that every cluster has is incomplete: a proxy may filter
 * it, or something else answers. What it does not show may then exist, and so it counts as not
 * read. Mirrors the system namespaces controller, kubernetes
 * pkg/controlplane/controller/systemnamespaces.
 */
export function withSystemNamespaces(listed: ListedKind): ListedKind {
  const { records, read, problems } = listed;
  if (read?.resource !== 'namespaces' || read.namespaces !== undefined) return listed;
  const names = new Set(records.map(({ name }) => name));
  const missing = everywhere.filter((name) => !names.has(name));
  if (missing.length === 0) return listed;
  const message = `the list of namespaces is incomplete: every cluster has ${everywhere.join(' and ')}, and it lacks ${missing.join(' and ')}, so other objects may be missing too`;
  return {
    ...listed,
    read: undefined,
    problems: [
      ...problems,
      { reason: 'truncated', message, resource: 'namespaces', apiVersion: 'v1' },
    ],
  };
}
