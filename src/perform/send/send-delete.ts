import { objectPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { Clearance } from '../../cluster/write/clearance.ts';
import { rehearse } from '../../cluster/write/rehearse.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import type { HowToDelete } from '../../deletion/plan/plan.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { type Failure, whenDeleting } from '../failure.ts';

export type NamedObject = ObjectLocation & { readonly source?: string };

/** What the server answers: of which uid the object is, where it says so, or why it refuses. */
export interface DeleteAnswer {
  readonly uid?: string | undefined;
  readonly failure?: Failure;
  /** The answer was lost: it may be deleted all the same. */
  readonly mayBeDone?: boolean;
}

/** Has the server rehearse kubectl's own request for one object, whatever uid it has. */
export async function rehearseDelete(
  client: ClusterClient,
  target: NamedObject,
  how: HowToDelete,
): Promise<DeleteAnswer> {
  const answer = await rehearse(client, deleteWrite(target, how), { isUnguarded: true });
  if (answer.error !== undefined) throw answer.error;
  return deleteAnswer(answer, target);
}

/** Deletes one object that is in no plan, if it has this uid. */
export async function deleteByUid(
  client: ClusterClient,
  clearance: Clearance<'deletion'>,
  target: NamedObject,
  how: HowToDelete,
  uid: string,
): Promise<DeleteAnswer> {
  const cleared = clearance.covers({ ...deleteWrite(target, how), guards: { uid } });
  return deleteAnswer(await sendWrite(client, cleared), target);
}

function deleteWrite(
  { type, namespace, name }: NamedObject,
  { policy, gracePeriodSeconds }: HowToDelete,
) {
  const path = objectPath(type, namespace, name);
  return { verb: 'delete', path, body: { gracePeriodSeconds, propagationPolicy: policy } } as const;
}

function deleteAnswer(
  { outcome, code, reason, message, uid, repeated }: WriteAnswer,
  { source }: NamedObject,
): DeleteAnswer {
  // What an earlier try has deleted, whose answer was lost.
  if (outcome === 'done' || (outcome === 'gone' && repeated)) return { uid };
  const status = code > 0 ? { status: { code, reason } } : {};
  const failure = whenDeleting(source, { message, ...status });
  return { failure, mayBeDone: outcome === 'unknown' };
}
