import type { Fate, LeftAlone, PlannedObject, PlannedRequest } from '../deletion/plan/plan.ts';
import type { ObjectReference } from '../kube/object-reference.ts';
import type { Blocker } from '../snapshot/graph/blockers.ts';

/** What became of an object, as far as the cluster showed it. */
export type Observation = 'gone' | 'terminating' | 'orphaned' | 'kept' | 'recreated' | 'unknown';

/**
 * How a run ended. gone: all objects that were planned to be deleted were removed. settled: nothing more happens, and the
 * remaining objects were planned to stay terminating or could not be read. failed: requests were refused or not sent, so
 * not all objects could be deleted. stalled: the targets were removed, and no program that would delete the rest
 * was seen to run.
 */
export type Ending =
  | 'gone'
  | 'settled'
  | 'timed-out'
  | 'interrupted'
  | 'failed'
  | 'not-waited'
  | 'stalled';

/** Who has to act next, on what, and whether that one seems to run. */
export interface Waiting {
  /** `namespace`: the namespace controller. `finalizer`: the program that removes it. */
  readonly actor: 'garbage-collector' | 'namespace' | 'kubelet' | 'finalizer';
  /** Of the kubelet's Node, or of the finalizer. */
  readonly name?: string;
  /** gone: its Lease has expired, or its Node is missing or silent. unseen: unknown. */
  readonly state: 'running' | 'gone' | 'unseen';
  readonly because: string;
  readonly objects: readonly ObjectReference[];
  /** Where one object of the plan owns or owned all of them. */
  readonly owner?: ObjectReference;
}

/** What happens while a plan is performed; it does not know yet when. */
export type Happening =
  | { readonly type: 'planned'; readonly requests: number; readonly objects: number }
  /** At the beginning: what is not asked for. */
  | ({ readonly type: 'left-alone' } & LeftAlone)
  /**
   * The server accepted the request. `code` is 0 when the answer was lost with its connection, but
   * the object was seen to be gone or terminating afterwards.
   */
  | { readonly type: 'sent'; readonly request: PlannedRequest; readonly code: number }
  /**
   * It was not sent, or met nothing to delete: gone already, replaced by another of that name,
   * changed since, or (a namespace) terminating already. Or its Node is not what it was: `node`.
   */
  | {
      readonly type: 'skipped';
      readonly request: PlannedRequest;
      readonly reason: 'gone' | 'replaced' | 'changed' | 'terminating' | 'node' | 'not-sent';
      readonly message: string;
      readonly begun?: true;
    }
  /** The server refused, for good. `code` is 0 when there was no answer. */
  | {
      readonly type: 'refused';
      readonly request: PlannedRequest;
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      /** Its patch was taken, or a request whose answer was lost may have been: it may be changed. */
      readonly begun?: true;
    }
  /** An answer that is worth another try: 429, 5xx, a broken connection. */
  | { readonly type: 'retrying'; readonly request: PlannedRequest; readonly message: string }
  | {
      readonly type: 'observed';
      readonly object: ObjectReference;
      readonly observation: Observation;
      readonly finalizers?: readonly string[];
    }
  | {
      readonly type: 'watch';
      readonly resource: string;
      readonly state: 'lost' | 'resumed' | 'polling' | 'ended';
      readonly message: string;
    }
  /** Nothing has happened for some seconds. */
  | { readonly type: 'waiting'; readonly waits: readonly Waiting[] }
  /** At the end: planned to go, and still there. */
  | {
      readonly type: 'left';
      readonly object: ObjectReference;
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
  /** At the end: a dependent of what was to go that the plan did not know. */
  | {
      readonly type: 'unplanned';
      readonly object: ObjectReference;
      readonly owner: ObjectReference;
      /** It went with its owner, and is in no backup; else it is there. */
      readonly gone: boolean;
    }
  | {
      readonly type: 'done';
      readonly ended: Ending;
      readonly sent: number;
      readonly refused: number;
      readonly skipped: number;
      readonly gone: number;
      readonly left: number;
      /** Of both kinds: `difference` and `unplanned`. */
      readonly differences: number;
    };

interface Dated {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
}

/** The same in the order of time. */
export type ProgressEvent = Happening & Dated;
