import type { ObjectRecord } from '../../kube/object-record.ts';
import { timeOf } from '../../kube/timestamp.ts';
import type { DeleteOptions, PatchRequest } from '../collector.ts';
import type { PodGcStep } from './pass.ts';

/** Upstream forces every deletion (PG-22). */
export const podGcDeleteOptions: DeleteOptions = { gracePeriodSeconds: 0 };

const disruptionTarget = 'DisruptionTarget';

/**
 * What is written to the status before the deletion: Failed, unless the pod has ended (PG-20), and why the
 * pod is disrupted when its node is gone (PG-21).
 */
export function statusPatchOf(
  { facts }: ObjectRecord,
  step: PodGcStep,
  now: number,
): PatchRequest | undefined {
  const phase = facts?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  if (step !== 'orphaned') return { subresource: 'status', body: { status: { phase: 'Failed' } } };
  const before = facts?.conditions?.find(({ type }) => type === disruptionTarget);
  const condition = {
    type: disruptionTarget,
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime:
      before?.status === 'True' ? (before.lastTransitionTime ?? timeOf(now)) : timeOf(now),
  };
  return { subresource: 'status', body: { status: { phase: 'Failed', conditions: [condition] } } };
}
