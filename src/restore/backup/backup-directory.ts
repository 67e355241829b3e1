import { isAbsolute, join } from 'node:path';
import { usageError } from '../../errors.ts';
import { homeDirectory } from '../../files/home-directory.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';

/**
 * Where a backup goes by default: a new folder, named by time and first target, below
 * $KUBECTL_GC_BACKUP_DIR, else $XDG_STATE_HOME/kubectl-gc/backups, else ~/.local/state/….
 */
export function defaultBackupDirectory(
  now: Date,
  targets: readonly Pick<ObjectReference, 'kind' | 'name'>[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const time = now.toISOString().slice(0, 23).replaceAll(/[-:]/g, '').replace('.', '-');
  const [first] = targets;
  const what = first ? `-${first.kind}-${first.name}` : '';
  const more = targets.length > 1 ? `-and-${targets.length - 1}-more` : '';
  const name = `${what}${more}`.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  return join(backupRoot(env), `${time}${name.slice(0, 80)}`);
}

/** The folder of all backups without an explicit folder. */
export function backupRoot(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const root = findBackupRoot(env);
  if (root !== undefined) return root;
  throw usageError('there is no folder for backups: this user has no home', [
    'Set KUBECTL_GC_BACKUP_DIR to a folder.',
  ]);
}

/** The same; undefined where there is none. */
export function findBackupRoot(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  if (env.KUBECTL_GC_BACKUP_DIR) return env.KUBECTL_GC_BACKUP_DIR;
  const { XDG_STATE_HOME: state = '' } = env;
  // The XDG specification has relative paths ignored.
  if (isAbsolute(state)) return join(state, 'kubectl-gc', 'backups');
  const home = homeDirectory(env);
  return home === undefined ? undefined : join(home, '.local', 'state', 'kubectl-gc', 'backups');
}
