import type { ClusterClient } from '../../client/cluster-client.ts';
import { collectorHealth } from '../../diagnosis/collector-health.ts';
import type { Inquiry } from '../../diagnosis/inquiry.ts';
import { investigate } from '../../diagnosis/investigate.ts';
import { exitCodes, GcError } from '../../errors.ts';
import {
  type Canary,
  type CollectorHealthReport,
  collectorHealthReport,
} from '../../reports/why-gc.ts';
import { timeOf } from '../clock.ts';
import type { CommonFlags } from '../flags.ts';
import { openCluster } from '../input.ts';
import { startProgress } from '../progress.ts';

const patience = 60_000;

/** Looks at everything that keeps the collector from collecting, and lets a canary fly if asked. */
export async function withCollectorHealth(
  flags: CommonFlags & { readonly canary: boolean },
  use: (report: CollectorHealthReport, observedAt: string) => Promise<void>,
): Promise<void> {
  const cluster = await openCluster(flags);
  const progress = startProgress('Looking at the garbage collector');
  try {
    const { answerFromCluster } = await import(
      '../../sources/cluster/evidence/answer-from-cluster.ts'
    );
    const now = timeOf(flags)?.getTime();
    const known: Pick<Inquiry, 'types' | 'origin'> = { types: cluster.types, origin: 'cluster' };
    const { finding, readAt } = await investigate(
      { ...known, now },
      collectorHealth,
      answerFromCluster(cluster.client, cluster.types),
    );
    const canary = flags.canary ? await interruptible(cluster.client) : undefined;
    progress.stop();
    await use(collectorHealthReport(finding, canary), readAt);
  } finally {
    progress.stop();
    cluster.client.close();
  }
}

/** Ctrl-C ends the wait; the ConfigMaps are removed before the process ends. */
async function interruptible(client: ClusterClient): Promise<Canary> {
  const { flyCanary } = await import('../../executor/canary.ts');
  const interruption = new AbortController();
  const stop = () => interruption.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const { signal } = interruption;
    const canary = await flyCanary(client, { namespace: client.namespace, patience, signal });
    if (!signal.aborted) return canary;
    const left =
      canary.left.length > 0
        ? `Left behind: ${canary.left.join(', ')}.`
        : 'The canary was cleaned up.';
    throw new GcError('interrupted', {
      code: 'interrupted',
      exitCode: exitCodes.interrupted,
      suggestions: [left],
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
