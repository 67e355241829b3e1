import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { inParallel } from '../../cluster/in-parallel.ts';
import { GcError } from '../../errors.ts';
import { readWrittenFile } from '../../files/file-bytes.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';
import { loadYaml, type ParseYaml } from '../../files/parsing/parse-yaml.ts';
import { jsonOf } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { BackupEntry } from './backup.ts';
import { definedBy } from './defined-by.ts';
import { objectFile } from './object-file.ts';
import { type BackupIndex, readBackupIndex } from './read-backup-index.ts';
import type { SavedObject } from './saved-object.ts';

export interface ReadBackup {
  readonly cluster: BackupIndex['cluster'];
  readonly createdAt: string;
  readonly saved: readonly SavedObject[];
  readonly problems: readonly CoverageProblem[];
}

/**
 * Reads a backup folder and checks it against its index. An object whose file is missing or not
 * what was written has a fault; `acceptEdited` takes files that were changed as they are.
 */
export async function readBackup(
  directory: string,
  { acceptEdited }: { readonly acceptEdited: boolean },
): Promise<ReadBackup> {
  const index = await readBackupIndex(directory);
  if (index.edited && !acceptEdited) throw editedIndex(directory);
  const parse = await loadYaml();
  const saved = await inParallel(index.entries, 16, (entry) =>
    readEntry(directory, entry, parse, acceptEdited),
  );
  const known = new Set(index.entries.map(({ file }) => file));
  const foreign = (await filesIn(directory)).filter((file) => !known.has(file));
  const problems = [
    ...index.unsaved.map((message): CoverageProblem => {
      return { reason: 'unreadable', message: `not in the backup: ${message}` };
    }),
    ...foreign.map((file): CoverageProblem => {
      const path = join(directory, file);
      return { reason: 'unreadable', message: `${path} is not part of the backup`, path };
    }),
  ];
  const { cluster, createdAt } = index;
  return { cluster, createdAt, saved, problems };
}

async function readEntry(
  directory: string,
  entry: BackupEntry,
  parse: ParseYaml,
  acceptEdited: boolean,
): Promise<SavedObject> {
  const { namespace, name, uid, ownerReferences, finalizers, phase, file } = entry;
  const base = { type: typeOf(entry), namespace, name, uid, ownerReferences, finalizers, phase };
  if (file === undefined) return { ...base, manifest: undefined, fault: undefined };
  const read = await readManifest(directory, entry, file, parse, acceptEdited);
  return typeof read === 'string'
    ? { ...base, manifest: undefined, fault: read }
    : { ...base, manifest: read, fault: undefined, ...definedBy(read) };
}

/** The manifest, or what is wrong with its file. */
async function readManifest(
  directory: string,
  entry: BackupEntry,
  file: string,
  parse: ParseYaml,
  acceptEdited: boolean,
): Promise<KubeObject | string> {
  // An index that was tampered with could name any file of the machine.
  if (file !== objectFile(entry)) return `the index names ${file}, which is not where it should be`;
  const path = join(directory, file);
  let content: Buffer;
  try {
    content = await readWrittenFile(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? `${path} is missing` : `${path} cannot be read: ${(error as Error).message}`;
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (sha256 !== entry.sha256 && !acceptEdited) {
    return `${path} is not what was written; --accept-edited takes it as it is`;
  }
  try {
    const object = jsonOf(parse(content.toString('utf8')));
    const metadata = jsonOf(object?.metadata);
    const isIt =
      object?.apiVersion === entry.apiVersion &&
      object.kind === entry.kind &&
      metadata?.name === entry.name &&
      (metadata.namespace ?? '') === entry.namespace;
    return isIt ? (object as KubeObject) : `${path} holds another object`;
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return `${path}: ${error.message}`;
  }
}

/** Kinds need not be served any more, so the entry says what discovery would. */
function typeOf({ apiVersion, kind, resource, namespaced }: BackupEntry): ResourceType {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'watch'];
  const names = { singular: kind.toLowerCase(), shortNames: [], categories: [] };
  return { group, version, kind, resource, namespaced, verbs, ...names };
}

/** Files below `objects`, with slashes. */
async function filesIn(directory: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(directory, 'objects'), options).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
    .map((path) => path.replaceAll(sep, '/'))
    .sort();
}

function editedIndex(directory: string): GcError {
  return new GcError(`the index of the backup in ${directory} is not what was written`, {
    code: 'edited-backup',
    suggestions: ['If the change was meant, add --accept-edited.'],
  });
}
