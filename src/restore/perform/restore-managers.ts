import { isDeepStrictEqual } from 'node:util';
import { fieldsListOf } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { comparable, managersOf, type SavedManagers } from '../relink/field-managers.ts';
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
  { uid = '', object }: CreatedObject,
  saved: SavedManagers,
): Promise<string | undefined> {
  const path = '/metadata/managedFields';
  const { outcome, message } = await target.patch(
    at,
    uid,
    ({ metadata }) => {
      const live = fieldsListOf(metadata.managedFields);
      const value = managersOf(saved, live);
      return isDeepStrictEqual(comparable(value), comparable(live))
        ? []
        : [{ op: 'add', path, value }];
    },
    { known: object },
  );
  return outcome === 'refused' ? message : undefined;
}
