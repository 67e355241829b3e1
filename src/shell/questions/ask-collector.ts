import { shellCommand } from '../../command-line/shell-command.ts';
import { hasLeader, isManagerLease } from '../../kube/leader-lease.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';
import { type CollectorHealth, isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { Answer, Query } from '../../why/inquiry.ts';
import { nowOf } from '../input/clock.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * What the garbage collector does with garbage that an answer has found, by its uids: it is read again some seconds later. Without garbage, where
 * files cannot be read again, and where a cluster is followed, which shows it by itself, only that kube-controller-manager has no
 * leader is an answer.
 */
export async function askCollector(
  cluster: OpenedCluster | undefined,
  snapshot: Snapshot,
  now: number,
  due: ReadonlySet<string>,
): Promise<CollectorHealth | undefined> {
  const isReadOnce = !cluster || cluster.following !== undefined;
  if (isReadOnce && !mayLackLeader(snapshot, now)) return undefined;
  const [{ investigate, knownOf }, { observedHealth }, { answerFromSnapshot, isWholeAnswer }] =
    await Promise.all([
      import('../../why/investigate.ts'),
      import('../../why/garbage-collector/health.ts'),
      import('../../why/answer-from-snapshot.ts'),
    ]);
  const { records } = snapshot;
  const listed = answerFromSnapshot(snapshot);
  if (isReadOnce) {
    const known = { ...knownOf(snapshot, now), onlyReads: true };
    const { finding } = await investigate(known, (one) => observedHealth(one, [], records), listed);
    return finding;
  }
  const garbage = records.filter(({ uid }) => due.has(uid));
  const { askingCluster } = await import('./ask-why.ts');
  const { known, answer } = await askingCluster(cluster, undefined);
  /** What was listed already need not be asked for again; without garbage, only who leads counts. */
  const answerOf = (query: Query): Promise<Answer> | Answer => {
    const isListed =
      ['list', 'settings'].includes(query.ask) || (query.ask === 'object' && isLease(query.type));
    const found = isListed ? listed(query) : undefined;
    if (found && isWholeAnswer(found, query)) return found;
    return found && garbage.length === 0 && query.ask === 'settings' ? found : answer(query);
  };
  return withProgress('Observing the garbage collector', async () => {
    const asked = { ...known, onlyReads: true };
    const { finding } = await investigate(
      asked,
      (inquiry) => observedHealth(inquiry, garbage, records),
      answerOf,
    );
    return finding;
  });
}

/** The same where a cluster is asked and there is garbage: else nothing is read again. */
export async function askAboutGarbage(
  due: ReadonlySet<string>,
  snapshot: Snapshot,
  flags: Parameters<typeof nowOf>[0] & { readonly from?: unknown },
  session: Session,
): Promise<CollectorHealth | undefined> {
  if (flags.from || due.size === 0) return undefined;
  return askCollector(await session.cluster(), snapshot, nowOf(flags, snapshot), due);
}

/** Is there a Lease of kube-controller-manager without a leader? Without the Lease it is unknown. */
function mayLackLeader(snapshot: Snapshot, now: number): boolean {
  const leases = snapshot.records.filter(({ type }) => isLease(type));
  const ofCluster = isOfCluster(snapshot);
  return leases
    .filter(isManagerLease)
    .some((lease) => hasLeader(lease, leases, now, ofCluster) === false);
}

function isLease(type: ObjectRecord['type']): boolean {
  return groupResourceOf(type) === 'leases.coordination.k8s.io';
}

/** If garbage is overdue or nothing leads, the command that shows why. */
export function nextOf(health: CollectorHealth | undefined, session: Pick<Session, 'print'>) {
  if (!health || !(isOverdue(health) || health.withoutLeader)) return undefined;
  const command = session.print(shellCommand`kubectl gc why --gc`);
  return [`Garbage collector: ${health.because}`, command] as const;
}
