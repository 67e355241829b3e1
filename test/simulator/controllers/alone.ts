import type { Decision } from '../../../src/controllers/controller.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { ClusterState } from '../../../src/simulator/engine/cluster-state.ts';
import type { RunContext } from '../../../src/simulator/engine/run-context.ts';
import {
  type RecordedStep,
  recordingTimeline,
  type Step,
  spelledStep,
} from '../../../src/simulator/engine/timeline.ts';
import { runContextOf } from '../run-context.ts';

export const began = Date.parse('2026-02-01T00:00:00Z');

/** A simulated cluster in which nothing runs but what a test starts. */
export interface Alone {
  readonly context: RunContext;
  readonly state: ClusterState;
  readonly steps: readonly Step[];
  /** `5001ms pod-garbage-collector-controller delete web removed`. */
  readonly told: () => readonly string[];
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): void;
  /** Writes labels, as somebody else would. */
  touch(record: ObjectRecord): ObjectRecord;
}

export function alone(records: readonly ObjectRecord[], changes: Partial<RunContext> = {}): Alone {
  const steps: Step[] = [];
  const context = runContextOf(records, began, changes);
  const { state, clock, now } = context;
  Object.assign(state.causes, { began, isKept: true });
  const record = { push: (step: RecordedStep) => steps.push(spelledStep(step)) };
  const timeline = recordingTimeline(now, record, state.causes);
  let touched = 0;
  return {
    context: { ...context, timeline },
    state,
    steps,
    told: () =>
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
