import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import { usageError } from '../../errors.ts';
import type { SavedObject } from '../../restore/backup/saved-object.ts';
import type { Restoration } from '../../restore/plan/restoration.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { RestoreFlags, RestoreRequest } from './restore-options.ts';

/** What is to be restored, before any cluster is asked. */
export interface OpenedSaved {
  readonly source: Restoration['source'];
  readonly saved: readonly SavedObject[];
  readonly problems: readonly CoverageProblem[];
  /** Where it was saved; undefined when files do not say. */
  readonly cluster: PlannedCluster | undefined;
}

/** Reads a backup folder, or with `--from` other people's manifests. */
export async function openSaved(
  { directory }: RestoreRequest,
  flags: RestoreFlags,
): Promise<OpenedSaved> {
  if (directory === undefined) return openDump(flags.from ?? []);
  const { readBackup } = await import('../../restore/backup/read-backup.ts');
  const { saved, problems, cluster, createdAt } = await readBackup(directory, {
    acceptEdited: flags['accept-edited'],
  });
  return { source: { kind: 'backup', paths: [directory], createdAt }, saved, problems, cluster };
}

async function openDump(paths: readonly string[]): Promise<OpenedSaved> {
  if (paths.includes('')) {
    throw usageError('no-file', 'a file name is empty', 'Name a file, a folder, or - for stdin.');
  }
  const { readDump } = await import('../../restore/backup/read-dump.ts');
  const { saved, problems } = await readDump(paths, {
    now: () => new Date(),
    stdin: process.stdin,
  });
  return { source: { kind: 'files', paths }, saved, problems, cluster: undefined };
}
