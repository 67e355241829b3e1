import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { isGcError, withAdvice } from '../../errors.ts';
import type { ObjectLocation, ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { ReportedEvents } from '../../programs/object-event.ts';
import type { Explained } from '../../questions/why/document.ts';
import { answerFromSnapshot } from '../../why/answer-from-snapshot.ts';
import { linksOf } from '../../why/chain.ts';
import { diagnose } from '../../why/diagnose.ts';
import type { Answer, Inquiry, Known, Query } from '../../why/inquiry.ts';
import { investigate, knownOf } from '../../why/investigate.ts';
import { insistedRemoval } from '../../why/programs/finalizer-removal.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { givenTime, nowOf } from '../input/clock.ts';
import { missingNamespace, namespaceNotFound, selectNamed } from '../input/missing-namespace.ts';
import { openSource, type Source } from '../input/read-question.ts';
import type { AllNamespaces } from '../input/scope.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import {
  type FilenameFlag,
  type NamedTarget,
  noted,
  targetLocation,
  targetsOf,
} from '../input/targets.ts';
import { withProgress } from '../terminal/progress.ts';

/** What is known before anything is asked, and what answers. */
interface Asking {
  readonly known: Known & { readonly now: number | undefined };
  readonly answer: (query: Query) => Promise<Answer> | Answer;
}

export type OpenedInquiry = Source & Asking;

/** Opens the files that `--from` names, or the cluster, which is asked for what a diagnosis leads to. */
export async function openInquiry(
  flags: CommonFlags & AllNamespaces,
  session: Session,
): Promise<OpenedInquiry> {
  const events = new ReportedEvents();
  const source = await openSource(flags, session, { onObject: (object) => events.add(object) });
  if (source.cluster) {
    return { ...source, ...(await askingCluster(source.cluster, givenTime(flags)?.getTime())) };
  }
  const { snapshot } = source;
  const known = {
    ...knownOf(snapshot, nowOf(flags, snapshot)),
    eventsAbout: (object: ObjectReference) => events.about(object),
  };
  const answer = answerFromSnapshot(snapshot);
  return { ...source, known, answer };
}

export async function askingCluster(
  cluster: OpenedCluster,
  now: number | undefined,
): Promise<Asking> {
  const { types, serverVersion } = cluster;
  const { answerFromCluster } = await import('../../why/ask/answer-from-cluster.ts');
  const known = { types, serverVersion, origin: 'cluster' as const, isCurrent: true, now };
  return { known, answer: answerFromCluster(cluster) };
}

type Flags = CommonFlags & FilenameFlag & { readonly 'remove-finalizer'?: string | undefined };

/**
 * Diagnoses the named objects. `cluster`, which is asked again, is undefined offline. `unseen`: of each named object that is not
 * there or could not be read, a sentence; offline that is an error before. `absent`: the first that does not exist.
 */
export async function askWhy(args: readonly string[], flags: Flags, session: Session) {
  const targetsIn = await targetsOf(args, flags);
  const insisted = flags['remove-finalizer'];
  const opened = await openInquiry(flags, session);
  const { known, cluster, snapshot, namespace } = opened;
  const targets = noted(targetsIn(known.types));
  if (snapshot) {
    const { observedAt } = snapshot;
    // What the chain met of them is in its own evidence.
    const problems = known.origin === 'files' ? snapshot.coverage.problems : [];
    const subjects = await selectNamed({ flags, session, snapshot }, targets, namespace).catch(
      (error: unknown) => {
        throw askingWhatDeleted(error, targets, namespace);
      },
    );
    const { explained } = await explain(opened, subjects, insisted);
    return { explained, problems, observedAt, cluster, unseen: [], absent: undefined };
  }
  return withProgress('Following the chain', async () => {
    const advice = 'why looks at single objects: name each as TYPE/NAME.';
    const subjects = targets.map((target) =>
      targetLocation(target, cluster.client.namespace, advice),
    );
    const { explained, readAt } = await explain(opened, subjects, insisted);
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
    const absent = subjects.find((_, index) => explained[index]?.chain.cause === 'absent');
    const home = cluster.client.namespace;
    const missing =
      unseen.length > 0
        ? await missingNamespace({ flags, session, defaultNamespace: home })
        : undefined;
    if (missing !== undefined) unseen.push(namespaceNotFound(missing));
    return { explained, problems: [], observedAt: readAt, cluster, unseen, absent };
  });
}

/** An object that is not in the files may have been deleted. */
function askingWhatDeleted(
  error: unknown,
  [target, ...others]: readonly NamedTarget[],
  namespace: string | undefined,
): unknown {
  const isAsked = isGcError(error) && error.code === 'not-found' && others.length === 0;
  if (!isAsked || target?.name === undefined || namespace === undefined) return error;
  const object = targetLocation(target, namespace, '');
  const how = shellCommand`kubectl gc deleted ${addressOf(object)}`;
  return withAdvice(error, [...error.advice, suggested('To see what deleted it', how)]);
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
  { known, answer }: Asking,
  subjects: readonly ObjectLocation[],
  finalizer?: string,
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
