import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Answer, Inquiry, Query } from '../../why/inquiry.ts';
import { answerFromSnapshot, originOf } from '../../why/investigate.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf, timeOf } from '../input/clock.ts';
import { openFrom } from '../input/input.ts';
import type { OpenedCluster, Session } from '../input/session.ts';

/** Where a diagnosis has its evidence from. */
export type OpenedInquiry = {
  readonly known: Pick<Inquiry, 'types' | 'origin'> & { readonly now: number | undefined };
  readonly answer: (query: Query) => Promise<Answer> | Answer;
} & (
  | { readonly cluster: OpenedCluster; readonly snapshot: undefined }
  | { readonly cluster: undefined; readonly snapshot: Snapshot }
);

/** Opens the files that `--from` names, or the cluster. */
export async function openInquiry(flags: CommonFlags, session: Session): Promise<OpenedInquiry> {
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const { types } = snapshot;
    const known = { types, origin: originOf(snapshot), now: nowOf(flags, snapshot) };
    return { known, answer: answerFromSnapshot(snapshot), cluster: undefined, snapshot };
  }
  const cluster = await session.cluster();
  const { client, types } = cluster;
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const known = { types, origin: 'cluster' as const, now: timeOf(flags)?.getTime() };
  return { known, answer: answerFromCluster(client, types), cluster, snapshot: undefined };
}
