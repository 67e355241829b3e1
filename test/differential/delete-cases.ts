import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { inParallel } from '../../src/cluster/in-parallel.ts';
import type { PropagationPolicy } from '../../src/controllers/garbage-collector/judge.ts';
import type { Plan, PlannedObject } from '../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { isBeingDeleted, type ObjectRecord } from '../../src/kube/object-record.ts';
import type { ProgressEvent } from '../../src/perform/progress-event.ts';
import { execute } from '../../src/perform/send/execute.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { clearanceOf } from '../support/cleared.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { activeNamespace } from './active-namespace.ts';
import { chooser } from './choose.ts';
import { generateCase } from './generate-case.ts';
import { untilQuiet } from './until-quiet.ts';

const controllers = ['garbage-collector-controller'];

/** A deletion that was planned on a real cluster and then performed there. */
export interface PerformedDeletion {
  readonly id: string;
  readonly plan: Plan;
  readonly events: readonly ProgressEvent[];
  /** The case's objects before the deletion, and when nothing moved any more after it. */
  readonly before: readonly ObjectRecord[];
  readonly after: readonly ObjectRecord[];
}

/**
 * Puts the random clusters of these seeds on one control plane, waits until its collector has
 * settled, and in each of them plans the deletion of one to three objects and performs it.
 */
export async function performDeletions(
  seeds: readonly number[],
  policy: PropagationPolicy,
): Promise<PerformedDeletion[]> {
  const cases = seeds.map((seed) => ({ seed, ...generateCase(seed, { namespaces: false }) }));
  const plane = await startControlPlane({
    controllers: 'none',
    definitions: exampleDefinitions,
    objects: cases.flatMap(({ namespaces }) => namespaces).map((name) => activeNamespace(name)),
  });
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  try {
    await plane.putObjects(cases.flatMap(({ objects }) => objects));
    await plane.startControllers(controllers);
    const settled = await settledOn(client);
    const planned = cases.flatMap(({ id, seed }) => {
      const before = ofCase(settled, id);
      const targets = chooseTargets(before, seed);
      if (targets.length === 0) return [];
      const plan = planDeletion(
        settled,
        { targets, policy },
        {
          now: Date.parse(settled.observedAt),
          settings: { controllers, kubelets: false },
          cluster: { server: client.server, uid: '' },
        },
      );
      return { id, plan, before };
    });
    const run = await inParallel(planned, 8, async (one) => ({
      ...one,
      events: await perform(one.plan, settled, plane),
    }));
    const left = await settledOn(client);
    return run.map((one) => ({ ...one, after: ofCase(left, one.id) }));
  } finally {
    client.close();
    await plane.stop();
  }
}

function ofCase({ records }: Snapshot, id: string): ObjectRecord[] {
  return records.filter(({ name }) => name.startsWith(`${id}-o`));
}

/** Owners rather than leaves, so that there is something to foresee. */
function chooseTargets(records: readonly ObjectRecord[], seed: number): ObjectRecord[] {
  const choose = chooser(randomFrom(seed ^ 0x5eed));
  const named = [...records].sort((a, b) => (a.name < b.name ? -1 : 1));
  const owners = new Set(
    named.flatMap(({ ownerReferences }) => ownerReferences.map(({ uid }) => uid)),
  );
  const likely = named.filter(({ uid }) => owners.has(uid));
  const candidates = likely.length > 0 && choose.chance(0.85) ? likely : named;
  if (candidates.length === 0) return [];
  const count = choose.one([1, 1, 1, 2, 3]);
  return [...new Set(Array.from({ length: count }, () => choose.one(candidates)))];
}

/** With connections of its own: watches of several runs would leave none for the requests. */
async function perform(
  plan: Plan,
  { types }: Snapshot,
  { kubeconfigPath }: ControlPlane,
): Promise<ProgressEvent[]> {
  const client = await connect({ kubeconfig: kubeconfigPath });
  const events: ProgressEvent[] = [];
  const options = {
    wait: 'tree',
    clearance: clearanceOf(plan),
    useResourceVersion: false,
    now: Date.now,
    // Nobody removes finalizers here.
    pace: { quiet: 3_000, quietWithFinalizers: 3_000 },
  } as const;
  try {
    await execute(plan, client, types, options, (event) => void events.push(event));
    return events;
  } finally {
    client.close();
  }
}

/** The cluster once nothing has moved for eight seconds. */
function settledOn(client: ClusterClient): Promise<Snapshot> {
  return untilQuiet(
    8,
    () => fromCluster(client, {}, { facts: true, freshness: 'latest' }),
    ({ records }) =>
      records
        .map(({ uid, ownerReferences, finalizers, deletionTimestamp }) =>
          [uid, ownerReferences, finalizers, deletionTimestamp].join(),
        )
        .sort(),
  );
}

/** What happened that the plan does not say; empty when it told the truth. */
export function untruths({ plan, events, before, after }: PerformedDeletion): string[] {
  const planned = new Map(plan.objects.map((object) => [object.uid, object]));
  const left = new Map(after.map((record) => [record.uid, record]));
  const wrong = before.flatMap((record) => {
    const object = planned.get(record.uid);
    const end = left.get(record.uid);
    const isAsPlanned = object ? cameTrue(object, record, end) : isSame(record, end);
    if (isAsPlanned) return [];
    return `${record.type.kind} ${record.name}: planned ${object?.fate ?? 'untouched'} (${object?.because ?? ''}), really ${stateOf(end)}`;
  });
  const told = events.flatMap((event) =>
    event.type === 'difference' && event.predicted !== 'unknown'
      ? `difference told for ${event.object.name}: ${event.predicted}, ${event.observed}`
      : [],
  );
  const done = events.at(-1);
  return [...wrong, ...told, ...(done?.type === 'done' ? [] : ['no last event'])];
}

function cameTrue(
  { fate }: PlannedObject,
  before: ObjectRecord,
  end: ObjectRecord | undefined,
): boolean {
  switch (fate) {
    case 'deleted':
    case 'recreated':
      return end === undefined;
    case 'terminating':
      return end !== undefined && isBeingDeleted(end);
    case 'orphaned':
      return end !== undefined && !isBeingDeleted(end) && end.ownerReferences.length === 0;
    case 'kept':
      return end !== undefined && isBeingDeleted(end) === isBeingDeleted(before);
    case 'unknown':
      return true;
  }
}

function isSame(before: ObjectRecord, end: ObjectRecord | undefined): boolean {
  return stateOf(before) === stateOf(end);
}

function stateOf(record: ObjectRecord | undefined): string {
  if (!record) return 'gone';
  const { ownerReferences, finalizers } = record;
  const owners = ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => `${uid}:${blockOwnerDeletion}`,
  );
  const state = isBeingDeleted(record) ? 'terminating' : 'alive';
  return `${state}; finalizers ${[...finalizers].sort().join()}; owners ${owners.sort().join()}`;
}
