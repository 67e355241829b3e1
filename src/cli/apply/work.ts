import type { ObjectRecord } from '../../kube/object-record.ts';
import type { LeftAlone, PlannedRequest } from '../../plan/plan.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** One thing that a collector would do now, and the request by which it does. */
export interface DueWork {
  readonly record: ObjectRecord;
  readonly request: PlannedRequest;
  readonly because: string;
  readonly rule: string;
}

/** What a collector would do now, as it was found in one look at the cluster. */
export interface Work {
  readonly snapshot: Snapshot;
  readonly due: readonly DueWork[];
  readonly leftAlone: readonly LeftAlone[];
  /** What could not be read, and decides. */
  readonly problems: readonly CoverageProblem[];
}
