import type { Blocker, Fate, PlannedObject, PlannedRequest } from '../plan/plan.ts';
import type { ObjectIdentity } from '../simulator/timeline.ts';

/** What became of an object, as far as the cluster showed it. */
export type Observation = 'gone' | 'terminating' | 'orphaned' | 'kept' | 'recreated' | 'unknown';

/** How a run ended. */
export type Ending = 'gone' | 'timed-out' | 'interrupted' | 'failed' | 'not-waited';

interface At {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
}

/** What happens while a plan is performed, in the order of time. */
export type ProgressEvent = At &
  (
    | { readonly type: 'planned'; readonly requests: number; readonly objects: number }
    /** The server accepted the request. */
    | { readonly type: 'sent'; readonly request: PlannedRequest; readonly code: number }
    /** It was not sent, or met nothing to delete: gone already, replaced by another of that name, changed since. */
    | {
        readonly type: 'skipped';
        readonly request: PlannedRequest;
        readonly reason: 'gone' | 'replaced' | 'changed' | 'not-sent';
        readonly message: string;
      }
    /** The server refused, for good. */
    | {
        readonly type: 'refused';
        readonly request: PlannedRequest;
        readonly code: number;
        readonly reason: string;
        readonly message: string;
      }
    /** An answer that is worth another try: 429, 5xx, a broken connection. */
    | { readonly type: 'retrying'; readonly request: PlannedRequest; readonly message: string }
    | {
        readonly type: 'observed';
        readonly object: ObjectIdentity;
        readonly observation: Observation;
        readonly finalizers?: readonly string[];
      }
    | {
        readonly type: 'watch';
        readonly resource: string;
        readonly state: 'lost' | 'resumed' | 'polling';
        readonly message: string;
      }
    /** At the end: planned to go, and still there. */
    | {
        readonly type: 'left';
        readonly object: ObjectIdentity;
        readonly because: string;
        readonly blockedBy: readonly Blocker[];
      }
    /** At the end: what happened is not what was predicted. */
    | {
        readonly type: 'difference';
        readonly object: PlannedObject;
        readonly predicted: Fate;
        readonly observed: Observation;
      }
    | {
        readonly type: 'done';
        readonly ended: Ending;
        readonly sent: number;
        readonly refused: number;
        readonly skipped: number;
        readonly gone: number;
        readonly left: number;
        readonly differences: number;
      }
  );
