import type { ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Explained } from '../../output/documents/why.ts';
import { linksOf } from '../../why/chain.ts';
import { diagnose } from '../../why/diagnose.ts';
import type { Answer, Inquiry, Known, Query } from '../../why/inquiry.ts';
import { investigate } from '../../why/investigate.ts';
import { insistedRemoval } from '../../why/programs/finalizer-removal.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { openInquiry } from '../input/open-inquiry.ts';
import type { Session } from '../input/session.ts';
import { type FilenameFlag, noted, placeOf, selectObjects, targetsOf } from '../input/targets.ts';
import { withProgress } from '../terminal/progress.ts';

type Flags = CommonFlags & FilenameFlag & { readonly 'remove-finalizer'?: string | undefined };

/**
 * Diagnoses the named objects. `cluster`, which is asked again, is undefined offline. `unseen`: of each named object that is not
 * there or could not be read, a sentence; offline that is an error before.
 */
export async function askWhy(args: readonly string[], flags: Flags, session: Session) {
  const targetsIn = await targetsOf(args, flags);
  const insisted = flags['remove-finalizer'];
  session.expectMuch();
  const { known, answer, cluster, snapshot, namespace } = await openInquiry(flags, session);
  const targets = noted(targetsIn(known.types));
  if (snapshot) {
    const { observedAt } = snapshot;
    // What the chain met of them is in its own evidence.
    const problems = known.origin === 'files' ? snapshot.coverage.problems : [];
    const subjects = selectObjects(snapshot, targets, namespace);
    const { explained } = await explain(known, subjects, answer, insisted);
    return { explained, problems, observedAt, cluster, unseen: [] };
  }
  return withProgress('Following the chain', async () => {
    const advice = 'why looks at single objects: name each as TYPE/NAME.';
    const subjects = targets.map((target) => placeOf(target, cluster.client.namespace, advice));
    const { explained, readAt } = await explain(known, subjects, answer, insisted);
    cluster.following?.watchObjects(cluster.client, [
      ...subjects,
      ...explained.flatMap(({ chain }) =>
        linksOf(chain).flatMap(({ object: { apiVersion, kind, namespace, name } }) => {
          const type = known.types.find(apiVersion, kind);
          return type ? [{ type, namespace, name }] : [];
        }),
      ),
    ]);
    const unseen = subjects.flatMap((subject, index) => unseenIn(subject, explained[index]) ?? []);
    return { explained, problems: [], observedAt: readAt, cluster, unseen };
  });
}

/** Why it could not be read is among the gaps, and in the chain. */
function unseenIn({ type, namespace, name }: ObjectLocation, explained?: Explained) {
  const what = `${groupResourceOf(type)} "${name}"`;
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  const { cause, object } = explained?.chain ?? {};
  if (cause === 'absent') return `${what} not found${where}`;
  // What was read has a uid: then it is an answer that its end is unknown.
  return cause === 'unknown' && !object?.uid ? `${what} could not be read${where}` : undefined;
}

/** Diagnoses these objects; `insist` on a finalizer that is to be removed. */
export async function explain(
  known: Known & { readonly now: number | undefined },
  subjects: readonly ObjectLocation[],
  answer: (query: Query) => Promise<Answer> | Answer,
  finalizer: string | undefined,
) {
  const diagnosis = (inquiry: Inquiry) =>
    subjects.map((subject): Explained => {
      const chain = diagnose(inquiry, subject);
      return finalizer === undefined
        ? { chain }
        : { chain, insisted: { fix: insistedRemoval(inquiry, subject, chain, finalizer) } };
    });
  const { finding, readAt } = await investigate(known, diagnosis, answer);
  return { explained: finding, readAt };
}
