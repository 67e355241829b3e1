import type { ObjectRecord } from '../../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../../kube/object-reference.ts';
import { gracePeriodOf, isPod } from '../../../kube/well-known-kinds.ts';
import type { DeleteOptions, SimulatedRequest } from '../../../simulator/api-server/request.ts';
import type { DeletionIntent, PlannedRequest } from '../plan.ts';
import { targetStateOf } from '../plan-difference.ts';
import type { ToolDeletion } from './assumptions.ts';
import { isOfDependents, isReleasedLate, type StrippedFinalizers } from './blocking-finalizers.ts';

/** One request for each target, once, in the order in which they were named. */
export function plannedRequests(intent: DeletionIntent): PlannedRequest[] {
  const distinct = new Map(intent.targets.map((record) => [objectKey(record), record]));
  return [...distinct.values()].map((record) => requestFor(record, intent));
}

function requestFor(
  record: ObjectRecord,
  { policy, gracePeriodSeconds, selectedBy }: DeletionIntent,
): PlannedRequest {
  const dependsOn = targetStateOf(record, selectedBy);
  return {
    verb: 'delete',
    ...referenceTo(record),
    ...(dependsOn && { dependsOn }),
    ...(record.resourceVersion !== undefined && { resourceVersion: record.resourceVersion }),
    propagationPolicy: policy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

/** The same requests as the simulator plays them, `pause` milliseconds apart. */
export function simulatedRequests(
  requests: readonly PlannedRequest[],
  pause: number,
): SimulatedRequest[] {
  return requests.map((request, index) => {
    const { propagationPolicy, gracePeriodSeconds } = request;
    const options = {
      ...(propagationPolicy && { propagationPolicy }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    };
    return deletionOf(request, options, index === 0 ? 0 : pause);
  });
}

export function requestsOfTools(deletions: Iterable<ToolDeletion>): SimulatedRequest[] {
  return [...deletions].map(({ record, policy }) =>
    deletionOf(referenceTo(record), { propagationPolicy: policy }),
  );
}

/**
 * Removals of finalizers, `pause` milliseconds after everything else is over: of those that a deletion sets, and those that
 * only a request removes.
 */
export function lateRemovals(
  records: readonly ObjectRecord[],
  stripped: StrippedFinalizers,
  pause: number,
): SimulatedRequest[] {
  const requests: SimulatedRequest[] = [];
  for (const record of stripped.size === 0 ? [] : records) {
    const finalizers = stripped.get(objectKey(record)) ?? [];
    const patch = isReleasedLate(record) ? finalizers : finalizers.filter(isOfDependents);
    if (patch.length === 0) continue;
    const { apiVersion, kind, namespace, name } = referenceTo(record);
    const after = requests.length === 0 ? pause : 0;
    const how = { patchType: 'remove-finalizers', patch, dryRun: false } as const;
    requests.push({ verb: 'patch', apiVersion, kind, namespace, name, after, ...how });
  }
  return requests;
}

/** Deletions that come `pause` milliseconds after everything else is over, and wait for no kubelet. */
export function lateDeletions(records: readonly ObjectRecord[], pause: number): SimulatedRequest[] {
  const options = { propagationPolicy: 'Background', gracePeriodSeconds: 0 } as const;
  return records.map((record, index) =>
    deletionOf(referenceTo(record), options, index === 0 ? pause : 0),
  );
}

function deletionOf(object: ObjectReference, given: DeleteOptions, after = 0): SimulatedRequest {
  const { apiVersion, kind, namespace, name, uid } = object;
  const options = { ...given, ...(uid !== '' && { preconditions: { uid } }) };
  return { verb: 'delete', apiVersion, kind, namespace, name, after, options };
}

/** The longest time that the API server may wait for a kubelet, in milliseconds. */
export function longestGracePeriod(
  records: readonly ObjectRecord[],
  { gracePeriodSeconds = 0 }: Pick<DeletionIntent, 'gracePeriodSeconds'>,
): number {
  let longest = gracePeriodSeconds;
  for (const record of records) {
    if (!isPod(record)) continue;
    longest = Math.max(longest, gracePeriodOf(record), record.deletionGracePeriodSeconds ?? 0);
  }
  return longest * 1000;
}
