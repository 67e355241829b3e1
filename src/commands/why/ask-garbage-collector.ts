import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { usageError } from '../../errors.ts';
import {
  type GarbageCollectorHealthReport,
  garbageCollectorHealthReport,
} from '../../output/documents/why.ts';
import { interrupted } from '../../perform/interrupted.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { openInquiry } from '../../shell/input/open-inquiry.ts';
import type { Session } from '../../shell/input/session.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { type Canary, flyCanary } from '../../why/ask/canary.ts';
import { garbageCollectorHealth } from '../../why/garbage-collector/health.ts';
import { investigate } from '../../why/investigate.ts';

const patience = 60_000;

/** Looks at everything that keeps the garbage collector from collecting, and creates a canary if asked. */
export async function askGarbageCollector(
  flags: CommonFlags & { readonly canary: boolean },
  session: Session,
): Promise<{ readonly report: GarbageCollectorHealthReport; readonly observedAt: string }> {
  const { known, answer, cluster } = await openInquiry(
    { ...flags, 'all-namespaces': true },
    session,
  );
  if (known.origin === 'files') {
    throw usageError(
      '--gc asks a cluster, and these files do not show whether its garbage collector works',
      [
        'Leave --from out, or name a snapshot that snapshot save saved with all that commands read.',
      ],
    );
  }
  return withProgress('Looking at the garbage collector', async () => {
    const { finding, readAt } = await investigate(known, garbageCollectorHealth, answer);
    const canary = cluster && flags.canary ? await interruptible(cluster.client) : undefined;
    return {
      report: garbageCollectorHealthReport(finding, canary, session.place),
      observedAt: readAt,
    };
  });
}

/** Ctrl-C ends the wait; the ConfigMaps are removed before the process ends. */
async function interruptible(client: ClusterClient): Promise<Canary> {
  return withInterruption(async ({ signal }) => {
    const canary = await flyCanary(client, { namespace: client.namespace, patience, signal });
    if (!signal.aborted) return canary;
    const left = canary.left.join(', ');
    throw interrupted(left === '' ? 'The canary was cleaned up.' : `Left behind: ${left}.`);
  });
}
