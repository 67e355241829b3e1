import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel } from '../../cluster/in-parallel.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError, isGcError } from '../../errors.ts';
import { backupIndexFile } from './backup.ts';
import { type BackupIndex, filesIn, readBackupIndex } from './read-backup.ts';

/** A folder below the folder of all backups. */
export interface FoundBackup
  extends Pick<BackupIndex, 'cluster' | 'encrypted' | 'entries' | 'holes'> {
  readonly path: string;
  /**
   * whole: its index can be read. cut-off: it was interrupted before its index was written.
   * unreadable: `fault` says why its index cannot be read.
   */
  readonly state: 'whole' | 'cut-off' | 'unreadable';
  readonly fault?: string;
  /** RFC 3339; of a backup without an index, when its folder was last written to. */
  readonly createdAt: string;
  /** Bytes of all its files; what is below a folder without an index is not looked at. */
  readonly size?: number;
}

/** The backups in a folder, the newest first. Other folders and files in it are left out, and links. */
export async function listBackups(root: string): Promise<FoundBackup[]> {
  const folders = await foldersIn(root);
  const found = await inParallel(folders, 8, (name) => lookAt(join(root, name)));
  return found
    .filter((one) => one !== undefined)
    .sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1));
}

/**
 * The folder that an argument of `restore` means: a path, the name that `backups` prints of a folder below
 * `root`, or `latest`, the newest of them that is whole.
 */
export async function backupFolder(named: string, root: string): Promise<string> {
  if (/[/\\]/.test(named) || (await isThere(named))) return named;
  if (named !== 'latest') {
    const below = join(root, named);
    return (await isThere(below)) ? below : named;
  }
  const newest = (await listBackups(root)).find(({ state }) => state === 'whole');
  if (newest) return newest.path;
  throw new GcError(`there is no whole backup in ${root}: none was written to its end`, {
    code: 'no-backup',
    suggestions: [suggested('To list all of them', shellCommand`kubectl gc backups`)],
  });
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

async function foldersIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Before the first backup there is no folder.
    if (code === 'ENOENT') return [];
    const why = code === 'ENOTDIR' ? 'it is not a folder' : message;
    throw new GcError(`cannot list the backups in ${root}: ${why}`, {
      code: 'unreadable-backups',
      suggestions: ['Name the folder of backups.'],
      cause,
    });
  }
}

async function lookAt(path: string): Promise<FoundBackup | undefined> {
  const names = await readdir(path).catch(() => [] as string[]);
  const isCutOff = !names.includes(backupIndexFile);
  if (isCutOff && !names.some((name) => ownNames.has(name))) return undefined;
  const { mtime } = await lstat(path);
  const base = {
    path,
    createdAt: mtime.toISOString(),
    cluster: { server: '', uid: '' },
    encrypted: false,
    entries: [],
    holes: [],
  };
  if (isCutOff) return { ...base, state: 'cut-off' };
  const size = await sizeOf(path, names);
  try {
    const { cluster, createdAt, encrypted, entries, holes, edited } = await readBackupIndex(path);
    const fault = edited ? 'its index has changed since it was written' : undefined;
    const known = { ...base, size, cluster, createdAt, encrypted, entries, holes };
    return { ...known, state: 'whole', ...(fault !== undefined && { fault }) };
  } catch (error) {
    if (!isGcError(error)) throw error;
    return { ...base, size, state: 'unreadable', fault: error.message };
  }
}

const ownNames = new Set(['objects', backupIndexFile, `${backupIndexFile}.partial`]);

async function sizeOf(path: string, names: readonly string[]): Promise<number> {
  const files = [...names.filter((name) => name !== 'objects'), ...(await filesIn(path))];
  const sizes = await inParallel(files, 16, async (file) => {
    return (await lstat(join(path, file)).catch(() => undefined))?.size ?? 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
