import type { Decision } from '../../../src/controllers/controller.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { Clock } from '../../../src/simulator/engine/clock.ts';
import { ClusterState } from '../../../src/simulator/engine/cluster-state.ts';
import type { RunContext } from '../../../src/simulator/engine/run-context.ts';
import { canonicalSchedule } from '../../../src/simulator/engine/schedule.ts';
import { recordingTimeline, type Step } from '../../../src/simulator/engine/timeline.ts';
import { servedTypes } from '../../support/builders.ts';

export const began = Date.parse('2026-02-01T00:00:00Z');

/** A simulated cluster in which nothing runs but what a test starts. */
export interface Stage {
  readonly context: RunContext;
  readonly state: ClusterState;
  /** `5001ms pod-garbage-collector-controller delete web removed`. */
  readonly steps: () => readonly string[];
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): void;
  /** Writes labels, as somebody else would. */
  touch(record: ObjectRecord): ObjectRecord;
}

export function stageOf(
  records: readonly ObjectRecord[],
  changes: Partial<RunContext> = {},
): Stage {
  const state = new ClusterState(servedTypes, records);
  const clock = new Clock(state);
  const now = () => began + clock.now;
  const steps: Step[] = [];
  const context: RunContext = {
    minor: 36,
    hasNodes: false,
    readyOnly: false,
    state,
    clock,
    schedule: canonicalSchedule,
    timeline: recordingTimeline(now, steps),
    now,
    ...changes,
  };
  let touched = 0;
  return {
    context,
    state,
    steps: () =>
      steps.map(({ at, actor, verb, object, result, notBefore, notAfter }) => {
        const range =
          notBefore === undefined
            ? ''
            : ` ${secondOf(notBefore)}..${notAfter === undefined ? '' : secondOf(notAfter)}`;
        return `${Date.parse(at) - began}ms ${actor} ${verb} ${object.name} ${result}${range}`;
      }),
    pass(milliseconds) {
      const end = clock.now + milliseconds;
      // What keeps the clock from being quiet before the end.
      clock.after(milliseconds, () => undefined);
      clock.run(end);
    },
    touch(record) {
      touched++;
      const live = state.current(record);
      if (!live) throw new Error(`${record.name} is gone`);
      return state.update(live, { ...live, labels: { touched: `${touched}` } });
    },
  };
}

function secondOf(time: string): string {
  return `${(Date.parse(time) - began) / 1000}s`;
}

/** A certain deletion at once, but for what is said. */
export function decisionOn(object: ObjectRecord, changes: Partial<Decision> = {}): Decision {
  return {
    collector: 'pod-garbage-collector',
    object,
    action: 'delete',
    notBefore: began,
    notAfter: began,
    confidence: 'certain',
    because: 'it has ended',
    rule: 'PG-3',
    ...changes,
  };
}
