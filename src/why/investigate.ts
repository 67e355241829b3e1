import type { ObjectRecord } from '../kube/object-record.ts';
import { seenObjectOf } from '../kube/record-codec.ts';
import { groupResourceOf, isEventType, type ResourceType } from '../kube/resource-type.ts';
import { timestampOf } from '../kube/time.ts';
import { CoverageIndex } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Link } from './chain.ts';
import { diagnose } from './diagnose.ts';
import {
  type Answer,
  type Content,
  type Inquiry,
  keyOf,
  type Query,
  Questions,
} from './inquiry.ts';

/** The maximum number of rounds of questions in a diagnosis. */
const mostRounds = 40;

interface Investigation<T> {
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

/** Answers what a file can tell; every other question is answered as unread. */
export function answerFromSnapshot(snapshot: Snapshot): (query: Query) => Answer {
  const { records, types, observedAt: readAt } = snapshot;
  const coverage = new CoverageIndex(snapshot.coverage);
  let byResource: Map<string, ObjectRecord[]> | undefined;
  const of = (type: ResourceType): readonly ObjectRecord[] => {
    byResource ??= Map.groupBy(records, (record) => groupResourceOf(record.type));
    return byResource.get(groupResourceOf(type)) ?? [];
  };
  const untold = (message: string): Answer => ({ readAt, reason: 'truncated', message });

  return (query) => {
    switch (query.ask) {
      case 'object': {
        const { type, namespace, name } = query;
        const found = of(type).find(
          (record) => record.name === name && record.namespace === namespace,
        );
        if (found) return { readAt, value: seenObjectOf(found) };
        return coverage.covers(type, namespace, name)
          ? { readAt, value: undefined }
          : untold('the input does not say');
      }
      case 'list': {
        const { type, namespace } = query;
        const [label, wanted] = query.labels?.split('=') ?? [];
        if (query.fields !== undefined || !coverage.coversKind(type, namespace ?? ''))
          return untold('the input does not say');
        const value = of(type)
          .filter((record) => namespace === undefined || record.namespace === namespace)
          .filter((record) => label === undefined || record.labels?.[label] === wanted)
          .map(seenObjectOf);
        return { readAt, value };
      }
      case 'content':
        return { readAt, value: contentOf(query.namespace) };
      case 'rehearsal':
      case 'access':
        return untold('a file cannot be asked');
    }
  };

  function contentOf(namespace: string | undefined): Content {
    const wanted = types
      .preferred()
      .filter((type) => type.verbs.includes('delete') && type.verbs.includes('list'))
      .filter((type) => !isEventType(type) && (namespace === undefined || type.namespaced));
    const missing = wanted.filter((type) => !coverage.coversKind(type, namespace ?? ''));
    const unread = missing.map((type) => ({
      resource: groupResourceOf(type),
      reason: 'truncated' as const,
      message: 'the input holds none, and does not say that there are none',
    }));
    return {
      records: records.filter(
        (record) =>
          !isEventType(record.type) && (namespace === undefined || record.namespace === namespace),
      ),
      unread,
    };
  }
}
