import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import type { CommandPlace, ShellCommand } from '../command-line/shell-command.ts';
import type { Planned } from '../deletion/plan/plan.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Encrypt } from '../restore/backup/encryption.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { Limits } from './limits.ts';
import type { ProgressEvent } from './progress-event.ts';
import type { Question } from './question.ts';
import type { RunSummary } from './run-summary.ts';

export interface PlanCluster {
  readonly client: ClusterClient;
  readonly types: ResourceTypes;
  /** Where the commands are for that are suggested. */
  readonly place: CommandPlace;
}

export interface PerformOptions {
  /** Plans again from the cluster as it is now; throws where the plan may not be performed any more. */
  readonly replan: (before: Planned) => Promise<Planned>;
  readonly limits: Limits;
  /** The server checks everything and stores nothing. */
  readonly rehearses: boolean;
  /** Do the requests change how a deletion ends that was asked for before? */
  readonly changesEnd: boolean;
  readonly backup: BackupWish;
  /** What to follow after the requests: the whole tree, the named objects alone, or nothing. */
  readonly wait: 'tree' | 'object' | 'none';
  /** Milliseconds; undefined waits on. */
  readonly timeout: number | undefined;
  /** Binds the requests to what the plan depends on, and to the resourceVersions that were seen with that. */
  readonly useResourceVersion: boolean;
  /**
   * As a controller works: several requests at a time, and without a wait for objects that a finalizer blocks.
   * Planning again only removes objects, so a smaller plan is no change, and permissions were reviewed before.
   */
  readonly asController: boolean;
}

/** What is saved before something goes: `some`: where more than one object can go. */
export interface BackupWish {
  readonly of: 'all' | 'some' | 'none';
  /** Undefined: a new folder among all backups. */
  readonly directory: string | undefined;
  /** How it is encrypted; throws where a recipient is wrong. Undefined: it is not. */
  readonly encrypt: () => Promise<Encrypt | undefined>;
}

/** What is said while a plan is performed. */
export type RunReport =
  | { readonly line: string; readonly endsWithPath?: true }
  | { readonly what: string; readonly command: ShellCommand }
  | { readonly gaps: readonly CoverageProblem[] }
  /** Of a step that may take long; undefined: it has ended. */
  | { readonly doing: string | undefined }
  /** After the account has noted it. */
  | { readonly event: ProgressEvent; readonly summary: RunSummary };

/** The person, or the script, for whom a plan is performed. */
export interface RunReporter {
  /** Shows what is planned, asks, and answers whether to go on. `isAgain`: after the cluster has changed. */
  ask(planned: Planned, question: Question | undefined, isAgain: boolean): Promise<boolean>;
  report(said: RunReport): void | Promise<void>;
}
