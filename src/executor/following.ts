import type { Execution } from './execution.ts';
import type { Gate } from './gate.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** What all scopes of one run share. */
export interface Following {
  readonly execution: Execution;
  readonly tracked: TrackedObjects;
  /** Aborted when nothing needs to be followed any more. */
  readonly signal: AbortSignal;
  readonly watches: Gate;
  readonly lists: Gate;
  /** Scopes that are polled now: the more there are, the less often each is. */
  polled: number;
}
