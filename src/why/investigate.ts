import { namespaceType } from '../kube/core-types.ts';
import { bareRecord, isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation } from '../kube/object-reference.ts';
import { timestampOf } from '../kube/time.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../snapshot/snapshot.ts';
import { answerFromSnapshot } from './answer-from-snapshot.ts';
import type { Link } from './chain.ts';
import { diagnoseDeletion } from './diagnose-deletion.ts';
import { type Answer, type Inquiry, inquiryOf, type Known, type Query } from './inquiry.ts';

/** The maximum number of rounds of questions in a diagnosis. */
const mostRounds = 40;

/** The maximum number of deletions to examine; each may lead through everything in its namespace. */
export const mostDeletions = 500;

/** What is being deleted, with the namespace that is asked about, which is in none itself; undefined: everywhere. */
export function deletionsIn(
  { records }: Snapshot,
  namespace: string | undefined,
  inScope: (record: ObjectRecord) => boolean = () => true,
): ObjectLocation[] {
  const ending = records.filter(
    (record) =>
      isBeingDeleted(record) &&
      inScope(record) &&
      (namespace === undefined || record.namespace === namespace),
  );
  if (namespace === undefined) return ending;
  const own = bareRecord({ type: namespaceType, namespace: '', name: namespace });
  return inScope(own) ? [own, ...ending] : ending;
}

/** That not every one of so many deletions was examined. */
export function leftOut(deletions: number): readonly CoverageProblem[] {
  const left = deletions - mostDeletions;
  if (left <= 0) return [];
  const message = `only ${mostDeletions} deletions were checked; ${left} more have not ended`;
  return [{ reason: 'truncated', message }];
}

interface Investigation<T> {
  readonly finding: T;
  /** RFC 3339: the last moment at which something was read. */
  readonly readAt: string;
}

/**
 * Runs a diagnosis again and again until it has no question left: what the chain does not lead to
 * is never read. The questions of one round are answered together; what is answered without a request opens no round.
 */
export async function investigate<T>(
  known: Known & { readonly now?: number | undefined },
  diagnosis: (inquiry: Inquiry) => T,
  answer: (query: Query) => Promise<Answer> | Answer,
): Promise<Investigation<T>> {
  const answers = new Map<string, Answer>();
  let latest = '';
  const keep = (key: string, one: Answer): Answer => {
    answers.set(key, one);
    if (one.readAt > latest) latest = one.readAt;
    return one;
  };
  const clock = () => known.now ?? (latest === '' ? 0 : Date.parse(latest));
  for (let round = 0; ; round++) {
    const now = clock();
    const open = new Map<string, Promise<Answer>>();
    const questions = inquiryOf({ ...known, now }, (query, key) => {
      const before = answers.get(key);
      if (before || open.has(key)) return before;
      const given = answer(query);
      if (!(given instanceof Promise)) return keep(key, given);
      open.set(key, given);
      return undefined;
    });
    const finding = diagnosis(questions);
    if ((open.size === 0 && now === clock()) || round === mostRounds) {
      return { finding, readAt: latest || timestampOf(now) };
    }
    const given = await Promise.all([...open].map(async ([key, one]) => [key, await one] as const));
    for (const [key, one] of given) keep(key, one);
  }
}

/**
 * Diagnoses objects from a snapshot alone, without a word of the dry runs that it cannot answer: an audit of the cluster
 * sends none. Answers found for one are reused for the next. `explain`: what is asked; by default what holds an object that is being deleted.
 */
export function diagnosesIn(
  snapshot: Snapshot,
  now: number,
  explain: (inquiry: Inquiry, record: ObjectRecord) => Link = diagnoseDeletion,
): (record: ObjectRecord) => Link {
  const known = { ...knownOf(snapshot, now), onlyReads: true };
  const answer = answerFromSnapshot(snapshot);
  const answers = new Map<string, Answer>();
  const questions = inquiryOf(known, (query, key) => {
    const found = answers.get(key) ?? answer(query);
    answers.set(key, found);
    return found;
  });
  return (record) => explain(questions, record);
}

/**
 * What a snapshot says before anything is asked. One that was saved with what a diagnosis reads tells nearly what the
 * cluster would.
 */
export function knownOf(snapshot: Snapshot, now: number): Known & { readonly now: number } {
  const { types, serverVersion, evidence } = snapshot;
  const origin = evidence ? 'snapshot' : 'files';
  let byUid: Map<string, ObjectRecord> | undefined;
  const withUid = (uid: string) => {
    byUid ??= new Map(snapshot.records.map((record) => [record.uid, record]));
    return byUid.get(uid);
  };
  return { types, serverVersion, origin, isCurrent: isOfCluster(snapshot), withUid, now };
}
