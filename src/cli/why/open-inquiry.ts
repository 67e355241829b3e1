import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Answer, Known, Query } from '../../why/inquiry.ts';
import { answerFromSnapshot, knownOf } from '../../why/investigate.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf, timeOf } from '../input/clock.ts';
import { openFrom } from '../input/input.ts';
import type { OpenedCluster, Session } from '../input/session.ts';

/** Where a diagnosis has its evidence from. */
export type OpenedInquiry = {
  readonly known: Known & { readonly now: number | undefined };
  readonly answer: (query: Query) => Promise<Answer> | Answer;
} & (
  | { readonly cluster: OpenedCluster; readonly snapshot: undefined }
  | { readonly cluster: undefined; readonly snapshot: Snapshot }
);

/** Opens the files that `--from` names, or the cluster. */
export async function openInquiry(flags: CommonFlags, session: Session): Promise<OpenedInquiry> {
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const known = knownOf(snapshot, nowOf(flags, snapshot));
    return { known, answer: answerFromSnapshot(snapshot), cluster: undefined, snapshot };
  }
  const cluster = await session.cluster();
  const { client, types, serverVersion } = cluster;
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const now = timeOf(flags)?.getTime();
  const known = { types, serverVersion, origin: 'cluster' as const, isCurrent: true, now };
  return { known, answer: answerFromCluster(client, types), cluster, snapshot: undefined };
}
