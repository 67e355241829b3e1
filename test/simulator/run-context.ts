import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { Clock } from '../../src/simulator/engine/clock.ts';
import { ClusterState } from '../../src/simulator/engine/cluster-state.ts';
import type { RunContext } from '../../src/simulator/engine/run-context.ts';
import { canonicalSchedule } from '../../src/simulator/engine/schedule.ts';
import { silentTimeline } from '../../src/simulator/engine/timeline.ts';
import { servedTypes } from '../support/builders.ts';

/** A run of these objects that begins then, in epoch milliseconds, and in which nothing runs yet. */
export function runContextOf(
  records: readonly ObjectRecord[],
  began: number,
  changes: Partial<RunContext> = {},
): RunContext {
  const state = new ClusterState(servedTypes, records);
  const clock = new Clock(state);
  return {
    minor: 36,
    coversNode: () => false,
    confirmed: new Set(),
    state,
    clock,
    schedule: canonicalSchedule,
    timeline: silentTimeline,
    now: () => began + clock.now,
    ...changes,
  };
}
