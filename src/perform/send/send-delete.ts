import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import type { HowToDelete } from '../../deletion/plan/plan.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { type Failure, whenDeleting } from '../failure.ts';

/** Sends kubectl's own request for one object, without a precondition; undefined when it was accepted. */
export async function sendDelete(
  client: ClusterClient,
  { type, namespace, name, source }: ObjectLocation & { readonly source?: string },
  { policy, gracePeriodSeconds, dryRun }: HowToDelete & { readonly dryRun: string },
): Promise<Failure | undefined> {
  const { outcome, code, reason, message, error } = await sendWrite(
    client,
    {
      verb: 'delete',
      path: objectPath(type, namespace, name),
      body: { gracePeriodSeconds, propagationPolicy: policy },
      dryRun: dryRun === 'server',
    },
    { isUnguarded: true },
  );
  if (error !== undefined) throw error;
  return outcome === 'done'
    ? undefined
    : whenDeleting(source, { message, status: { code, reason } });
}
