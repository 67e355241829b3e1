import { kindCounts } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { FoundBackup } from '../../restore/backup/list-backups.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';

/** `backups`: what can be restored, and what a prune removes. */
export interface BackupsReport extends DocumentHead<'Backups'> {
  /** The folder of all backups. */
  readonly directory: string;
  /** The newest first. */
  readonly items: readonly BackupItem[];
}

export interface BackupItem extends Pick<FoundBackup, 'path' | 'state' | 'createdAt' | 'cluster'> {
  /** The first object that was asked for; none where the index could not be read. */
  readonly first?: ObjectReference;
  /** Objects whose manifests are in it. */
  readonly objects: number;
  readonly kinds: readonly { readonly kind: string; readonly objects: number }[];
  /** Bytes. */
  readonly size: number;
  /** What is not in it, in words. */
  readonly holes: readonly string[];
  readonly fault?: string;
  /** `restore` needs a key for it. */
  readonly encrypted?: true;
  /** It goes beyond the limits that were given. */
  readonly prune: boolean;
}

/** When backups are too old or too many; undefined for no limit. */
export interface BackupLimits {
  /** Milliseconds. */
  readonly olderThan: number | undefined;
  /** So many of each cluster stay. */
  readonly keep: number | undefined;
}

/** The document; `found` newest first, `now` in epoch milliseconds. */
export function backupsReport(
  directory: string,
  found: readonly FoundBackup[],
  limits: BackupLimits,
  now: number,
): BackupsReport {
  const seen = new Map<string, number>();
  const items = found.map((one): BackupItem => {
    const { path, state, createdAt, cluster, entries, holes, size, fault, encrypted } = one;
    const place = cluster.uid || cluster.server;
    const newer = seen.get(place) ?? 0;
    if (state === 'whole') seen.set(place, newer + 1);
    const saved = entries.filter(({ file }) => file !== undefined);
    const [first] = entries;
    const kinds = kindCounts(saved.map(({ kind }) => kind));
    return {
      path,
      state,
      createdAt,
      cluster,
      ...(first && { first: referenceTo(first) }),
      objects: saved.length,
      kinds: kinds.map(([kind, objects]) => ({ kind, objects })),
      size,
      holes,
      ...(fault !== undefined && { fault }),
      ...(encrypted && { encrypted }),
      prune: isBeyond(one, newer, limits, now),
    };
  });
  const unreadable = items.filter(({ state }) => state === 'unreadable');
  const problems = unreadable.map(({ path, fault = '' }): CoverageProblem => {
    return { reason: 'unreadable', message: fault, path };
  });
  const kinds = new Set(items.flatMap((item) => item.kinds.map(({ kind }) => kind))).size;
  const objects = items.reduce((sum, item) => sum + item.objects, 0);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backups',
    coverage: { complete: problems.length === 0, kinds, objects, problems },
    directory,
    items,
  };
}

/** What cannot be read may be worth keeping, and is never pruned; of what was cut off only the age counts. */
function isBeyond(
  { state, createdAt }: FoundBackup,
  newer: number,
  { olderThan, keep }: BackupLimits,
  now: number,
): boolean {
  if (state === 'unreadable') return false;
  const age = now - Date.parse(createdAt);
  if (olderThan !== undefined && age > olderThan) return true;
  return keep !== undefined && state === 'whole' && newer >= keep;
}
