import type { ObjectRecord } from '../../../kube/object-record.ts';
import type { ObjectLocation } from '../../../kube/object-reference.ts';
import type { Failure } from '../../../perform/failure.ts';

/** One object that the command line, a file or a selector names, whether it is there or not. */
export interface DeletionTarget extends ObjectLocation {
  /** The file that names it, as kubectl calls it: `web.yaml`, `STDIN`. */
  readonly source?: string;
  /** Where a list has shown it already. */
  readonly record?: ObjectRecord;
  /** Why it may not be taken as it is named, such as one in another namespace. */
  readonly refusal?: Failure;
}

export interface ResolvedTargets {
  /** In the order in which kubectl would delete them; one that is named twice is here twice. */
  readonly targets: readonly DeletionTarget[];
  /** What could not be found out: unknown kinds, unreadable documents, lists that were refused. */
  readonly failures: readonly Failure[];
  readonly notes: readonly string[];
}
