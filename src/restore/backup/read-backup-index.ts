import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GcError } from '../../errors.ts';
import { readWrittenFile } from '../../files/file-bytes.ts';
import { type Json, jsonOf, listOf, textOf } from '../../kube/json-value.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { isPathSegment, leadsElsewhere } from '../../kube/path-segment.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { shellCommand } from '../../kube/shell-command.ts';
import { type BackupEntry, backupFormat, backupIndexFile } from './backup.ts';

/** What the index of a backup folder says. */
export interface BackupIndex {
  readonly cluster: { readonly server: string; readonly uid: string };
  readonly createdAt: string;
  readonly entries: readonly BackupEntry[];
  /** Objects that could not be saved then. */
  readonly unsaved: readonly string[];
  /** Its content differs from what was written. */
  readonly edited: boolean;
}

/** Reads `backup.json`; throws GcError when there is none, or none that this program understands. */
export async function readBackupIndex(directory: string): Promise<BackupIndex> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    throw unusable(`${directory}: ${reasons[cause.code ?? ''] ?? cause.message}`, cause);
  });
  if (!names.includes(backupIndexFile)) throw withoutIndex(directory, names);
  const path = join(directory, backupIndexFile);
  let index: Json | undefined;
  try {
    index = jsonOf(JSON.parse((await readWrittenFile(path)).toString()));
  } catch (cause) {
    throw unusable(`${path} is damaged: ${(cause as Error).message}`, cause);
  }
  if (index?.kind !== 'Backup') throw unusable(`${path} is not the index of a backup`);
  const { apiVersion, format } = index;
  if (apiVersion !== 'kubectl-gc/v1' || typeof format !== 'number' || format > backupFormat) {
    throw new GcError(
      `${path} has the format ${String(apiVersion)}, ${String(format)}; this program knows kubectl-gc/v1, ${backupFormat}`,
      {
        code: 'newer-backup',
        suggestions: ['It was written by a newer kubectl-gc: restore it with that one.'],
      },
    );
  }
  const entries = listOf(index.objects, entryOf);
  const cluster = jsonOf(index.cluster);
  if (!entries || !cluster) throw unusable(`${path} is damaged: a field is missing or wrong`);
  const { digest, ...rest } = index;
  return {
    cluster: { server: textOf(cluster.server) ?? '', uid: textOf(cluster.uid) ?? '' },
    createdAt: textOf(index.createdAt) ?? '',
    entries,
    unsaved: (listOf(index.problems, jsonOf) ?? []).map(({ message }) => String(message)),
    edited: digest !== digestOf(rest),
  };
}

function digestOf(index: Json): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(index)).digest('hex')}`;
}

const fates = new Set(['deleted', 'orphaned', 'kept', 'terminating', 'recreated', 'unknown']);

function entryOf(value: unknown): BackupEntry | undefined {
  const entry = jsonOf(value);
  if (!entry) return undefined;
  const { apiVersion, kind, namespace, name, uid, resource, namespaced, fate } = entry;
  const texts = [apiVersion, kind, namespace, name, uid, resource, fate];
  if (texts.some((text) => typeof text !== 'string') || !fates.has(String(fate))) return undefined;
  if (typeof namespaced !== 'boolean' || !kind || !apiVersion) return undefined;
  // An edited index could name a parent path, which a request must never be sent to.
  if (!isPathSegment(String(name)) || leadsElsewhere(String(namespace))) return undefined;
  const { ownerReferences, finalizers } = graphOf(entry);
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    namespace: String(namespace),
    name: String(name),
    uid: String(uid),
    resource: String(resource),
    namespaced,
    fate: fate as BackupEntry['fate'],
    ownerReferences,
    finalizers,
    ...(typeof entry.phase === 'string' && { phase: entry.phase }),
    ...(typeof entry.file === 'string' && { file: entry.file }),
    ...(typeof entry.sha256 === 'string' && { sha256: entry.sha256 }),
  };
}

const anyType: ResourceType = {
  group: '',
  version: '',
  kind: '',
  resource: '',
  singular: '',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
};

/** References and finalizers are written as metadata has them. */
function graphOf(metadata: Json): {
  readonly ownerReferences: readonly OwnerReference[];
  readonly finalizers: readonly string[];
} {
  return recordOf({ metadata }, anyType);
}

function withoutIndex(directory: string, names: readonly string[]): GcError {
  if (names.includes('objects') || names.includes(`${backupIndexFile}.partial`)) {
    return new GcError(
      `the backup in ${directory} is not complete: it was interrupted before its index was written`,
      {
        code: 'incomplete-backup',
        suggestions: [
          'Nothing was deleted with this backup.',
          `To restore what is in it all the same: ${shellCommand`kubectl gc restore --from ${directory}`}`,
        ],
      },
    );
  }
  return unusable(`there is no ${backupIndexFile} in ${directory}`);
}

function unusable(message: string, cause?: unknown): GcError {
  return new GcError(message, {
    code: 'no-backup',
    suggestions: [
      'Name a folder that `kubectl gc delete --backup` wrote.',
      'For manifests from elsewhere: kubectl gc restore --from PATH',
    ],
    cause,
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission denied',
};
