import { kindCounts } from '../../kube/counts-by-kind.ts';
import { picked } from '../../kube/json-value.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { FoundBackup } from '../../restore/backup/list-backups.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';

/** `backups`: what can be restored. */
export interface BackupsReport extends DocumentHead<'Backups'> {
  /** The folder of all backups. */
  readonly directory: string;
  /** The newest first. */
  readonly items: readonly BackupItem[];
}

export interface BackupItem
  extends Pick<FoundBackup, 'path' | 'state' | 'createdAt' | 'cluster' | 'fault'> {
  /** What `restore` takes for it. */
  readonly id: string;
  /** The first object that was asked for; none where the index could not be read. */
  readonly first?: ObjectReference;
  /** Objects whose manifests are in it. */
  readonly objects: number;
  readonly kinds: readonly { readonly kind: string; readonly objects: number }[];
  /** Bytes; none of a backup that was cut off. */
  readonly size?: number;
  /** What is not in it, in words. */
  readonly holes: readonly string[];
  /** `restore` needs a key for it. */
  readonly encrypted?: true;
}

/** The document; `found` newest first. `restore` finds by its name what is where `delete` keeps backups. */
export function backupsReport(
  directory: string,
  found: readonly FoundBackup[],
  named: 'name' | 'path',
): BackupsReport {
  const items = found.map((one): BackupItem => {
    const { path, entries } = one;
    const saved = entries.filter(({ file }) => file !== undefined);
    const [first] = entries;
    const kinds = kindCounts(saved.map(({ kind }) => kind));
    return {
      id: named === 'path' ? path : path.replace(/^.*[/\\]/s, ''),
      ...picked(one, 'path', 'state', 'createdAt', 'cluster'),
      ...(first && { first: referenceTo(first) }),
      objects: saved.length,
      kinds: kinds.map(([kind, objects]) => ({ kind, objects })),
      ...picked(one, 'size', 'holes', 'fault'),
      ...(one.encrypted && { encrypted: one.encrypted }),
    };
  });
  const unreadable = items.filter(({ state }) => state === 'unreadable');
  const problems = unreadable.map(({ path, fault = '' }): CoverageProblem => {
    return { reason: 'unreadable', message: fault, path };
  });
  const kinds = new Set(items.flatMap((item) => item.kinds.map(({ kind }) => kind))).size;
  const objects = items.reduce((sum, item) => sum + item.objects, 0);
  return {
    ...documentHead('Backups', kinds, objects, problems),
    directory,
    items,
  };
}
