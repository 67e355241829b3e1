import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, GcError } from '../../errors.ts';
import { readWrittenFile } from '../../files/file-bytes.ts';
import { parseJsonDocument } from '../../files/parsing/parse-json.ts';
import { fieldsOf, type Json, jsonOf, listOf, textOf } from '../../kube/json-value.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { isPathSegment, leadsElsewhere } from '../../kube/path-segment.ts';
import { sealBackup } from './backup.ts';

/** The lists of an object's metadata that fixes change. */
export const changedFields = ['ownerReferences', 'finalizers'] as const;

/** A list that a fix changed in an object that lives on: before and after the fix. */
export interface FieldChange {
  readonly object: ObjectReference;
  readonly field: (typeof changedFields)[number];
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** Beside the index of a backup that was made before a fix. */
export const undoFile = 'undo.json';

/** Adds to a backup what was changed in objects that live on: like its index, it holds no data of them. */
export async function writeUndo(directory: string, changes: readonly FieldChange[]): Promise<void> {
  const undo = sealBackup({ apiVersion: 'kubectl-gc/v1', kind: 'Undo', changes });
  const text = `${JSON.stringify(undo, undefined, 2)}\n`;
  await writeFile(join(directory, undoFile), text, { mode: 0o600, flag: 'wx' });
}

/**
 * What can be taken back in objects that live on; undefined for a folder without it. Throws GcError when
 * the file is damaged, and when it was edited, unless `acceptEdited`.
 */
export async function readUndo(
  directory: string,
  { acceptEdited }: { readonly acceptEdited: boolean },
): Promise<readonly FieldChange[] | undefined> {
  const path = join(directory, undoFile);
  let undo: Json;
  try {
    undo = fieldsOf(parseJsonDocument((await readWrittenFile(path)).toString()));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, errorMessage(cause), cause);
  }
  const { digest, ...rest } = undo;
  const changes = listOf(undo.changes, changeOf);
  if (undo.kind !== 'Undo' || undo.apiVersion !== 'kubectl-gc/v1' || !changes) {
    throw unusable(path, 'a field is missing or wrong');
  }
  if (digest === sealBackup(rest).digest || acceptEdited) return changes;
  throw new GcError(`${path} has changed since it was written`, {
    code: 'edited-backup',
    suggestions: ['If the change was meant, add --accept-edited.'],
  });
}

/** Only metadata can be named, and no path but that of an object: the file may have been edited. */
function changeOf(value: unknown): FieldChange | undefined {
  const { object, field, before, after } = fieldsOf(value);
  const { apiVersion, kind, namespace, name, uid } = jsonOf(object) ?? {};
  const [version, type, place, called, id] = [apiVersion, kind, namespace, name, uid].map(textOf);
  const known = changedFields.find((one) => one === field);
  if (!version || !type || place === undefined || !called || !id || !known) return undefined;
  if (!isPathSegment(called) || leadsElsewhere(place)) return undefined;
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const reference = { apiVersion: version, kind: type, namespace: place, name: called, uid: id };
  return { object: reference, field: known, before, after };
}

function unusable(path: string, why: string, cause?: unknown): GcError {
  return new GcError(`${path} is damaged: ${why}`, { code: 'no-backup', cause });
}
