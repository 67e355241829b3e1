import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Answer, Known, Query } from '../../why/inquiry.ts';
import { answerFromSnapshot, knownOf } from '../../why/investigate.ts';
import { ReportedEvents } from '../../why/links/event-links.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf, timeOf } from './clock.ts';
import { openSource, type Source } from './read-question.ts';
import type { AllNamespaces } from './scope.ts';
import type { Session } from './session.ts';

export type OpenedInquiry = Source & {
  readonly known: Known & { readonly now: number | undefined };
  readonly answer: (query: Query) => Promise<Answer> | Answer;
};

/** Opens the files that `--from` names, or the cluster, which is asked for what a diagnosis leads to. */
export async function openInquiry(
  flags: CommonFlags & AllNamespaces,
  session: Session,
): Promise<OpenedInquiry> {
  const events = new ReportedEvents();
  const source = await openSource(flags, session, { onObject: (object) => events.add(object) });
  if (source.snapshot) {
    const { snapshot } = source;
    const known = {
      ...knownOf(snapshot, nowOf(flags, snapshot)),
      eventsAbout: (object: ObjectReference) => events.about(object),
    };
    return { ...source, known, answer: answerFromSnapshot(snapshot) };
  }
  const { types, serverVersion } = source.cluster;
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const now = timeOf(flags)?.getTime();
  const known = { types, serverVersion, origin: 'cluster' as const, isCurrent: true, now };
  return { ...source, known, answer: answerFromCluster(source.cluster) };
}
