import type { ObjectRecord } from '../kube/object-record.ts';
import { timestampOf } from '../kube/time.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { answerFromSnapshot } from './answer-from-snapshot.ts';
import type { Link } from './chain.ts';
import { diagnose } from './diagnose.ts';
import { type Answer, type Inquiry, keyOf, type Query, Questions } from './inquiry.ts';

/** The maximum number of rounds of questions in a diagnosis. */
const mostRounds = 40;

export interface Investigation<T> {
  readonly finding: T;
  /** RFC 3339: the last moment at which something was read. */
  readonly readAt: string;
}

/**
 * Runs a diagnosis again and again until it has no question left: what the chain does not lead to
 * is never read. The questions of one round are answered together.
 */
export async function investigate<T>(
  known: Pick<Inquiry, 'types' | 'origin'> & { readonly now?: number | undefined },
  diagnosis: (inquiry: Inquiry) => T,
  answer: (query: Query) => Promise<Answer> | Answer,
): Promise<Investigation<T>> {
  const answers = new Map<string, Answer>();
  let latest = '';
  for (let round = 0; ; round++) {
    const now = known.now ?? (latest === '' ? 0 : Date.parse(latest));
    const questions = new Questions({ ...known, now }, answers);
    const finding = diagnosis(questions);
    const open = questions.open;
    if (open.length === 0 || round === mostRounds) {
      return { finding, readAt: latest || timestampOf(now) };
    }
    const given = await Promise.all(
      open.map(async (query) => [keyOf(query), await answer(query)] as const),
    );
    for (const [key, one] of given) {
      answers.set(key, one);
      if (one.readAt > latest) latest = one.readAt;
    }
  }
}

/** Diagnoses objects from a snapshot alone; answers found for one are reused for the next. */
export function diagnosesIn(snapshot: Snapshot, now: number): (record: ObjectRecord) => Link {
  const known = { types: snapshot.types, origin: 'files' as const, now };
  const answer = answerFromSnapshot(snapshot);
  const answers = new Map<string, Answer>();
  return (record) => {
    for (let round = 0; ; round++) {
      const questions = new Questions(known, answers);
      const finding = diagnose(questions, record);
      if (questions.open.length === 0 || round === mostRounds) return finding;
      for (const query of questions.open) answers.set(keyOf(query), answer(query));
    }
  };
}
