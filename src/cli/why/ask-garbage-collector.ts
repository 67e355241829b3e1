import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import {
  type GarbageCollectorHealthReport,
  garbageCollectorHealthReport,
} from '../../output/documents/why.ts';
import type { Canary } from '../../why/ask/canary.ts';
import { garbageCollectorHealth } from '../../why/garbage-collector/health.ts';
import type { Inquiry } from '../../why/inquiry.ts';
import { investigate } from '../../why/investigate.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { timeOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';
import { interrupted, withInterruption } from '../terminal/interruption.ts';
import { withProgress } from '../terminal/progress.ts';

const patience = 60_000;

/** Looks at everything that keeps the garbage collector from collecting, and creates a canary if asked. */
export async function askGarbageCollector(
  flags: CommonFlags & { readonly canary: boolean },
  session: Session,
): Promise<{ readonly report: GarbageCollectorHealthReport; readonly observedAt: string }> {
  const cluster = await session.cluster();
  return withProgress('Looking at the garbage collector', async () => {
    const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
    const now = timeOf(flags)?.getTime();
    const known: Pick<Inquiry, 'types' | 'origin'> = { types: cluster.types, origin: 'cluster' };
    const { finding, readAt } = await investigate(
      { ...known, now },
      garbageCollectorHealth,
      answerFromCluster(cluster.client, cluster.types),
    );
    const canary = flags.canary ? await interruptible(cluster.client) : undefined;
    return { report: garbageCollectorHealthReport(finding, canary), observedAt: readAt };
  });
}

/** Ctrl-C ends the wait; the ConfigMaps are removed before the process ends. */
async function interruptible(client: ClusterClient): Promise<Canary> {
  const { flyCanary } = await import('../../why/ask/canary.ts');
  return withInterruption(async ({ signal }) => {
    const canary = await flyCanary(client, { namespace: client.namespace, patience, signal });
    if (!signal.aborted) return canary;
    const left = canary.left.join(', ');
    throw interrupted(left === '' ? 'The canary was cleaned up.' : `Left behind: ${left}.`);
  });
}
