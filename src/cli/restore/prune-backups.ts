import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { type ExitCode, exitCodes, usageError } from '../../errors.ts';
import { goDurationFault, parseGoDuration } from '../../kube/go-syntax.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { BackupLimits, BackupsReport } from '../../output/documents/backups.ts';
import { listFormats } from '../../output/render.ts';
import {
  type FoundBackup,
  removeBackup,
  removeLeftovers,
} from '../../restore/backup/list-backups.ts';
import { listingFlags, outputFlag, refusedFlags } from '../flags/flags.ts';
import { confirm, refuseUnasked } from '../terminal/confirm.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';

export const backupsFlags = {
  prune: Flags.boolean({ summary: 'delete the backups that go beyond the limits' }),
  'older-than': Flags.string({
    summary: 'with --prune: delete those that are older, as in 720h',
    helpValue: 'DURATION',
    dependsOn: ['prune'],
  }),
  keep: Flags.string({
    summary: 'with --prune: so many of each cluster stay, the newest',
    helpValue: 'NUMBER',
    dependsOn: ['prune'],
  }),
  yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  ...listingFlags,
  ...refusedFlags('show-labels', 'label-columns'),
  output: outputFlag(listFormats, 'table'),
};

type PruneFlags = Omit<InferredFlags<typeof backupsFlags>, 'output'>;

/** The limits of the command line; throws usage errors. */
export function limitsOf(args: readonly string[], flags: PruneFlags): BackupLimits {
  if (args.length > 1) {
    throw usageError('too-many-folders', 'Name one folder that holds backups, or none.');
  }
  const { keep, 'older-than': age } = flags;
  if (flags.prune && keep === undefined && age === undefined) {
    throw usageError(
      'no-limit',
      '--prune needs a limit: how old a backup may be, or how many may stay',
      'For example: --older-than 720h, --keep 20.',
    );
  }
  const olderThan = age === undefined ? undefined : parseGoDuration(age);
  if (age !== undefined && (olderThan === undefined || olderThan < 0)) {
    const fault = goDurationFault(age) ?? 'it must not be negative';
    throw usageError('invalid-duration', `invalid argument "${age}" for "--older-than": ${fault}`);
  }
  if (keep !== undefined && !/^\d{1,9}$/.test(keep)) {
    throw usageError(
      'invalid-number',
      `invalid argument "${keep}" for "--keep": it must be a number`,
    );
  }
  return { olderThan, keep: keep === undefined ? undefined : Number(keep) };
}

/** Deletes what the report marks, after a question. */
export async function pruneBackups(
  root: string,
  found: readonly FoundBackup[],
  { items }: BackupsReport,
  { yes }: PruneFlags,
  interruption: Interruption,
): Promise<ExitCode> {
  const marked = items.filter(({ prune }) => prune);
  if (marked.length === 0) {
    writeErr('No backup goes beyond the limits.');
    return exitCodes.ok;
  }
  const what = marked.length === 1 ? 'this backup' : `these ${marked.length} backups`;
  const size = formatSize(marked.reduce((sum, one) => sum + one.size, 0));
  refuseUnasked(yes, `there is no terminal on which to confirm that ${what} may go`, 'Add --yes.');
  if (!yes && !(await confirm(`Delete ${what} (${size})?`, interruption))) {
    writeErr('Nothing was deleted.');
    return exitCodes.ok;
  }
  await removeLeftovers(root);
  const paths = new Set(marked.map(({ path }) => path));
  let removed = 0;
  let left = 0;
  for (const backup of found.filter(({ path }) => paths.has(path))) {
    interruption.check();
    const fault = await removeBackup(backup);
    if (fault === undefined) removed += 1;
    else {
      left += 1;
      writeErr(`Warning: not deleted: ${fault}`);
    }
  }
  writeErr(`${removed} of ${marked.length} backups deleted.`);
  if (left === 0) return exitCodes.ok;
  return removed > 0 ? exitCodes.incomplete : exitCodes.failed;
}
