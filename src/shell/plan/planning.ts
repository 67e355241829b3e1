import type { PrintedCommand } from '../../command-line/shell-command.ts';
import type { HowToDelete, PlanContext, PlannedCluster } from '../../deletion/plan/plan.ts';
import { unreadOf } from '../../deletion/plan/plan-totals.ts';
import type { Limits } from '../../perform/limits.ts';
import type { PerformOptions } from '../../perform/perform-options.ts';
import { backupEncrypter } from '../../restore/backup/encryption.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { showingFlag } from '../flags/apply-flags.ts';
import type { DeleteFlags, DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { isInteractive } from '../terminal/confirm.ts';
import { gapsInLines } from '../terminal/streams.ts';

export interface Deletion {
  readonly cluster: OpenedCluster;
  readonly flags: DeleteFlags;
  readonly options: DeleteOptions;
  readonly signal: AbortSignal;
  /** Of a preview: the same command without it, to be pasted into a shell. */
  readonly withoutPreview?: PrintedCommand | undefined;
}

/** How far flags let a deletion go. `preview`: the flag that shows what would be done. */
export function limitsOf(
  flags: Pick<DeleteFlags, 'allow-protected' | 'allow-incomplete' | 'yes' | 'interactive'>,
  { maxDeletes }: Pick<DeleteOptions, 'maxDeletes'>,
  preview = '--preview',
): Limits {
  const { yes = false, interactive = false } = flags;
  return {
    allowProtected: flags['allow-protected'] ?? false,
    allowIncomplete: flags['allow-incomplete'] ?? false,
    maxDeletes,
    isAgreed: yes,
    // --interactive has asked before there was a plan: that is enough only where all of it could be read.
    asksFirst: (plan) => !yes && isInteractive() && !(interactive && unreadOf(plan).length === 0),
    preview,
    gapLines: gapsInLines,
  };
}

export function performOptionsOf(
  { flags, options }: Pick<Deletion, 'flags' | 'options'>,
  more: Pick<PerformOptions, 'replan' | 'useResourceVersion'> &
    Partial<Pick<PerformOptions, 'asController'>>,
): PerformOptions {
  const { asController = false } = more;
  return {
    ...more,
    asController,
    limits: limitsOf(flags, options, asController ? showingFlag : undefined),
    rehearses: options.dryRun === 'server',
    changesEnd: changesEnd(options),
    backup: {
      of: flags['no-backup'] ? 'none' : flags.backup === undefined ? 'some' : 'all',
      directory: flags.backup,
      encrypt: () => backupEncrypter(flags['backup-recipient']),
    },
    wait: options.following,
    timeout: options.timeout,
  };
}

/** Do the requests change how a deletion ends that was asked for before? */
export function changesEnd({ policy, gracePeriodSeconds }: HowToDelete): boolean {
  return gracePeriodSeconds !== undefined || policy !== 'Background';
}

export function contextOf(
  { observedAt }: Snapshot,
  cluster: PlannedCluster,
  settings: SeenSettings,
): PlanContext {
  return { now: Date.parse(observedAt), settings, cluster };
}
