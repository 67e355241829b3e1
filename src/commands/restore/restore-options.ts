import type { InferredFlags } from '@oclif/core/interfaces';
import { usageError } from '../../errors.ts';
import { listFormats } from '../../questions/render.ts';
import { backupRoot } from '../../restore/backup/backup-directory.ts';
import {
  booleanFlag,
  dryRunFlag,
  dryRunOf,
  repeatedFlag,
  textFlag,
} from '../../shell/flags/flag-kinds.ts';
import { type CommonFlags, outputFlag } from '../../shell/flags/flags.ts';

export const restoreFlags = {
  list: booleanFlag('list the backups there are; of another folder: --list DIR'),
  'dry-run': dryRunFlag('create nothing, or have the server rehearse', { bare: 'client' }),
  preview: booleanFlag('show what would happen, and stop'),
  verify: booleanFlag('compare the cluster with the backup, and stop', { exclusive: ['preview'] }),
  against: repeatedFlag(
    'PATH',
    'compare with a saved snapshot instead of a cluster, and show the plan',
  ),
  yes: booleanFlag('skip confirmation', { char: 'y', exclusive: ['against'] }),
  'other-cluster': booleanFlag('also when the backup is of another cluster'),
  'accept-edited': booleanFlag('take files of the backup that were changed since'),
  identity: textFlag('FILE', 'file with the age identity that decrypts the backup', {
    exclusive: ['from'],
  }),
  finished: booleanFlag('also create Jobs and Pods that had finished; they run again'),
  terminating: booleanFlag('also create objects that were being deleted already'),
  'empty-volumes': booleanFlag(
    'also create StatefulSets and claims whose data cannot be restored, on new volumes',
  ),
  'without-owners': booleanFlag('also create objects whose owners are all gone, without an owner'),
  output: outputFlag(listFormats, 'table'),
};

export type RestoreFlags = CommonFlags & InferredFlags<typeof restoreFlags>;

/**
 * What the command line asks for; throws usage errors. `directory`: a folder, a name that `restore --list` prints, or
 * `latest`; undefined with `--from`. `asManifests`: print the re-linked manifests instead of the plan, for users who apply them.
 */
export function restoreRequestOf(args: readonly string[], flags: RestoreFlags) {
  const warnings: string[] = [];
  const dryRun = dryRunOf(flags['dry-run'], warnings);
  const structured = flags.output === 'yaml' || flags.output === 'json';
  if (flags.from) {
    const asManifests = dryRun === 'client' && structured && !flags.preview;
    return { directory: undefined, targets: args, dryRun, asManifests, warnings };
  }
  const [directory, ...targets] = args;
  if (directory === undefined) {
    throw usageError('You must say what to restore: a backup, or --from PATH for manifests.', [
      `Backups are below ${backupRoot()}: --list shows them, and "latest" is the newest.`,
    ]);
  }
  return { directory, targets, dryRun, asManifests: false, warnings };
}
