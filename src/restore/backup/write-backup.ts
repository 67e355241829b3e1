import { chmod, mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { GetOptions } from '../../cluster/get.ts';
import {
  type FetchedManifest,
  fetchManifests,
  type WantedManifest,
} from '../../cluster/list/fetch-manifests.ts';
import type { Plan, PlannedObject, SealedPlan } from '../../deletion/plan/plan.ts';
import { canDisappear, disappearsOnceReleased, unreadOf } from '../../deletion/plan/plan-totals.ts';
import { digestOf } from '../../deletion/saved-plan.ts';
import { exitCodes, GcError, isGcError } from '../../errors.ts';
import { reasonUnwritable, writeWhole } from '../../files/write-whole.ts';
import { fieldsListOf, textOf } from '../../kube/json-value.ts';
import { kindAndName, referenceTo } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { flagsToRestore } from '../plan/not-restored.ts';
import {
  type Backup,
  type BackupEntry,
  type BackupProblem,
  backupIndexFile,
  encryptedFormat,
  plainFormat,
  type SealedBackup,
  sealBackup,
  sha256Of,
} from './backup.ts';
import type { Encrypt } from './encryption.ts';
import { managersFile, manifestYaml, objectFile } from './object-file.ts';
import { phaseOf } from './saved-object.ts';

export interface WriteBackupOptions extends GetOptions {
  /** Must not exist yet, or be empty. */
  readonly directory: string;
  /** Everything but the index is written through it. */
  readonly encrypt?: Encrypt | undefined;
  /** The objects are to be fixed, not to be deleted. */
  readonly isOfFix?: boolean;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface WrittenBackup {
  readonly directory: string;
  /** Objects whose manifests are in it. */
  readonly objects: number;
  /** The resourceVersion of each that was read for it, by uid. */
  readonly versions: ReadonlyMap<string, string | undefined>;
  /** Objects that exist and could not be saved; the index also lists those that do not exist any more. */
  readonly problems: readonly BackupProblem[];
  /**
   * By uid, those that a restore creates again or gives references, as far as each of them alone shows, with the flags
   * that this takes.
   */
  readonly returning: ReadonlyMap<string, readonly string[]>;
  /** What may be deleted too and is not in the backup, as it could not be read. */
  readonly unread: readonly CoverageProblem[];
  /**
   * Makes it one of this later plan: saves what the plan did not have before, and once more these objects, by uid; what the plan
   * does not touch any more is not listed.
   */
  update(plan: Plan, changed: ReadonlySet<string>): Promise<WrittenBackup>;
}

/** What is in a backup of one object. */
interface SavedPart {
  readonly entry: BackupEntry;
  readonly version: string | undefined;
  /** The flags that it takes to restore it; undefined: a restore does not create it. */
  readonly flags: readonly string[] | undefined;
}

/**
 * Saves every object that a plan deletes or releases, whole and as YAML, and the graph between them.
 * The index is written last: a folder without `backup.json` is no whole backup. Throws GcError when
 * the folder cannot be written or on an interruption, and leaves nothing behind then; what could not
 * be read is a problem in the answer.
 */
export async function writeBackup(
  plan: Plan & Partial<Pick<SealedPlan, 'digest'>>,
  client: ClusterClient,
  types: ResourceTypes,
  options: WriteBackupOptions,
): Promise<WrittenBackup> {
  const folder = await prepareFolder(options.directory);
  try {
    return await fillFolder(plan, client, types, options);
  } catch (error) {
    // What the disk does not let us remove must not hide why the backup failed.
    await folder.remove().catch(() => undefined);
    throw error;
  }
}

async function fillFolder(
  plan: Plan & Partial<Pick<SealedPlan, 'digest'>>,
  client: ClusterClient,
  types: ResourceTypes,
  given: WriteBackupOptions,
  parts = new Map<string, SavedPart>(),
): Promise<WrittenBackup> {
  const { directory, encrypt, isOfFix } = given;
  const createdAt = new Date().toISOString();
  // Orphans too: they are to get their references back. Manifests without uid are nowhere yet.
  const planned = new Map(
    plan.objects.flatMap((object) => (object.uid === '' ? [] : [[object.uid, object] as const])),
  );
  const problems = await saveObjects(planned, client, types, given, parts);
  const unread = unreadOf(plan);
  const inPlanOrder = [...planned.keys()].flatMap((uid) => parts.get(uid)?.entry ?? []);
  await writeIndex(directory, {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backup',
    ...(encrypt ? { format: encryptedFormat, encrypted: true } : { format: plainFormat }),
    ...(isOfFix && { fix: true }),
    cluster: plan.cluster,
    createdAt,
    plan: plan.digest ?? digestOf(plan),
    objects: inPlanOrder,
    problems,
    unread,
  });
  const objects = inPlanOrder.filter(({ file }) => file !== undefined).length;
  // The requests have the uid as a precondition: they delete no object that was replaced.
  const lost = problems.filter(({ reason }) => reason !== 'gone' && reason !== 'replaced');
  return {
    directory,
    objects,
    versions: new Map([...parts].map(([uid, { version }]) => [uid, version])),
    problems: lost,
    returning: new Map([...parts].flatMap(([uid, { flags }]) => (flags ? [[uid, flags]] : []))),
    unread,
    update: async (later, changed) => {
      const touched = new Set(later.objects.map(({ uid }) => uid));
      const kept = new Map<string, SavedPart>();
      for (const [uid, part] of parts) {
        if (touched.has(uid) && !changed.has(uid)) kept.set(uid, part);
        else await removeObject(directory, part.entry);
      }
      return fillFolder(later, client, types, given, kept);
    },
  };
}

/** Adds these objects to the saved parts that do not contain them yet; answers which could not be saved. */
async function saveObjects(
  planned: ReadonlyMap<string, PlannedObject>,
  client: ClusterClient,
  types: ResourceTypes,
  { directory, encrypt, isOfFix, onProgress, ...options }: WriteBackupOptions,
  parts: Map<string, SavedPart>,
): Promise<BackupProblem[]> {
  const missing = [...planned.values()].filter(({ uid }) => !parts.has(uid)).map(referenceTo);
  const wanted: WantedManifest[] = [];
  const problems: BackupProblem[] = [];
  for (const object of missing) {
    const { apiVersion, kind, name } = object;
    const type = types.find(apiVersion, kind);
    const message = `${kind} ${name} could not be read: the server does not serve ${apiVersion} ${kind}`;
    if (type) wanted.push({ object, type });
    else problems.push({ object, reason: 'unavailable', message });
  }
  let done = 0;
  const take = async (fetched: FetchedManifest): Promise<void> => {
    const { uid } = fetched.wanted.object;
    const object = planned.get(uid);
    const problem = problemIn(fetched);
    if (problem) problems.push(problem);
    else if (object && 'manifest' in fetched) {
      const { wanted, manifest } = fetched;
      parts.set(uid, {
        entry: await writeObject(directory, object, fetched, encrypt),
        version: textOf(manifest.metadata.resourceVersion),
        flags: staysWithout(object) ? [] : flagsToRestore(wanted.type, manifest, isOfFix),
      });
    }
    done += 1;
    onProgress?.({ done, total: wanted.length });
  };
  try {
    await fetchManifests(client, wanted, take, options);
  } catch (error) {
    if (options.signal?.aborted) throw interrupted();
    throw error;
  }
  if (options.signal?.aborted) throw interrupted();
  return problems;
}

/** It lives on, and only loses a reference. */
function staysWithout(object: PlannedObject): boolean {
  return !canDisappear(object) && object.wave !== 0;
}

async function writeObject(
  directory: string,
  planned: PlannedObject,
  { wanted: { type }, manifest }: { wanted: WantedManifest; manifest: KubeObject },
  encrypt: Encrypt | undefined,
): Promise<BackupEntry> {
  const { ownerReferences, finalizers, deletionTimestamp } = recordOf(manifest, type);
  const { resource, namespaced } = type;
  const phase = phaseOf(manifest);
  const entry: BackupEntry = {
    ...referenceTo(planned),
    resource,
    namespaced,
    fate: disappearsOnceReleased(planned) ? (planned.then ?? planned.fate) : planned.fate,
    ownerReferences,
    finalizers,
    ...(phase !== undefined && { phase }),
    ...(deletionTimestamp !== undefined && { terminating: true }),
  };
  if (staysWithout(planned)) return entry;
  const sealed = async (text: string) => (encrypt ? encrypt(text) : text);
  const file = objectFile(entry, encrypt !== undefined);
  const { managedFields, ...metadata } = manifest.metadata;
  const { apiVersion, kind, metadata: _, ...rest } = manifest;
  const content = await sealed(manifestYaml({ apiVersion, kind, metadata, ...rest }));
  const path = join(directory, file);
  const isManaged = fieldsListOf(managedFields).length > 0;
  const managers = isManaged && (await sealed(`${JSON.stringify(managedFields)}\n`));
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    if (managers) await writeFile(managersFile(path), managers, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw cannotWrite(directory, cause);
  }
  return {
    ...entry,
    file,
    sha256: sha256Of(content),
    ...(managers && { managers: sha256Of(managers) }),
  };
}

async function removeObject(directory: string, { file }: BackupEntry): Promise<void> {
  if (file === undefined) return;
  const path = join(directory, file);
  for (const one of [path, managersFile(path)]) await rm(one, { force: true });
}

function problemIn(fetched: FetchedManifest): BackupProblem | undefined {
  const { object } = fetched.wanted;
  if ('unread' in fetched) return { object, reason: fetched.unread, message: fetched.message };
  if (fetched.manifest.metadata.uid === object.uid) return undefined;
  const message = `${kindAndName(object)} was replaced by another object of that name`;
  return { object, reason: 'replaced', message };
}

/** Makes the folder, or takes one that is empty; `remove` takes back what was made and what is in it. */
async function prepareFolder(directory: string): Promise<{ remove(): Promise<void> }> {
  const made: string[] = [];
  // A folder that contains other files by now is kept.
  const removeMade = async () => {
    for (const folder of made.toReversed()) await rmdir(folder);
  };
  let names: string[];
  try {
    await makeFolder(directory, made);
    names = await readdir(directory);
    // It may have been there before, open to others.
    if (names.length === 0) await chmod(directory, 0o700);
  } catch (cause) {
    await removeMade().catch(() => undefined);
    throw cannotWrite(directory, cause);
  }
  if (names.length === 0) {
    return {
      remove: async () => {
        for (const name of await readdir(directory)) {
          await rm(join(directory, name), { recursive: true });
        }
        await removeMade();
      },
    };
  }
  throw new GcError(`the backup folder ${directory} is not empty: no file in it is overwritten`, {
    code: 'backup-exists',
    exitCode: exitCodes.usage,
    suggestions: ['Name a folder that does not exist yet; backups are never mixed.'],
  });
}

/**
 * Makes a folder and those above it, and notes which it has made. `mkdir` of Node with `recursive`
 * never returns where a file system permits no new folders, as below /proc.
 */
async function makeFolder(path: string, made: string[]): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    made.push(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || (await isThere(above))) throw error;
    await makeFolder(above, made);
    await makeFolder(path, made);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Appears whole or not at all. */
async function writeIndex(directory: string, backup: Backup): Promise<void> {
  const sealed: SealedBackup = sealBackup(backup);
  const text = `${JSON.stringify(sealed, undefined, 2)}\n`;
  try {
    await writeWhole(join(directory, backupIndexFile), text, { mode: 0o600 });
  } catch (error) {
    throw cannotWrite(directory, isGcError(error) ? error.cause : error);
  }
}

function cannotWrite(directory: string, cause: unknown): GcError {
  const isNowhere = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const why = isNowhere ? 'no folder can be made there' : reasonUnwritable(cause);
  return new GcError(`cannot write the backup ${directory}: ${why}`, {
    code: 'cannot-write-backup',
    suggestions: ['Nothing was deleted. Name another folder with --backup DIR.'],
    cause,
  });
}

function interrupted(): GcError {
  return new GcError('interrupted while the backup was written: it is not complete', {
    code: 'interrupted',
    exitCode: exitCodes.interrupted,
    suggestions: ['Nothing was deleted, and no part of the backup is left.'],
  });
}
