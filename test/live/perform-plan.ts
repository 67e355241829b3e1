import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import type { Fate, Plan, PlannedObject, PlannedRequest } from '../../src/deletion/plan/plan.ts';
import type { ObjectReference } from '../../src/kube/object-reference.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { ProgressEvent } from '../../src/perform/progress-event.ts';
import type { ExecuteOptions } from '../../src/perform/run-context.ts';
import { execute } from '../../src/perform/send/execute.ts';
import type { Cluster } from '../support/cluster.ts';
import { servedTypes } from '../support/served-types.ts';

/** An object as a plan names it. */
export function identity(object: KubeObject): ObjectReference {
  const { namespace = '', name, uid } = object.metadata as Record<string, string>;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace,
    name: name ?? '',
    uid: uid ?? '',
  };
}

/** All of these are to be deleted. */
export const deleted = (...objects: readonly KubeObject[]) =>
  objects.map((object) => [object, 'deleted'] as const);

/** A plan that asks for the first objects and expects these fates. */
export function planFor(
  requested: readonly KubeObject[],
  fates: readonly (readonly [KubeObject, Fate])[],
  request: Partial<PlannedRequest> = {},
): Plan {
  const objects = fates.map(
    ([object, fate]): PlannedObject => ({
      ...identity(object),
      wave: 0,
      fate,
      because: 'it is asked for',
      rule: '',
      blockedBy: [],
    }),
  );
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster: { server: '', uid: '' },
    createdAt: '2026-01-03T00:00:00Z',
    requests: requested.map((object) => ({
      verb: 'delete',
      ...identity(object),
      resourceVersion: String(object.metadata.resourceVersion),
      propagationPolicy: 'Background',
      wave: 0,
      ...request,
    })),
    objects,
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 1, objects: objects.length, problems: [] },
  };
}

export interface Performing extends Partial<ExecuteOptions> {
  /** The administrator of the control plane when not given. */
  readonly client?: ClusterClient;
  readonly onEvent?: (event: ProgressEvent) => Promise<void> | void;
}

/** Performs a plan as the command does, and collects the events. */
export async function performOn(
  cluster: Cluster,
  plan: Plan,
  { client: given, onEvent, ...options }: Performing = {},
): Promise<ProgressEvent[]> {
  const client = given ?? (await connect({ kubeconfig: cluster.kubeconfigPath }));
  const types = new ResourceTypes(await servedTypes(cluster.get), { exhaustive: true });
  const events: ProgressEvent[] = [];
  try {
    const run = execute(plan, client, types, {
      wait: 'tree',
      timeoutMs: 60_000,
      useResourceVersion: false,
      now: Date.now,
      ...options,
    });
    for await (const event of run) {
      events.push(event);
      await onEvent?.(event);
    }
  } finally {
    if (!given) client.close();
  }
  return events;
}

/** What was seen last of each object, by name. */
export function observations(events: readonly ProgressEvent[]): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const event of events) {
    if (event.type === 'observed') seen[event.object.name] = event.observation;
  }
  return seen;
}

/** The last event without its time. */
export function endOf(events: readonly ProgressEvent[]): object {
  const { at: _, ...done } = events.at(-1) ?? { at: '' };
  return done;
}

/** Events of one type. */
export function only<T extends ProgressEvent['type']>(
  events: readonly ProgressEvent[],
  type: T,
): Extract<ProgressEvent, { type: T }>[] {
  return events.filter(
    (event): event is Extract<ProgressEvent, { type: T }> => event.type === type,
  );
}
