import { parseLabelSelector } from '../kube/label-selector.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import { groupResourceOf, parseApiVersion, type ResourceType } from '../kube/resource-type.ts';
import { mayConcern, type ResourceTypes } from '../kube/resource-types.ts';
import { isNode, namespaceFinalizer } from '../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import type { EnabledControllers } from '../settings/enabled-controllers.ts';
import { coverageIndexOf, type ProblemReason } from '../snapshot/coverage.ts';
import type { Owners } from '../snapshot/graph/owners.ts';
import { isOfCluster, type Snapshot } from '../snapshot/snapshot.ts';
import type { SimulatedRequest } from './api-server/request.ts';
import type { RefusedDeletion } from './engine/cluster-state.ts';

/** When controllers begin: before the first request and settled, or after the last one. */
export type Start = 'running' | 'after-requests';

/** What is played, whatever the schedule. */
export interface SimulationInput {
  readonly types: ResourceTypes;
  readonly records: readonly ObjectRecord[];
  /** Who owns whom among the records, where that is known already. */
  readonly owners?: Owners | undefined;
  readonly requests: readonly SimulatedRequest[];
  readonly start: Start;
  readonly isEnabled: EnabledControllers;
  readonly kubelets: boolean;
  /** uids of pods whose deletion is confirmed even where their Nodes are silent. */
  readonly confirmed: ReadonlySet<string>;
  /** What the API server refuses to delete, by uid. */
  readonly refused?: ReadonlyMap<string, RefusedDeletion> | undefined;
  /** The minor version of Kubernetes 1 whose controllers run. */
  readonly minor: number;
  readonly known: ReadCoverage;
  /** Settings of the controllers other than the garbage collector; undefined: none of them runs. */
  readonly controllers: ControllerSettings | undefined;
  /**
   * When the controllers started that ran before the simulation, if the snapshot shows it;
   * epoch milliseconds.
   */
  readonly controllersSince: number | undefined;
  /** The time at which controllers process work from before the beginning is unknown. Default: immediately. */
  readonly hasBacklog?: boolean;
  /** Controllers whose passes are at unknown times act as early as they may. */
  readonly isEarly?: boolean;
  /** Epoch milliseconds at the beginning. */
  readonly now: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Called from time to time; throws to end the simulation. */
  readonly goOn?: (() => void) | undefined;
}

/**
 * Namespaces that requests are about and that exist, as objects are in them, although the input
 * has no Namespace object of that name.
 */
export function impliedNamespaces(
  types: ResourceTypes,
  records: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[],
): ObjectRecord[] {
  const type = types.find('v1', 'Namespace');
  const wanted = new Set(
    requests.flatMap((request) =>
      request.kind === 'Namespace' && request.verb !== 'deletecollection' ? [request.name] : [],
    ),
  );
  if (!type || wanted.size === 0) return [];
  const inhabited = new Set<string>();
  for (const record of records) {
    if (record.type.kind === 'Namespace' && record.type.group === '') wanted.delete(record.name);
    else if (wanted.has(record.namespace)) inhabited.add(record.namespace);
  }
  return [...inhabited]
    .filter((name) => wanted.has(name))
    .map((name) =>
      recordOf(
        {
          metadata: { name },
          spec: { finalizers: [namespaceFinalizer] },
          status: { phase: 'Active' },
        },
        type,
      ),
    );
}

type DeletionRequest = Extract<SimulatedRequest, { verb: 'delete' | 'deletecollection' }>;

/** Finds the requests that delete an object if it has their resourceVersion, and is still there. */
export function requestedDeletions(
  requests: readonly SimulatedRequest[],
): (object: ObjectRecord) => readonly DeletionRequest[] {
  const keyOf = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;
  const deletions = requests.filter(
    (one) => (one.verb === 'delete' || one.verb === 'deletecollection') && !one.options.dryRun,
  ) as DeletionRequest[];
  const byKey = Map.groupBy(deletions, (one) =>
    keyOf(one.kind, one.namespace, one.verb === 'delete' ? one.name : ''),
  );
  return ({ type: { kind }, namespace, name, uid, labels }) =>
    [name, '']
      .flatMap((each) => byKey.get(keyOf(kind, namespace, each)) ?? [])
      .filter(
        (one) =>
          [undefined, uid].includes(one.options.preconditions?.uid) &&
          (one.verb === 'delete' || parseLabelSelector(one.labelSelector ?? '')(labels)),
      );
}

/**
 * Is feature gate OrderedNamespaceDeletion on by default in this minor version? It came with v1.30,
 * is on since v1.33 and cannot be turned off since v1.34 (GC-72).
 */
export function deletesPodsFirst(minor: number): boolean {
  return minor >= 33;
}

/** Where the absence of an object is a fact. */
export interface ReadCoverage {
  /** Would this object be in the snapshot if it existed? */
  covers(type: ResourceType, namespace: string, name: string): boolean;
  /**
   * Is it certain that no other object of this kind exists here? Files without an object of a kind do not show
   * that there is none, unless they are declared complete.
   */
  sawKind(type: ResourceType, namespace: string): boolean;
  /** Would this Node be in the snapshot if it existed? One without any Node leaves open which exist. */
  coversNode(name: string): boolean;
  /** Would a kind of this group version be in the snapshot's types if it were served? */
  hasKind(apiVersion: string): boolean;
}

const unreadReasons: ReadonlySet<ProblemReason> = new Set([
  'forbidden',
  'unavailable',
  'unlistable',
  'discovery-failed',
  'timed-out',
  'truncated',
]);

/**
 * Of a cluster, only what was read is known, and of a kind that files show, only what they cover. A kind of which
 * files show nothing has no objects, unless they say that it could not be read.
 */
export function readCoverageOf(snapshot: Snapshot, onlyRead = false): ReadCoverage {
  const { coverage, types, records } = snapshot;
  const index = coverageIndexOf(coverage);
  const isDiscovered = (apiVersion: string) => {
    const group = parseApiVersion(apiVersion)?.group;
    return !types.failed.some((failed) => group !== undefined && mayConcern(failed, group));
  };
  let holdsNodes: boolean | undefined;
  const nodeCoveredBy = (covers: ReadCoverage['covers']) => (name: string) => {
    const type = types.find('v1', 'Node');
    holdsNodes ??=
      coverage.asked.some(({ resource }) => resource === 'nodes') || records.some(isNode);
    return holdsNodes && (type === undefined || covers(type, '', name));
  };
  if (onlyRead || isOfCluster(snapshot)) {
    return {
      covers: (type, namespace, name) => index.covers(type, namespace, name),
      coversNode: nodeCoveredBy((type, namespace, name) => index.covers(type, namespace, name)),
      sawKind: (type, namespace) => index.coversKind(type, namespace),
      hasKind: (apiVersion) => types.exhaustive && isDiscovered(apiVersion),
    };
  }
  const missing = new Set(
    coverage.problems.flatMap(({ reason, resource }) =>
      resource !== undefined && unreadReasons.has(reason) ? [resource] : [],
    ),
  );
  let held: ReadonlySet<string> | undefined;
  const isShown = (resource: string): boolean => {
    held ??= new Set([
      ...coverage.read.map((kind) => kind.resource),
      ...records.map((record) => groupResourceOf(record.type)),
    ]);
    return held.has(resource);
  };
  const covers: ReadCoverage['covers'] = (type, namespace, name) => {
    if (index.covers(type, namespace, name)) return true;
    const resource = groupResourceOf(type);
    return !missing.has(resource) && !isShown(resource);
  };
  return {
    covers,
    coversNode: nodeCoveredBy(covers),
    sawKind: (type, namespace) => index.coversKind(type, namespace),
    hasKind: isDiscovered,
  };
}
