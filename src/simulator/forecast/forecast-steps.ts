import type { ScheduledDecision } from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { minute } from '../../kube/time.ts';
import { followedBy, type StepRange, writtenBefore } from '../engine/causes.ts';
import type { RecordedStep } from '../engine/timeline.ts';

/** A step of a simulation with the range of its real time. */
export interface ForecastStep extends StepRange {
  readonly step: RecordedStep;
  readonly record: ObjectRecord;
  /** The unknown fact on which this step, or a step before it, depends. */
  readonly doubt: string | undefined;
  /** The object that was written before, from which this one follows. */
  readonly follows: ObjectRecord | undefined;
  /** What a controller other than the garbage collector had found. */
  readonly due: ScheduledDecision | undefined;
  /** Does it only end a deletion that another step began? */
  readonly finishes: boolean;
}

/** Steps in their order, each with the object that it follows from; `byUid` finds objects as they were at the beginning. */
export function forecastSteps(byUid: ReadonlyMap<string, ObjectRecord>, now: number) {
  /** The step that marked an object as being deleted, and the one that removed it; by uid. */
  const marked = new Map<string, ForecastStep>();
  const gone = new Map<string, ForecastStep>();
  const doubts = new Map<ObjectRecord, string>();
  return { marked, gone, next };

  /** Undefined for what was refused, and for objects that are not in the snapshot. */
  function next(step: RecordedStep): ForecastStep | undefined {
    const record = byUid.get(step.object.uid);
    const { write } = step;
    if (!record || !write || step.result === 'refused' || step.result === 'created')
      return undefined;
    const { from, to, cause, object } = write;
    const before = writtenBefore(cause)?.object;
    const doubt = (before && doubts.get(before)) ?? doubtOf(step, record);
    if (doubt !== undefined && object) doubts.set(object, doubt);
    const due = cause?.decided as ScheduledDecision | undefined;
    const finishes = isFinish(step, record);
    const follows = followedBy(record, cause);
    const forecastStep = { step, record, from, to, follows, due, finishes, doubt };
    if (step.result === 'terminating') marked.set(record.uid, forecastStep);
    if (step.result === 'removed') gone.set(record.uid, forecastStep);
    return forecastStep;
  }

  function doubtOf(
    { actor }: RecordedStep,
    { deletionTimestamp }: ObjectRecord,
  ): string | undefined {
    if (actor !== 'kubelet' || deletionTimestamp === undefined) return undefined;
    return now - Date.parse(deletionTimestamp) > minute
      ? `that was at ${deletionTimestamp}, so something on its Node blocks it`
      : undefined;
  }

  /** The last finalizer is removed, or the containers no longer run. */
  function isFinish(
    { actor, verb, rule }: RecordedStep,
    { uid, deletionTimestamp }: ObjectRecord,
  ): boolean {
    if (actor === 'kubelet' || verb === 'finalize') return true;
    if (verb !== 'patch') return false;
    const isEnding = deletionTimestamp !== undefined || marked.has(uid);
    return actor === 'kube-apiserver' || rule === 'GC-23' || (rule === 'GC-37' && isEnding);
  }
}
