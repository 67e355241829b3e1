import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import type { HowToDelete } from '../deletion/plan/plan.ts';
import { inWords, referenceToPlace } from '../kube/object-reference.ts';
import { printedKindOf } from '../kube/resource-type.ts';
import type { Failure } from './failure.ts';
import {
  isProtected,
  type Limits,
  protectedRefusal,
  refusalError,
  uncountedRefusal,
} from './limits.ts';
import { type NamedObject, rehearseDelete } from './send/send-delete.ts';

/**
 * The uid to which the deletion of an object is bound that may be deleted, but not read: a dry run returns it. The object
 * and its dependents are unknown, so it is guarded as if it were the most important object. `unread`: why it could not be
 * read. Throws if a limit refuses it.
 */
export async function uidOfUnseen(
  client: ClusterClient,
  target: NamedObject,
  unread: Failure,
  how: HowToDelete,
  limits: Pick<Limits, 'allowIncomplete' | 'allowProtected' | 'maxDeletes'>,
): Promise<
  { readonly uid: string; readonly refusals: readonly [] } | { readonly failure: Failure }
> {
  const what = `${printedKindOf(target.type)}/${target.name}`;
  // First of all, so that a user who may not delete it either reads the server's reason.
  const { uid, failure } = await rehearseDelete(client, target, how);
  if (failure && !failure.status) {
    const message = `${unread.message}\n${what} is not deleted: ${failure.message}`;
    return { failure: { ...unread, message } };
  }
  if (failure) return { failure };
  if (!limits.allowIncomplete) {
    const why = `${what} may be deleted, but not be looked at: ${unread.message}`;
    return { failure: { message: `${why}; --allow-incomplete deletes it unseen` } };
  }
  const refusals = refuseUnseen(target, limits);
  if (uid !== undefined) return { uid, refusals };
  return { failure: { message: `${what} was not deleted: the server did not return its uid` } };
}

function refuseUnseen(
  target: NamedObject,
  { allowProtected, maxDeletes }: Pick<Limits, 'allowProtected' | 'maxDeletes'>,
): readonly [] {
  const object = referenceToPlace(target);
  if (isProtected(object) && !allowProtected) {
    throw refusalError(protectedRefusal(`${inWords(object)} is protected`));
  }
  if (maxDeletes !== undefined) throw refusalError(uncountedRefusal(inWords(object), maxDeletes));
  return [];
}
