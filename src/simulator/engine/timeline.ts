import type { CleanUpController } from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { preciseTimestampOf, timestampOf } from '../../kube/time.ts';
import { type Cause, type Causes, followedBy, type StepRange } from './causes.ts';

/** Who writes. */
export type Actor =
  | 'user'
  | 'kube-apiserver'
  | 'kubelet'
  | 'garbage-collector-controller'
  | 'namespace-controller'
  | CleanUpController;

export type Verb = 'delete' | 'deletecollection' | 'patch' | 'update' | 'create' | 'finalize';

/** What a write led to. */
export type Result = 'removed' | 'terminating' | 'changed' | 'created' | 'unchanged' | 'refused';

/** One write during a simulation. */
export interface Step {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
  /** RFC 3339: present where it is not known exactly when it is done; not before this, and not later than. */
  readonly notBefore?: string;
  /** Absent beside a notBefore: how long it takes is unknown. */
  readonly notAfter?: string;
  /** The object whose deletion or change before led to this. */
  readonly follows?: ObjectReference;
  readonly actor: Actor;
  readonly verb: Verb;
  readonly object: ObjectReference;
  /** The DELETE's propagation policy, when it says one. */
  readonly policy?: string;
  readonly result: Result;
  readonly because: string;
  /** Identifier of the rule that decides. */
  readonly rule: string;
}

/** One write, as it is recorded: few of a forecast are spelled as a Step. */
export interface RecordedStep {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  readonly verb: Verb;
  readonly object: ObjectRecord;
  readonly policy: string | undefined;
  readonly result: Result;
  readonly because: string;
  readonly rule: string;
  /** What was written by it, and why; unset where causes are not kept. */
  readonly write: Cause | undefined;
}

/** When something happens. */
export interface TimeRange {
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339; unset when how long it takes is unknown. */
  readonly notAfter?: string;
}

/** Keeps the steps of the run that is shown; the other runs keep none. */
export interface Timeline {
  note(
    actor: Actor,
    verb: Verb,
    record: ObjectRecord,
    result: Result,
    tell: () => {
      readonly because: string;
      readonly rule: string;
      readonly policy?: string;
    },
  ): void;
}

export const silentTimeline: Timeline = { note: () => undefined };

/** Adds steps to a list; the same refusal of the same object is recorded once. */
export function recordingTimeline(
  now: () => number,
  steps: { push(step: RecordedStep): unknown },
  causes?: Pick<Causes, 'writeOf'>,
): Timeline {
  const refused = new Set<string>();
  return {
    note(actor, verb, object, result, tell) {
      const { because, rule, policy } = tell();
      if (result === 'refused' && actor !== 'user') {
        const key = `${actor} ${verb} ${object.uid} ${because}`;
        if (refused.has(key)) return;
        refused.add(key);
      }
      const write = causes?.writeOf(object);
      steps.push({ at: now(), actor, verb, object, policy, result, because, rule, write });
    },
  };
}

/** The range of its time is said only where it is one. */
export function spelledStep({ at, object, policy, write, ...recorded }: RecordedStep): Step {
  const { actor, verb, result, because, rule } = recorded;
  const follows = write && followedBy(object, write);
  return {
    at: preciseTimestampOf(at),
    ...(write && write.from !== write.to && wholeSeconds(write)),
    ...(follows && { follows: referenceTo(follows) }),
    actor,
    verb,
    object: referenceTo(object),
    ...(policy !== undefined && { policy }),
    result,
    because,
    rule,
  };
}

/** Whole seconds, within which it is. */
export function wholeSeconds({ from, to }: StepRange): TimeRange {
  return {
    notBefore: timestampOf(from),
    ...(to !== undefined && { notAfter: timestampOf(Math.ceil(to / 1000) * 1000) }),
  };
}
