import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { objectOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import type { DeleteOptions, SimulatedRequest } from '../../src/simulator/api-server/request.ts';
import { beginSimulation, simulate } from '../../src/simulator/simulate.ts';
import type { Simulation } from '../../src/simulator/simulation.ts';
import type { Start } from '../../src/simulator/simulation-input.ts';
import { builderOf, type SnapshotOptions, snapshotOf } from '../support/builders.ts';

export const replicationController = builderOf('v1', 'ReplicationController');

/** A finalizer that nobody removes. */
export const hold = 'example.com/hold';

export interface PlayOptions extends SnapshotOptions {
  readonly start?: Start;
  /** Only the garbage collector runs, unless said otherwise. */
  readonly controllers?: readonly string[];
  readonly kubelets?: boolean;
  /** Milliseconds. */
  readonly duration?: number;
}

/** The moment at which every case begins. */
export const beginning = Date.parse('2026-01-03T00:00:00Z');

export function simulateObjects(
  objects: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[] = [],
  options: PlayOptions = {},
): Simulation {
  const { start, controllers, kubelets = false, duration, ...rest } = options;
  return simulate(
    snapshotOf(objects, rest),
    requests,
    { controllers: controllers ?? ['garbage-collector-controller'], kubelets },
    { now: beginning, ...(start && { start }), ...(duration && { duration }) },
  );
}

/** What the garbage collector does, in the order of events that is shown. */
export function collectorSteps(objects: readonly ObjectRecord[]): Simulation['steps'] {
  const settings = { controllers: ['garbage-collector-controller'], kubelets: false };
  const begun = beginSimulation(snapshotOf(objects), [], settings, { now: beginning });
  return begun.inOneOrder().steps;
}

/**
 * Everything there is after a case, each object told in a line:
 * `{ 'Pod web': 'terminating (example.com/hold), owned by rs!' }`, where `!` marks a blocking
 * reference. Objects outside of namespace `shop` have their namespace in front of their name.
 */
export function playOut(
  objects: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[] = [],
  options: PlayOptions = {},
): Readonly<Record<string, string>> {
  const simulation = simulateObjects(objects, requests, options);
  const open = new Set(simulation.undetermined.map(({ object }) => object.uid));
  const unknown = new Set(simulation.unknown.map(({ object }) => object.uid));
  const left: Record<string, string> = {};
  for (const record of simulation.objects) {
    left[nameOf(record)] = [
      tell(record),
      ...(open.has(record.uid) ? ['depends on the order'] : []),
      ...(unknown.has(record.uid) ? ['unknown'] : []),
    ].join(', ');
  }
  for (const { object } of simulation.undetermined) {
    if (simulation.objects.some(({ uid }) => uid === object.uid)) continue;
    left[nameOf({ ...object, type: object })] = 'gone, depends on the order';
  }
  return left;
}

function nameOf(record: Pick<ObjectRecord, 'namespace' | 'name'> & { type: { kind: string } }) {
  const { type, namespace: where, name } = record;
  return `${type.kind} ${where === '' || where === 'shop' ? '' : `${where}/`}${name}`;
}

function tell({ deletionTimestamp, finalizers, ownerReferences }: ObjectRecord): string {
  const held = finalizers.length > 0 ? ` (${finalizers.join(', ')})` : '';
  const owners = ownerReferences.map(
    ({ name, blockOwnerDeletion }) => name + (blockOwnerDeletion ? '!' : ''),
  );
  return [
    (deletionTimestamp === undefined ? 'alive' : 'terminating') + held,
    ...(owners.length > 0 ? [`owned by ${owners.join(' and ')}`] : []),
  ].join(', ');
}

/** The warnings, as `Pod child: message`; those that another order would not write in brackets. */
export function eventsOf(simulation: Simulation): string[] {
  return simulation.events.map(({ involvedObject, message, certain }) => {
    const line = `${involvedObject.apiVersion} ${involvedObject.kind} ${involvedObject.name}: ${message}`;
    return certain ? line : `(${line})`;
  });
}

function addressOf(record: ObjectRecord) {
  const { type, namespace: where, name } = record;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    namespace: where,
    name,
    after: 0,
  };
}

export function remove(
  record: ObjectRecord,
  policy?: DeleteOptions['propagationPolicy'],
  options: DeleteOptions & { readonly after?: number } = {},
): SimulatedRequest {
  const { after = 0, ...given } = options;
  return {
    ...addressOf(record),
    verb: 'delete',
    after,
    options: { ...(policy && { propagationPolicy: policy }), ...given },
  };
}

/** Somebody else's controller lets go, a while later. */
export function letGo(record: ObjectRecord, finalizer = hold, after = 10_000): SimulatedRequest {
  return {
    ...addressOf(record),
    verb: 'patch',
    patchType: 'remove-finalizers',
    patch: [finalizer],
    dryRun: false,
    after,
  };
}

export function create(record: ObjectRecord): SimulatedRequest {
  return { ...addressOf(record), verb: 'create', object: objectOf(record), dryRun: false };
}

/** PUTs the object as it is in `record`. */
export function update(record: ObjectRecord): SimulatedRequest {
  return { ...addressOf(record), verb: 'update', object: objectOf(record), dryRun: false };
}
