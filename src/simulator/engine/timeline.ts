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

/**
 * Adds steps to a list; the same refusal of the same object is recorded once. `causes`: the cause of a write
 * and the range of its time; `writes` gets that of each step.
 */
export function recordingTimeline(
  now: () => number,
  steps: { push(step: Step): unknown },
  causes?: Pick<Causes, 'current' | 'writeOf'>,
  writes?: Map<Step, Cause>,
): Timeline {
  const refused = new Set<string>();
  return {
    note(actor, verb, record, result, tell) {
      const { because, rule, policy } = tell();
      if (result === 'refused' && actor !== 'user') {
        const key = `${actor} ${verb} ${record.uid} ${because}`;
        if (refused.has(key)) return;
        refused.add(key);
      }
      const write = causes?.writeOf(record) ?? causes?.current;
      const follows = write && followedBy(record, write);
      const step: Step = {
        at: preciseTimestampOf(now()),
        ...(write && write.from !== write.to && wholeSeconds(write)),
        ...(follows && { follows: referenceTo(follows) }),
        actor,
        verb,
        object: referenceTo(record),
        ...(policy !== undefined && { policy }),
        result,
        because,
        rule,
      };
      steps.push(step);
      if (write) writes?.set(step, write);
    },
  };
}

/** Whole seconds, within which it is. */
export function wholeSeconds({ from, to }: StepRange): TimeRange {
  return {
    notBefore: timestampOf(from),
    ...(to !== undefined && { notAfter: timestampOf(Math.ceil(to / 1000) * 1000) }),
  };
}
