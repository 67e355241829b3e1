import type { ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, objectKey, referenceTo } from '../../kube/object-reference.ts';
import type { SimulatedRequest } from '../../simulator/api-server/request.ts';
import { strongComponents } from '../../snapshot/graph/cycles.ts';
import type { DeletionIntent, PlannedRequest } from './plan.ts';
import { relationsAmong } from './relations.ts';
import { targetStateOf } from './target-state.ts';
import type { TouchedObject } from './touched-objects.ts';

/** One request for each target, once, in the order in which they were named. */
export function targetRequests(intent: DeletionIntent): PlannedRequest[] {
  const distinct = new Map(intent.targets.map((record) => [objectKey(record), record]));
  return [...distinct.values()].map((record) => requestFor(record, intent, 0));
}

/**
 * One request for each object, in waves from the leaves up; what is in one ring shares a wave. They
 * say Background: when an object's turn comes its dependents are gone, so that Foreground would wait
 * for nothing, and what appeared meanwhile goes along, which Orphan would leave behind.
 */
export function leafFirstRequests(
  going: readonly TouchedObject[],
  intent: DeletionIntent,
): PlannedRequest[] {
  const { below } = relationsAmong(going);
  const waves = new Map<TouchedObject, number>();
  for (const ring of strongComponents(going, below)) {
    let wave = 0;
    for (const object of ring) {
      for (const dependent of below(object))
        wave = Math.max(wave, (waves.get(dependent) ?? -1) + 1);
    }
    for (const object of ring) waves.set(object, wave);
  }
  return [...waves]
    .map(([{ record, isTarget }, wave]) => ({
      ...requestFor(
        record,
        { ...intent, policy: 'Background', selectedBy: isTarget ? intent.selectedBy : undefined },
        wave,
      ),
      ...(!isTarget && { asDependent: true as const }),
    }))
    .sort((a, b) => a.wave - b.wave || compareObjects(a, b));
}

function requestFor(
  record: ObjectRecord,
  { policy, gracePeriodSeconds, selectedBy }: DeletionIntent,
  wave: number,
): PlannedRequest {
  const dependsOn = targetStateOf(record, selectedBy);
  return {
    verb: 'delete',
    ...referenceTo(record),
    ...(dependsOn && { dependsOn }),
    ...(record.resourceVersion !== undefined && { resourceVersion: record.resourceVersion }),
    propagationPolicy: policy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    wave,
  };
}

/** As a scenario's requests; `pause` milliseconds pass before each wave but the first. */
export function asSimulated(
  requests: readonly PlannedRequest[],
  pause: number,
): SimulatedRequest[] {
  return requests.map((request, index) => {
    const { apiVersion, kind, namespace, name, uid, wave } = request;
    const { propagationPolicy, gracePeriodSeconds } = request;
    const isNewWave = index > 0 && requests[index - 1]?.wave !== wave;
    return {
      verb: 'delete',
      apiVersion,
      kind,
      namespace,
      name,
      after: isNewWave ? pause : 0,
      options: {
        ...(propagationPolicy && { propagationPolicy }),
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        ...(uid !== '' && { preconditions: { uid } }),
      },
    };
  });
}
