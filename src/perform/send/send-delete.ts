import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { type Failure, whenDeleting } from '../failure.ts';

/** Sends kubectl's own request for one object, without a precondition; undefined when it was accepted. */
export async function sendDelete(
  client: ClusterClient,
  { type, namespace, name, source }: ObjectLocation & { readonly source?: string },
  {
    propagationPolicy,
    gracePeriodSeconds,
    dryRun,
  }: {
    readonly propagationPolicy: PropagationPolicy;
    /** Undefined: not sent, so that the server decides. */
    readonly gracePeriodSeconds: number | undefined;
    readonly dryRun: 'none' | 'client' | 'server';
  },
): Promise<Failure | undefined> {
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
