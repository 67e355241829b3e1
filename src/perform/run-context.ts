import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { reflectorBackoff } from '../cluster/pacing.ts';
import type { Clearance } from '../cluster/write/clearance.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation } from '../kube/object-reference.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Expectation } from './expectation.ts';
import type { PerformOptions } from './perform-options.ts';
import type { Happening } from './progress-event.ts';

/** A manner, as far as the requests and their end go by it. */
export type ExecuteOptions = RunClearance & RunOptions;

/** The right to send the requests; a rehearsal needs none. */
export type RunClearance =
  | { readonly rehearses: true; readonly clearance?: undefined }
  | { readonly rehearses?: false; readonly clearance: Clearance<'deletion'> };

interface RunOptions
  extends Pick<PerformOptions, 'wait' | 'useResourceVersion'>,
    Partial<Pick<PerformOptions, 'timeout' | 'asController'>> {
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pace?: Partial<Pace> | undefined;
  /** What was listed for the plan: watches go on from there. Default: everything is listed first. */
  readonly listed?: ListedObjects | undefined;
  /** Default: each object ends as planned. */
  readonly expectation?: Expectation;
  /** Explains what is left, as `why` does. */
  readonly whyLeft?: (
    execution: Execution,
    left: readonly ObjectLocation[],
  ) => Promise<ReadonlyMap<string, string>>;
}

/** The objects that lists have shown; `versions`: of these lists, by `listKeyOf`. */
interface ListedObjects {
  readonly records: readonly ObjectRecord[];
  readonly versions: ReadonlyMap<string, string>;
}

/** How patient a run is, in milliseconds. */
export interface Pace {
  /** Before the second attempt; doubled for each further one. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** Before a watch that ended is opened again; doubled for each further time. */
  readonly rewatch: number;
  /** The doubling ends here: without a watch, a deletion is only seen in the next list. */
  readonly longestRewatch: number;
  /** How long one request is tried while the server cannot take it. */
  readonly giveUp: number;
  /** How long requests in flight may still be answered after an interruption or the timeout. */
  readonly grace: number;
  /** Between two looks at what cannot be watched. */
  readonly poll: number;
  /** How long the first request waits for watches to open. */
  readonly open: number;
  /** Without news for so long, what the plan says stays terminating is taken to stay. */
  readonly quiet: number;
  /** The same where finalizers are left, which their controllers may still remove. */
  readonly quietWithFinalizers: number;
  /** For reading why something is left. */
  readonly evidence: number;
  /** Without news for so long, it is said what is waited for. */
  readonly silence: number;
  /** How soon that is looked at again. */
  readonly lookAgain: number;
  /** After so long without an event, the wait for dependents ends if the program that deletes them does not run. */
  readonly actorGone: number;
  /** The same where it cannot be seen whether it runs. */
  readonly actorUnseen: number;
}

export const defaultPace: Pace = {
  firstRetry: 250,
  longestRetry: 10_000,
  rewatch: reflectorBackoff.firstWait,
  longestRewatch: 5_000,
  giveUp: 120_000,
  grace: 2_000,
  poll: 3_000,
  open: 15_000,
  quiet: 3_000,
  quietWithFinalizers: 15_000,
  evidence: 10_000,
  silence: 5_000,
  lookAgain: 20_000,
  actorGone: 120_000,
  actorUnseen: 600_000,
};

/** How a request ended. */
export type SendResult = Extract<Happening, { type: 'sent' | 'skipped' | 'refused' }>;

/** What the parts of one run share. */
export interface Execution {
  readonly client: ClusterClient;
  readonly types: ResourceTypes;
  readonly options: ExecuteOptions;
  readonly pace: Pace;
  readonly emit: (event: Happening) => void;
  /** Aborted by Ctrl-C or at the timeout: nothing more is sent. */
  readonly stop: AbortSignal;
  /** Aborted a moment after `stop`: answers are not waited for any more. */
  readonly late: AbortSignal;
}
