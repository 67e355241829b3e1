import { memoryFromLease } from '../controllers/controller-memory.ts';
import type { ControllerSettings } from '../controllers/settings/controller-settings.ts';
import type { EnabledControllers } from '../controllers/settings/enabled-controllers.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { SimulatedRequest } from './api-server/request.ts';
import type { ReadCoverage } from './read-coverage.ts';

/** When controllers begin: before the first request and settled, or after the last one. */
export type Start = 'running' | 'after-requests';

/** What is played, whatever the schedule. */
export interface SimulationInput {
  readonly types: ResourceTypes;
  readonly records: Iterable<ObjectRecord>;
  readonly requests: readonly SimulatedRequest[];
  readonly start: Start;
  readonly isEnabled: EnabledControllers;
  readonly kubelets: boolean;
  /** Does a Node have to be ready for its kubelet to confirm anything? */
  readonly readyOnly: boolean;
  /** Does the namespace controller delete pods before everything else? */
  readonly podsFirst: boolean;
  readonly known: ReadCoverage;
  /** Settings of the controllers other than the garbage collector; undefined: none of them runs. */
  readonly controllers: ControllerSettings | undefined;
  /**
   * When the controllers started that ran before the simulation, as far as the snapshot tells;
   * epoch milliseconds.
   */
  readonly controllersSince: number | undefined;
  /** Epoch milliseconds at the beginning. */
  readonly now: number;
  /** Milliseconds. */
  readonly duration: number;
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
          spec: { finalizers: ['kubernetes'] },
          status: { phase: 'Active' },
        },
        type,
      ),
    );
}

/**
 * Is feature gate OrderedNamespaceDeletion on by default in this Kubernetes version? It came with
 * v1.30, is on since v1.33 and cannot be turned off since v1.34 (GC-72). Unknown versions count as new.
 */
export function deletesPodsFirst(serverVersion: string | undefined): boolean {
  const minor = /^v1\.(\d+)/.exec(serverVersion ?? '')?.[1];
  return minor === undefined || Number(minor) >= 33;
}

const leases = 'leases.coordination.k8s.io';

/** When the current leader started its controllers, from its Lease; epoch milliseconds. */
export function controllersSince(
  records: readonly ObjectRecord[],
  now: number,
): number | undefined {
  const lease = records.find(
    ({ type, namespace, name }) =>
      name === 'kube-controller-manager' &&
      namespace === 'kube-system' &&
      groupResourceOf(type) === leases,
  );
  if (!lease) return undefined;
  const none = () => [];
  return memoryFromLease({ all: none, in: none, at: () => lease, covers: () => true }, now)
    .startedAt;
}
