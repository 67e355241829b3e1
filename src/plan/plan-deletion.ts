import type { ObjectRecord } from '../kube/object-record.ts';
import { timeOf } from '../kube/timestamp.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import { headOf } from '../reports/document.ts';
import type { SimulatedRequest } from '../simulator/request.ts';
import { simulate } from '../simulator/simulate.ts';
import { identityOf } from '../simulator/timeline.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { fatesOf } from './fate-of.ts';
import { inContentOrder } from './in-content-order.ts';
import type { DeletionIntent, PlanContext } from './intent.ts';
import { compareObjects, keyOf, keyOfRecord } from './object-key.ts';
import type { Plan, PlannedObject, PlannedRequest } from './plan.ts';
import { touchedObjects } from './touched-objects.ts';
import { wavesOf } from './waves.ts';

/**
 * What deleting these objects would ask of the cluster, and everything that follows from it: the
 * deletion is played on the snapshot, and so is the same time without it; what differs is the plan.
 */
export function planDeletion(given: Snapshot, intent: DeletionIntent, context: PlanContext): Plan {
  const snapshot = inContentOrder(given);
  const clock = { now: context.now, duration: lookAhead(snapshot.records, intent) };
  const requests = requestsOf(intent);
  const without = simulate(snapshot, [], context.settings, clock);
  const simulation = simulate(snapshot, requests.map(asSimulated), context.settings, clock);
  const played = { with: simulation, without };

  const targets = new Set(requests.map(keyOf));
  const touched = touchedObjects(snapshot.records, played, targets);
  const waves = wavesOf(touched);
  const fateOf = fatesOf(touched, played);
  const planned = new Map(
    touched.map((object): [string, PlannedObject] => [
      object.key,
      { ...object.identity, wave: waves.get(object) ?? 0, ...fateOf(object) },
    ]),
  );
  const { coverage, apiVersion } = headOf('Plan', given);
  const problems = [...coverage.problems, ...simulation.problems];
  return {
    apiVersion,
    kind: 'Plan',
    cluster: context.cluster,
    createdAt: timeOf(context.now),
    requests,
    objects: inPlanOrder(planned, targets),
    remarks: [],
    undetermined: simulation.undetermined
      .filter(({ object }) => planned.has(keyOf(object)))
      .sort((a, b) => compareObjects(a.object, b.object)),
    coverage: { ...coverage, complete: problems.length === 0, problems },
  };
}

/** The targets as they were named, then wave by wave. */
function inPlanOrder(
  planned: ReadonlyMap<string, PlannedObject>,
  targets: ReadonlySet<string>,
): PlannedObject[] {
  const first = [...targets].flatMap((key) => planned.get(key) ?? []);
  const rest = [...planned].flatMap(([key, object]) => (targets.has(key) ? [] : [object]));
  return [...first, ...rest.sort((a, b) => a.wave - b.wave || compareObjects(a, b))];
}

function requestsOf({ targets, policy, gracePeriodSeconds }: DeletionIntent): PlannedRequest[] {
  const distinct = new Map(targets.map((record) => [keyOfRecord(record), record]));
  return [...distinct.values()].map((record) => ({
    verb: 'delete',
    ...identityOf(record),
    ...(record.resourceVersion !== undefined && { resourceVersion: record.resourceVersion }),
    propagationPolicy: policy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    wave: 0,
  }));
}

function asSimulated(request: PlannedRequest): SimulatedRequest {
  const { apiVersion, kind, namespace, name, uid, propagationPolicy, gracePeriodSeconds } = request;
  return {
    verb: 'delete',
    apiVersion,
    kind,
    namespace,
    name,
    after: 0,
    options: {
      propagationPolicy,
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(uid !== '' && { preconditions: { uid } }),
    },
  };
}

const hour = 3_600_000;

/** Milliseconds: an hour more than the longest grace period, so that no pod is cut off. */
function lookAhead(records: readonly ObjectRecord[], { gracePeriodSeconds = 0 }: DeletionIntent) {
  let longest = gracePeriodSeconds;
  for (const record of records) {
    if (!isPod(record)) continue;
    const { facts, deletionGracePeriodSeconds = 0 } = record;
    const grace = facts?.terminationGracePeriodSeconds ?? 0;
    longest = Math.max(longest, grace, deletionGracePeriodSeconds);
  }
  return hour + longest * 1000;
}
