import type { ObjectRecord } from '../../kube/object-record.ts';
import type { DeleteOptions, PatchRequest } from '../collector.ts';
import { disruptionTarget } from '../disruption-target.ts';
import type { PodGcStep } from './pass.ts';

/** Upstream forces every deletion (PG-22). */
export const podGcDeleteOptions: DeleteOptions = { gracePeriodSeconds: 0 };

/**
 * What is written to the status before the deletion: Failed, unless the pod has ended (PG-20), and why the
 * pod is disrupted when its node is gone (PG-21).
 */
export function statusPatchOf(
  pod: ObjectRecord,
  step: PodGcStep,
  now: number,
): PatchRequest | undefined {
  const phase = pod.facts?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  if (step !== 'orphaned') return { subresource: 'status', body: { status: { phase: 'Failed' } } };
  const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  const condition = disruptionTarget(pod, why, now);
  return { subresource: 'status', body: { status: { phase: 'Failed', conditions: [condition] } } };
}
