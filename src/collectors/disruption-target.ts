import type { Condition, ObjectRecord } from '../kube/object-record.ts';
import { timeOf } from '../kube/timestamp.ts';

const type = 'DisruptionTarget';

/**
 * The condition by which controllers say why they delete a pod, at `now` in epoch milliseconds. One that is
 * True already is written over, but keeps its time (PG-21).
 */
export function disruptionTarget(
  { facts }: ObjectRecord,
  why: { readonly reason: string; readonly message: string },
  now: number,
): Condition {
  const before = facts?.conditions?.find((one) => one.type === type);
  const kept = before?.status === 'True' ? before.lastTransitionTime : undefined;
  return { type, status: 'True', ...why, lastTransitionTime: kept ?? timeOf(now) };
}
