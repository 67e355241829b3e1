import { createHash } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { GetOptions } from '../../cluster/get.ts';
import {
  type FetchedManifest,
  fetchManifests,
  type WantedManifest,
} from '../../cluster/list/fetch-manifests.ts';
import { goesThen, mayGo } from '../../deletion/plan/going.ts';
import type { Plan, PlannedObject, SealedPlan } from '../../deletion/plan/plan.ts';
import { digestOf } from '../../deletion/saved-plan.ts';
import { exitCodes, GcError } from '../../errors.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { Backup, BackupEntry, BackupProblem, SealedBackup } from './backup.ts';
import { backupFormat, backupIndexFile } from './backup.ts';
import { cleanObject, phaseOf } from './clean-object.ts';
import { manifestYaml, objectFile } from './object-file.ts';

export interface WriteBackupOptions extends GetOptions {
  /** Must not exist yet, or be empty. */
  readonly directory: string;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface WrittenBackup {
  readonly directory: string;
  /** Objects whose manifests are in it. */
  readonly objects: number;
  /** Objects that are there and could not be saved; the index lists also those that are gone. */
  readonly problems: readonly BackupProblem[];
}

/**
 * Saves every object that a plan deletes or releases, as clean YAML, and the graph between them.
 * The index is written last: a folder without `backup.json` is no whole backup. Throws GcError when
 * the folder cannot be written or on an interruption; what could not be read is a problem in the
 * answer.
 */
export async function writeBackup(
  plan: Plan & Partial<Pick<SealedPlan, 'digest'>>,
  client: ClusterClient,
  types: ResourceTypes,
  { directory, onProgress, ...options }: WriteBackupOptions,
): Promise<WrittenBackup> {
  const createdAt = new Date().toISOString();
  await prepareFolder(directory);
  // Orphans too: they are to get their references back. Manifests without uid are nowhere yet.
  const saved = plan.objects.filter(({ uid }) => uid !== '');
  const fates = new Map(saved.map((object) => [object.uid, object]));
  const problems: BackupProblem[] = [];
  const wanted: WantedManifest[] = [];
  for (const object of fates.values()) {
    const type = types.find(object.apiVersion, object.kind);
    if (type) wanted.push({ object: referenceTo(object), type });
    else problems.push(unserved(object));
  }
  const entries = new Map<string, BackupEntry>();
  let done = 0;
  const take = async (fetched: FetchedManifest): Promise<void> => {
    const { object } = fetched.wanted;
    const planned = fates.get(object.uid);
    const problem = problemIn(fetched);
    if (problem) problems.push(problem);
    else if (planned && 'manifest' in fetched) {
      entries.set(object.uid, await writeObject(directory, planned, fetched));
    }
    done += 1;
    onProgress?.({ done, total: wanted.length });
  };
  try {
    await fetchManifests(client, wanted, take, options);
  } catch (error) {
    if (options.signal?.aborted) throw interrupted(directory);
    throw error;
  }
  if (options.signal?.aborted) throw interrupted(directory);
  const inPlanOrder = [...fates.keys()].flatMap((uid) => entries.get(uid) ?? []);
  await writeIndex(directory, {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backup',
    format: backupFormat,
    cluster: plan.cluster,
    createdAt,
    plan: plan.digest ?? digestOf(plan),
    objects: inPlanOrder,
    problems,
  });
  const objects = inPlanOrder.filter(({ file }) => file !== undefined).length;
  // A request is guarded by uid: what is gone or was replaced is not lost by it.
  const lost = problems.filter(({ reason }) => reason !== 'gone' && reason !== 'replaced');
  return { directory, objects, problems: lost };
}

/** It lives on, and only loses a reference. */
function staysWithout(object: PlannedObject): boolean {
  return !mayGo(object) && object.wave !== 0;
}

async function writeObject(
  directory: string,
  planned: PlannedObject,
  { wanted: { type }, manifest }: { wanted: WantedManifest; manifest: KubeObject },
): Promise<BackupEntry> {
  const { ownerReferences, finalizers } = recordOf(manifest, type);
  const { resource, namespaced } = type;
  const phase = phaseOf(manifest);
  const entry: BackupEntry = {
    ...referenceTo(planned),
    resource,
    namespaced,
    fate: goesThen(planned) ? (planned.then ?? planned.fate) : planned.fate,
    ownerReferences,
    finalizers,
    ...(phase !== undefined && { phase }),
  };
  if (staysWithout(planned)) return entry;
  const file = objectFile(entry);
  const text = manifestYaml(cleanObject(manifest));
  const path = join(directory, file);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw cannotWrite(directory, cause);
  }
  return { ...entry, file, sha256: createHash('sha256').update(text).digest('hex') };
}

function problemIn(fetched: FetchedManifest): BackupProblem | undefined {
  const { object } = fetched.wanted;
  if ('unread' in fetched) return { object, reason: fetched.unread, message: fetched.message };
  if (fetched.manifest.metadata.uid === object.uid) return undefined;
  const message = `${object.kind} ${object.name} was replaced by another object of that name`;
  return { object, reason: 'replaced', message };
}

function unserved(planned: PlannedObject): BackupProblem {
  const { apiVersion, kind, name } = planned;
  const message = `${kind} ${name} could not be read: the server does not serve ${apiVersion} ${kind}`;
  return { object: referenceTo(planned), reason: 'unavailable', message };
}

async function prepareFolder(directory: string): Promise<void> {
  let names: string[];
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    names = await readdir(directory);
    // It may have been there before, open to others.
    if (names.length === 0) await chmod(directory, 0o700);
  } catch (cause) {
    throw cannotWrite(directory, cause);
  }
  if (names.length === 0) return;
  throw new GcError(`the backup folder ${directory} is not empty`, {
    code: 'backup-exists',
    exitCode: exitCodes.usage,
    suggestions: ['Name a folder that does not exist yet; backups are never mixed.'],
  });
}

/** Appears whole or not at all. */
async function writeIndex(directory: string, backup: Backup): Promise<void> {
  const path = join(directory, backupIndexFile);
  const partial = `${path}.partial`;
  try {
    const file = await open(partial, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(sealBackup(backup), undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (cause) {
    throw cannotWrite(directory, cause);
  }
}

/**
 * Adds the digest of everything else.
 * @internal
 */
export function sealBackup(backup: Backup): SealedBackup {
  const digest = createHash('sha256').update(JSON.stringify(backup)).digest('hex');
  return { ...backup, digest: `sha256:${digest}` };
}

function cannotWrite(directory: string, cause: unknown): GcError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new GcError(`cannot write the backup ${directory}: ${reasons[code ?? ''] ?? message}`, {
    code: 'cannot-write-backup',
    suggestions: ['Nothing was deleted. Name another folder with --backup DIR.'],
    cause,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'a file of that name is there already',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

function interrupted(directory: string): GcError {
  return new GcError('interrupted while the backup was written', {
    code: 'interrupted',
    exitCode: exitCodes.interrupted,
    suggestions: [`Nothing was deleted. ${directory} holds a part of the objects: remove it.`],
  });
}
