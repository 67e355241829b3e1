import { fieldManager } from '../../cluster/write/write-request.ts';
import { fieldsListOf, type Json } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { CreatedObject } from './create-object.ts';
import type { RestoreTarget } from './restore-target.ts';

/**
 * Gives an object that was just created its field managers back, so that the next server-side apply of
 * one of them is no conflict. The API server makes the creator of an object the manager of all its
 * fields, whatever managedFields the new object has; it takes them in a later patch
 * (decodeLiveOrNew, fieldmanager.go). Returns why it could not, or undefined.
 */
export async function restoreManagers(
  target: RestoreTarget,
  at: ObjectLocation,
  { uid = '', object }: Pick<CreatedObject, 'uid' | 'object'>,
  saved: readonly Json[],
): Promise<string | undefined> {
  const path = '/metadata/managedFields';
  const { outcome, message } = await target.patch(
    at,
    uid,
    ({ metadata }) => {
      const value = managersOf(saved, fieldsListOf(metadata.managedFields));
      return [{ op: 'add', path, value }];
    },
    object,
  );
  return outcome === 'refused' ? message : undefined;
}

/** The saved managers, and those that have written to the new object since. A status is not restored. */
function managersOf(saved: readonly Json[], live: readonly Json[]): Json[] {
  return [
    ...saved.filter(({ subresource }) => !subresource),
    ...live.filter(({ manager, subresource }) => manager !== fieldManager || subresource),
  ];
}
