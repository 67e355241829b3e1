import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { inParallel } from '../../cluster/in-parallel.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { fate, reference } from '../../deletion/saved-plan.ts';
import { errorMessage, GcError } from '../../errors.ts';
import { readWrittenFile } from '../../files/input-bytes.ts';
import { ParseFailure, parseJsonDocument } from '../../files/parsing/parse-json.ts';
import { parseYaml } from '../../files/parsing/parse-yaml.ts';
import { fieldsListOf, type Json, jsonOf } from '../../kube/json-value.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import {
  boolean,
  type Declared,
  defaultTo,
  fields,
  InvalidDocument,
  list,
  mapping,
  optional,
  type Schema,
  text,
} from '../../syntax/document-part.ts';
import { type BackupEntry, backupFormat, backupIndexFile, sealBackup, sha256Of } from './backup.ts';
import type { Decrypt } from './encryption.ts';
import { managersFile, objectFile } from './object-file.ts';
import { definedBy, type SavedObject } from './saved-object.ts';

export interface ReadBackup {
  readonly cluster: BackupIndex['cluster'];
  readonly createdAt: string;
  /** It was made before a fix. */
  readonly isOfFix: boolean;
  readonly saved: readonly SavedObject[];
  readonly problems: readonly CoverageProblem[];
}

interface ReadOptions {
  readonly acceptEdited: boolean;
  readonly decrypter?: () => Promise<Decrypt | undefined>;
}

/** How the files of one backup are read. */
interface BackupReader {
  readonly directory: string;
  readonly acceptEdited: boolean;
  /** Undefined for a backup that is not encrypted. */
  readonly decrypt: Decrypt | undefined;
}

/**
 * Reads a backup folder and checks it against its index. An object whose file is missing or not
 * what was written has a fault; `acceptEdited` takes files that were changed as they are. `decrypter`
 * is called for an encrypted backup only, and answers undefined where there is no key.
 */
export async function readBackup(
  directory: string,
  { acceptEdited, decrypter }: ReadOptions,
): Promise<ReadBackup> {
  const index = await readBackupIndex(directory);
  if (index.edited && !acceptEdited) throw editedIndex(directory);
  const decrypt = index.encrypted ? await decrypter?.() : undefined;
  if (index.encrypted && !decrypt) throw withoutKey(directory);
  const reading = { directory, acceptEdited, decrypt };
  const saved = await inParallel(index.entries, 16, (entry) => readEntry(reading, entry));
  const known = new Set(index.entries.flatMap(filesOf));
  const foreign = (await filesIn(directory)).filter((file) => !known.has(file));
  const problems: Omit<CoverageProblem, 'reason'>[] = [
    ...index.unsaved.map((message) => ({ message: `not in the backup: ${message}` })),
    ...foreign
      .map((file) => join(directory, file))
      .map((path) => ({ message: `${path} is not part of the backup`, path })),
  ];
  const { cluster, createdAt, isOfFix } = index;
  const reason = 'unreadable' as const;
  const withReason = problems.map((one) => ({ reason, ...one }));
  return { cluster, createdAt, isOfFix, saved, problems: withReason };
}

async function readEntry(reading: BackupReader, entry: BackupEntry): Promise<SavedObject> {
  const { namespace, name, uid, ownerReferences, finalizers, phase, terminating, file } = entry;
  const base = {
    ...{ type: typeOfEntry(entry), namespace, name, uid, ownerReferences, finalizers, phase },
    ...(terminating && { isTerminating: true }),
  };
  const read = file && (await readManifest(reading, entry, file));
  if (typeof read !== 'object') return { ...base, manifest: undefined, fault: read };
  const fieldManagers = await readManagers(reading, entry);
  return { ...base, manifest: read, fault: undefined, fieldManagers, ...definedBy(read) };
}

/** None of a file that is missing or was changed: an object can do without. */
async function readManagers(
  { directory, decrypt }: BackupReader,
  { file = '', managers }: BackupEntry,
): Promise<readonly Json[] | undefined> {
  if (managers === undefined) return undefined;
  const content = await readWrittenFile(join(directory, managersFile(file))).catch(() => undefined);
  if (!content || sha256Of(content) !== managers) return undefined;
  const plain = decrypt ? await decrypt(content).catch(wrongKey(directory)) : content;
  try {
    return fieldsListOf(parseJsonDocument(plain.toString('utf8')));
  } catch (error) {
    if (error instanceof ParseFailure) return undefined;
    throw error;
  }
}

/** The files of an entry, below the folder. */
function filesOf({ file, managers }: BackupEntry): string[] {
  if (file === undefined) return [];
  return managers === undefined ? [file] : [file, managersFile(file)];
}

/** The manifest, or what is wrong with its file. */
async function readManifest(
  { directory, acceptEdited, decrypt }: BackupReader,
  entry: BackupEntry,
  file: string,
): Promise<KubeObject | string> {
  // An index that was tampered with could name any file of the machine.
  if (file !== objectFile(entry, decrypt !== undefined))
    return `the index names ${file}, which is not where it should be`;
  const path = join(directory, file);
  let content: Buffer;
  try {
    content = await readWrittenFile(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? `${path} is missing` : `${path} cannot be read: ${(error as Error).message}`;
  }
  const isEdited = sha256Of(content) !== entry.sha256;
  if (isEdited && !acceptEdited) {
    return `${path} has changed since it was written; --accept-edited accepts it`;
  }
  if (decrypt) {
    try {
      content = await decrypt(content);
    } catch (error) {
      if (!isEdited) return wrongKey(directory)(error);
      return `${path} was changed and cannot be decrypted: ${errorMessage(error)}`;
    }
  }
  try {
    const object = jsonOf(await parseYaml(content.toString('utf8')));
    const metadata = jsonOf(object?.metadata);
    const isIt =
      object?.apiVersion === entry.apiVersion &&
      object.kind === entry.kind &&
      metadata?.name === entry.name &&
      (metadata.namespace ?? '') === entry.namespace;
    return isIt ? (object as KubeObject) : `${path} contains another object`;
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return `${path}: ${error.message}`;
  }
}

/** Kinds need not be served any more, so the entry says what discovery would. */
function typeOfEntry({
  apiVersion,
  kind,
  resource,
  namespaced,
}: Pick<BackupEntry, 'apiVersion' | 'kind' | 'resource' | 'namespaced'>): ResourceType {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'watch'];
  const names = { singular: kind.toLowerCase(), shortNames: [], categories: [] };
  return { group, version, kind, resource, namespaced, verbs, ...names };
}

/** Files below `objects`, with slashes. */
export async function filesIn(directory: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(directory, 'objects'), options).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
    .map((path) => path.replaceAll(sep, '/'))
    .sort();
}

function withoutKey(directory: string): GcError {
  const message = `the backup in ${directory} is encrypted, and no key is given: only its index can be read`;
  return new GcError(message, {
    code: 'encrypted-backup',
    suggestions: [
      'It was written for recipients of age (--backup-recipient, $KUBECTL_GC_BACKUP_RECIPIENTS).',
      'Name the file with the identity of one of them: --identity FILE, or $KUBECTL_GC_BACKUP_IDENTITY.',
    ],
  });
}

/** All files of a backup have the same recipients: a key that does not open a sound one opens none. */
function wrongKey(directory: string): (cause: unknown) => never {
  return (cause) => {
    const message = `the backup in ${directory} cannot be decrypted with this key: ${errorMessage(cause)}`;
    throw new GcError(message, {
      code: 'wrong-key',
      suggestions: [
        'Name the file with the identity of a recipient that it was written for: --identity FILE.',
      ],
      cause,
    });
  };
}

function editedIndex(directory: string): GcError {
  return new GcError(`the index of the backup in ${directory} has changed since it was written`, {
    code: 'edited-backup',
    suggestions: ['If the change was meant, add --accept-edited.'],
  });
}

/** What the index of a backup folder says. */
export interface BackupIndex {
  readonly cluster: { readonly server: string; readonly uid: string };
  readonly createdAt: string;
  /** The files of its objects are encrypted. */
  readonly encrypted: boolean;
  readonly isOfFix: boolean;
  readonly entries: readonly BackupEntry[];
  /** Objects that could not be saved then, and kinds that could not be read. */
  readonly unsaved: readonly string[];
  /** Those of them that the deletion may have taken along. */
  readonly holes: readonly string[];
  /** Its content differs from what was written. */
  readonly edited: boolean;
}

/** Reads `backup.json`; throws GcError when there is none, or none that this program understands. */
export async function readBackupIndex(directory: string): Promise<BackupIndex> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    throw unusableBackup(`${directory}: ${folderErrors[cause.code ?? ''] ?? cause.message}`, cause);
  });
  if (!names.includes(backupIndexFile)) throw withoutIndex(directory, names);
  const path = join(directory, backupIndexFile);
  let index: Json | undefined;
  try {
    index = jsonOf(parseJsonDocument((await readWrittenFile(path)).toString()));
  } catch (cause) {
    throw unusableBackup(`${path} is damaged: ${(cause as Error).message}`, cause);
  }
  if (index?.kind !== 'Backup') throw unusableBackup(`${path} is not the index of a backup`);
  const { apiVersion, format } = index;
  if (typeof apiVersion !== 'string' || typeof format !== 'number') {
    throw unusableBackup(`${path} is damaged: it does not say which format it has`);
  }
  if (apiVersion !== 'kubectl-gc/v1' || format > backupFormat) {
    const message = `${path} has the format ${apiVersion}, ${format}; this program knows kubectl-gc/v1, ${backupFormat}`;
    throw new GcError(message, {
      code: 'newer-backup',
      suggestions: ['It was written by a newer kubectl-gc: restore it with that one.'],
    });
  }
  const { digest, ...rest } = index;
  const { cluster, createdAt, encrypted, fix, objects, problems, unread } = declared(index, path);
  const missing = [...problems, ...unread];
  return {
    cluster,
    createdAt,
    encrypted,
    isOfFix: fix,
    entries: objects,
    unsaved: missing.map(({ message }) => message),
    // What was gone or replaced was not lost by the deletion, which is bound to uids.
    holes: missing
      .filter(({ reason }) => reason !== 'gone' && reason !== 'replaced')
      .map(({ message }) => message),
    edited: digest !== sealBackup(rest).digest,
  };
}

const entryFields = fields({
  ...reference,
  resource: text,
  namespaced: boolean,
  fate,
  phase: optional(text),
  terminating: optional(boolean),
  file: optional(text),
  sha256: optional(text),
  managers: optional(text),
});

const entryPart: Schema<BackupEntry> = (value) => {
  const entry = entryFields(value);
  // They are written as metadata has them.
  const { ownerReferences, finalizers } = recordOf(
    { metadata: mapping(value) },
    typeOfEntry(entry),
  );
  return { ...entry, ownerReferences, finalizers };
};

const missingObject = fields({ reason: text, message: text });

const indexPart = fields({
  cluster: fields({ server: text, uid: text }),
  createdAt: text,
  encrypted: defaultTo(false, boolean),
  fix: defaultTo(false, boolean),
  objects: list(entryPart),
  problems: list(missingObject),
  unread: defaultTo([], list(missingObject)),
});

function declared(index: Json, path: string): Declared<typeof indexPart> {
  try {
    return indexPart(index);
  } catch (error) {
    if (error instanceof InvalidDocument)
      throw unusableBackup(`${path} is damaged: ${error.messageAt()}`, error);
    throw error;
  }
}

function withoutIndex(directory: string, names: readonly string[]): GcError {
  if (names.includes('objects') || names.includes(`${backupIndexFile}.partial`)) {
    const message = `the backup in ${directory} is not complete: it was interrupted before its index was written`;
    return new GcError(message, {
      code: 'incomplete-backup',
      suggestions: [
        'Nothing was deleted with this backup.',
        suggested(
          'To restore its content anyway',
          shellCommand`kubectl gc restore --from ${directory}`,
        ),
      ],
    });
  }
  return unusableBackup(`there is no ${backupIndexFile} in ${directory}`);
}

function unusableBackup(message: string, cause?: unknown): GcError {
  return new GcError(message, {
    code: 'no-backup',
    suggestions: [
      'Name a folder that delete wrote as its backup, or one that "backups" lists.',
      suggested('For manifests from elsewhere', shellCommand`kubectl gc restore --from PATH`),
    ],
    cause,
  });
}

const folderErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission denied',
};
