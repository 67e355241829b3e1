import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import { objectPath } from '../../kube/resource-type.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { DeletionTarget } from './targets/deletion-target.ts';
import { type Failure, whenDeleting } from './targets/failure.ts';

/** Sends kubectl's own request for one object, without a precondition; undefined when it was accepted. */
export async function sendDelete(
  client: ClusterClient,
  target: DeletionTarget,
  {
    propagationPolicy,
    gracePeriodSeconds,
    dryRun,
  }: Pick<DeleteOptions, 'propagationPolicy' | 'gracePeriodSeconds' | 'dryRun'>,
): Promise<Failure | undefined> {
  const { type, namespace, name, source } = target;
  const { outcome, code, reason, message, error } = await sendWrite(
    client,
    {
      verb: 'delete',
      path: objectPath(type, namespace, name),
      body: { gracePeriodSeconds, propagationPolicy },
      dryRun: dryRun === 'server',
    },
    { isUnguarded: true },
  );
  if (error !== undefined) throw error;
  return outcome === 'done'
    ? undefined
    : whenDeleting(source, { message, status: { code, reason } });
}
