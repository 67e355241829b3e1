import { endedPods, isTerminated } from '../controllers/pod-gc/pass.ts';
import {
  controllerSettingsOf,
  defaultControllerSettings,
} from '../controllers/settings/controller-settings.ts';
import { effectiveSettings } from '../controllers/settings/effective-settings.ts';
import { savedManagerFacts } from '../controllers/settings/settings-facts.ts';
import { crdType, namespaceType } from '../kube/core-types.ts';
import { decidesByFacts } from '../kube/facts/object-facts.ts';
import { parseLabelSelector } from '../kube/label-selector.ts';
import { bareRecord, isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation } from '../kube/object-reference.ts';
import {
  groupResourceOf,
  isDeletable,
  isEventType,
  type ResourceType,
} from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { timestampOf } from '../kube/time.ts';
import { instancesFailure } from '../kube/well-known-kinds.ts';
import { type CoverageProblem, coverageIndexOf } from '../snapshot/coverage.ts';
import { byNamespaceAndName } from '../snapshot/graph/graph.ts';
import { isOfCluster, type Snapshot } from '../snapshot/snapshot.ts';
import type { Link } from './chain.ts';
import { diagnoseDeletion } from './diagnose-deletion.ts';
import {
  type Answer,
  type Content,
  type Inquiry,
  inquiryOf,
  type Known,
  type Query,
  type Unread,
} from './inquiry.ts';
import { savedAnswersIn } from './saved-answers.ts';

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
 * is never read. The questions of one round are answered together; what is answered at once opens no round.
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

/** Answers what a file can tell; every other question is answered as unread. */
export function answerFromSnapshot(snapshot: Snapshot): (query: Query) => Answer {
  const { records, types, observedAt: readAt, evidence } = snapshot;
  const coverage = coverageIndexOf(snapshot.coverage);
  const saved = savedAnswersIn(evidence);
  let byResource: Map<string, ObjectRecord[]> | undefined;
  const of = (type: ResourceType): readonly ObjectRecord[] => {
    byResource ??= Map.groupBy(records, (record) => groupResourceOf(record.type));
    return byResource.get(groupResourceOf(type)) ?? [];
  };
  const named = new Map<string, ReturnType<typeof byNamespaceAndName>>();
  // Of two objects of one name the first one counts.
  const objectsByName = (type: ResourceType) => {
    const index = named.get(groupResourceOf(type)) ?? byNamespaceAndName(of(type).toReversed());
    named.set(groupResourceOf(type), index);
    return index;
  };
  const problems = Map.groupBy(snapshot.coverage.problems, ({ resource = '' }) => resource);
  const untold = (message: string): Answer => ({ readAt, reason: 'truncated', message });
  const whyUnread = (type: ResourceType, otherwise: string): Unread => {
    const [known] = problems.get(groupResourceOf(type)) ?? [];
    const { reason, message } = known ?? { reason: 'truncated', message: otherwise };
    return { reason, message };
  };
  const unread = (type: ResourceType): Answer => ({
    readAt,
    ...whyUnread(type, 'the input does not say'),
  });
  // Of what the API server cannot list, a dump holds nothing, and nothing else shows that.
  let unlistable: Map<string, Unread> | undefined;
  const unlisted = (type: ResourceType): Unread | undefined => {
    if (evidence || of(type).length > 0) return undefined;
    unlistable ??= new Map(
      of(crdType).flatMap((definition) => {
        const { message, reason = '' } = instancesFailure(definition) ?? {};
        if (reason === '') return [];
        return [[definition.name, { reason: 'unavailable', message: message ?? reason }]];
      }),
    );
    return unlistable.get(groupResourceOf(type));
  };
  // A snapshot with evidence was read in full: what has no facts there has nothing that is kept as such.
  const seen = (record: ObjectRecord): ObjectRecord =>
    record.facts || !evidence || decidesByFacts(record.type) ? record : { ...record, facts: {} };

  return (query) => {
    switch (query.ask) {
      case 'object': {
        const { type, namespace, name } = query;
        const found = objectsByName(type).get(namespace)?.get(name);
        if (found) {
          // Of what has none saved, no field manager is known.
          const managedFields = evidence?.fieldManagers?.[found.uid];
          return { readAt, value: { ...seen(found), managedFields } };
        }
        return coverage.covers(type, namespace, name) ? { readAt, value: undefined } : unread(type);
      }
      case 'events':
        return saved(query) ?? unread(query.type);
      case 'list': {
        const { type, namespace } = query;
        const matches = parseLabelSelector(query.labels ?? '');
        const hasEnded = query.fields === endedPods;
        if (query.fields !== undefined && !hasEnded) return unread(type);
        if (!coverage.coversKind(type, namespace ?? '')) return unread(type);
        const failure = unlisted(type);
        if (failure) return { readAt, ...failure };
        const found = of(type)
          .filter((record) => namespace === undefined || record.namespace === namespace)
          .filter((record) => !hasEnded || (record.facts !== undefined && isTerminated(record)))
          .filter(({ labels = {} }) => matches(labels));
        return { readAt, value: found.map(seen) };
      }
      case 'content':
        return { readAt, value: contentOf(query.namespace) };
      case 'rehearsal':
        return untold('a file cannot be asked for a server dry run');
      case 'access':
        return saved(query) ?? untold('a file cannot be asked');
      case 'settings': {
        const saved = evidence?.settings ?? snapshot.settings;
        const facts = saved && savedManagerFacts(saved);
        if (facts) return { readAt, value: controllerSettingsOf(effectiveSettings(facts)) };
        const { controllers } = snapshot;
        if (!controllers) return untold('the input does not hold the settings of the cluster');
        const settings = { ...defaultControllerSettings, controllers };
        return { readAt, value: { settings, thresholdFrom: 'unknown', controllersFrom: 'flag' } };
      }
    }
  };

  function contentOf(namespace: string | undefined): Content {
    const wanted = types
      .preferred()
      .filter((type) => isDeletable(type) && (namespace === undefined || type.namespaced));
    const missing = wanted.filter((type) => !coverage.coversKind(type, namespace ?? ''));
    const failed = wanted.flatMap((type) => {
      const failure = missing.includes(type) ? undefined : unlisted(type);
      return failure ? [{ resource: groupResourceOf(type), ...failure }] : [];
    });
    return {
      records: records.filter(
        (record) =>
          !isEventType(record.type) && (namespace === undefined || record.namespace === namespace),
      ),
      unread: [
        ...(evidence ? undiscovered(types) : []),
        ...failed,
        ...missing.map((type) => ({
          resource: groupResourceOf(type),
          ...whyUnread(type, 'the input contains none, and may be incomplete'),
        })),
      ],
    };
  }
}

/** Group versions whose kinds are not known. */
export function undiscovered({ failed }: ResourceTypes): Content['unread'] {
  return failed.map(({ group, version, message }) => ({
    resource: version === undefined ? group : `${group}/${version}`,
    reason: 'discovery-failed' as const,
    message,
  }));
}
