import { shellCommand } from '../../command-line/shell-command.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type CollectorHealth, isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * What the garbage collector does with garbage that an answer has found: it is read again some seconds later. Undefined where there
 * is none, where files cannot be read again, and where a cluster is followed, which shows it by itself.
 */
export async function askAboutGarbage(
  cluster: OpenedCluster | undefined,
  { records }: Snapshot,
  isGarbage: (record: ObjectRecord) => boolean,
): Promise<CollectorHealth | undefined> {
  if (!cluster || cluster.following) return undefined;
  const garbage = records.filter(isGarbage);
  if (garbage.length === 0) return undefined;
  const [{ investigate }, { observedHealth }, { askingCluster }] = await Promise.all([
    import('../../why/investigate.ts'),
    import('../../why/garbage-collector/health.ts'),
    import('./ask-why.ts'),
  ]);
  const { known, answer } = await askingCluster(cluster, undefined);
  return withProgress('Observing the garbage collector', async () => {
    const asked = { ...known, onlyReads: true };
    const { finding } = await investigate(
      asked,
      (inquiry) => observedHealth(inquiry, garbage, records),
      answer,
    );
    return finding;
  });
}

/** If garbage is overdue, the command that shows why. */
export function nextOf(health: CollectorHealth | undefined, session: Pick<Session, 'print'>) {
  if (!health || !isOverdue(health)) return undefined;
  const command = session.print(shellCommand`kubectl gc why --gc`);
  return [`Garbage collector: ${health.because}`, command] as const;
}
