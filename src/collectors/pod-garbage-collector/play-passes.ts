import type { ObjectRecord } from '../../kube/object-record.ts';
import { timeOf } from '../../kube/timestamp.ts';
import { statusPatchOf } from './deletion.ts';
import { type Chosen, type PodGcInput, type PodGcStep, podGcPass } from './pass.ts';

/** How long one pass waits for the next (PG-1). */
export const podGcPeriod = 20_000;

export interface PlayedDeletion extends Chosen {
  /** Counted from 0. */
  readonly pass: number;
}

export interface PassSchedule {
  readonly first: number;
  readonly period: number;
  readonly threshold: number;
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * Passes until nothing changes: pods that stay, Failed and held by finalizers, count as terminated from
 * the next pass on, so that a second wave may follow (PG-8). Each pod as it was first chosen.
 */
export function playPasses(input: PodGcInput, schedule: PassSchedule): readonly PlayedDeletion[] {
  const played = new Map<string, PlayedDeletion>();
  let { pods } = input;
  let { quarantine } = schedule;
  let isQuiet = false;
  // Whatever is missing now is out of quarantine before the fourth pass.
  for (let pass = 0; pass < 4 || !isQuiet; pass++) {
    const now = schedule.first + pass * schedule.period;
    const result = podGcPass({ ...input, pods }, schedule.threshold, now, quarantine);
    quarantine = result.quarantine;
    isQuiet = true;
    const steps = new Map<string, PodGcStep>();
    for (const one of result.chosen) {
      const { uid } = one.pod;
      if (!steps.has(uid)) steps.set(uid, one.step);
      if (played.has(uid)) continue;
      played.set(uid, { ...one, pass });
      isQuiet = false;
    }
    pods = pods.flatMap((pod) => {
      const step = steps.get(pod.uid);
      return step === undefined ? [pod] : leftOf(pod, step, now);
    });
  }
  return [...played.values()];
}

function leftOf(pod: ObjectRecord, step: PodGcStep, now: number): ObjectRecord[] {
  if (pod.finalizers.length === 0) return [];
  const { body } = statusPatchOf(pod, step, now) ?? {};
  const facts = body ? { ...pod.facts, phase: 'Failed' } : pod.facts;
  const deletionTimestamp = pod.deletionTimestamp ?? timeOf(now);
  return [{ ...pod, deletionTimestamp, facts }];
}
