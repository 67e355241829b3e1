import { byContent, type ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Link } from '../../why/chain.ts';
import { isDue } from '../../why/deletion-age.ts';
import type { Answer, Query } from '../../why/inquiry.ts';
import { mostDeletions } from '../../why/investigate.ts';
import type { OpenedCluster } from '../input/session.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * Asks the cluster why deletions have not ended, as `why -A` does, but for dry runs: an audit only reads. What may not be
 * read one by one is taken from the snapshot. Undefined where none has lasted long enough to be reported.
 */
export async function askDeletions(
  cluster: OpenedCluster,
  snapshot: Snapshot,
  now: number,
): Promise<ReadonlyMap<ObjectRecord, Link> | undefined> {
  const due = snapshot.records.filter((record) => isDue(record, now)).sort(byContent);
  if (due.length === 0) return undefined;
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const { answerFromSnapshot, investigate } = await import('../../why/investigate.ts');
  const { diagnose } = await import('../../why/diagnose.ts');
  const asked = answerFromCluster(cluster);
  const listed = answerFromSnapshot(snapshot);
  const answer = async (query: Query): Promise<Answer> => {
    const told = await asked(query);
    return 'value' in told ? told : listed(query);
  };
  const { types, serverVersion } = cluster;
  const known = { types, serverVersion, origin: 'cluster' as const, isCurrent: true, now };
  return withProgress('Following what is being deleted', async () => {
    const { finding } = await investigate(
      { ...known, onlyReads: true },
      (inquiry) =>
        new Map(due.slice(0, mostDeletions).map((record) => [record, diagnose(inquiry, record)])),
      answer,
    );
    return finding;
  });
}
