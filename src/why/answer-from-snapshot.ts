import { endedPods, isTerminated } from '../controllers/pod-gc/pass.ts';
import { eventType } from '../kube/core-types.ts';
import { decidesByFacts, hasOwnFacts } from '../kube/facts/object-facts.ts';
import { type Json, textAt } from '../kube/json-value.ts';
import { matchesSelector } from '../kube/label-selector.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { KubeObject } from '../kube/record-codec.ts';
import {
  groupResourceOf,
  isDeletable,
  isEventType,
  type ResourceType,
} from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import {
  controllerSettingsOf,
  defaultControllerSettings,
} from '../settings/controller-settings.ts';
import { effectiveSettings } from '../settings/effective-settings.ts';
import { savedManagerFacts } from '../settings/settings-facts.ts';
import { coverageIndexOf, type ProblemReason } from '../snapshot/coverage.ts';
import { type Evidence, readEvidence } from '../snapshot/evidence.ts';
import { byNamespaceAndName } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import {
  boolean,
  defaultTo,
  fields,
  list,
  mapping,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import { permissionQueries } from './garbage-collector/health.ts';
import { type Answer, type Content, type Query, queryKey, type Unread } from './inquiry.ts';

/** Does an answer from a snapshot hold as much as that of the cluster would? */
export function isWholeAnswer(answer: Answer, query: Query): boolean {
  if (!('value' in answer)) return false;
  if (query.ask !== 'list' && query.ask !== 'object') return true;
  const records = [answer.value ?? []].flat() as readonly ObjectRecord[];
  return !hasOwnFacts(query.type) || records.every(({ facts }) => facts !== undefined);
}

type QueryOf<Ask extends Query['ask']> = Extract<Query, { ask: Ask }>;

/** Answers what a file contains; every other question is answered as unread. */
export function answerFromSnapshot(snapshot: Snapshot): (query: Query) => Answer {
  const answers = new SnapshotAnswers(snapshot);
  return (query) => {
    if (query.ask === 'object') return answers.object(query);
    if (query.ask === 'list') return answers.list(query);
    return query.ask === 'content' ? answers.content(query) : answers.besides(query);
  };
}

/** What a snapshot contains, by kind and by name; each index is made when it is first needed. */
class SnapshotAnswers {
  readonly saved: ReturnType<typeof savedAnswersIn>;
  readonly #snapshot: Snapshot;
  readonly #coverage: ReturnType<typeof coverageIndexOf>;
  readonly #named = new Map<string, ReturnType<typeof byNamespaceAndName>>();
  #byResource: Map<string, ObjectRecord[]> | undefined;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#coverage = coverageIndexOf(snapshot.coverage);
    this.saved = savedAnswersIn(snapshot.evidence);
  }

  object({ type, namespace, name }: QueryOf<'object'>): Answer {
    const { observedAt: readAt, evidence } = this.#snapshot;
    const found = this.#byName(type).get(namespace)?.get(name);
    if (found) {
      // Of what has none saved, no field manager is known.
      const managedFields = evidence?.fieldManagers?.[found.uid];
      return { readAt, value: { ...this.#seen(found), managedFields } };
    }
    const isRead = this.#coverage.covers(type, namespace, name);
    return isRead ? { readAt, value: undefined } : this.unread(type);
  }

  list({ type, namespace, labels = {}, fields }: QueryOf<'list'>): Answer {
    const { observedAt: readAt } = this.#snapshot;
    const hasEnded = fields === endedPods;
    if (fields !== undefined && !hasEnded) return this.unread(type);
    const found = this.#of(type)
      .filter((record) => namespace === undefined || record.namespace === namespace)
      .filter((record) => !hasEnded || (record.facts !== undefined && isTerminated(record)))
      .filter(({ labels: own = {} }) => matchesSelector({ matchLabels: labels }, own))
      .map((record) => this.#seen(record));
    if (this.#coverage.coversKind(type, namespace ?? '')) return { readAt, value: found };
    return { ...this.unread(type), seen: found };
  }

  content({ namespace }: QueryOf<'content'>): Answer {
    const { records, types, evidence, observedAt: readAt } = this.#snapshot;
    const wanted = types
      .preferred()
      .filter((type) => isDeletable(type) && (namespace === undefined || type.namespaced));
    const missing = wanted.filter((type) => !this.#coverage.coversKind(type, namespace ?? ''));
    const isIn = (record: ObjectRecord) =>
      !isEventType(record.type) && (namespace === undefined || record.namespace === namespace);
    const value: Content = {
      records: records.filter(isIn),
      unread: [
        ...(evidence ? undiscovered(types) : []),
        ...missing.map((type) => ({
          resource: groupResourceOf(type),
          ...this.#whyUnread(type, 'the input contains none, and may be incomplete'),
        })),
      ],
    };
    return { readAt, value };
  }

  /** What is asked besides objects. */
  besides(query: Exclude<Query, { ask: 'object' | 'list' | 'content' }>): Answer {
    switch (query.ask) {
      case 'events':
        return this.saved(query) ?? this.unread(query.type);
      case 'access':
        return this.saved(query) ?? this.untold('a file cannot be asked');
      case 'rehearsal':
        return this.untold('a file cannot be asked for a server dry run');
      case 'settings':
        return this.settings();
    }
  }

  settings(): Answer {
    const { evidence, settings: given, controllers, observedAt: readAt } = this.#snapshot;
    const saved = evidence?.settings ?? given;
    const facts = saved && savedManagerFacts(saved);
    if (facts) return { readAt, value: controllerSettingsOf(effectiveSettings(facts)) };
    if (!controllers) return this.untold('the input does not hold the settings of the cluster');
    const settings = { ...defaultControllerSettings, controllers };
    return { readAt, value: { settings, thresholdFrom: 'unknown', controllersFrom: 'flag' } };
  }

  untold(message: string): Answer {
    return { readAt: this.#snapshot.observedAt, reason: 'truncated', message };
  }

  unread(type: ResourceType): Answer {
    const { observedAt: readAt } = this.#snapshot;
    return { readAt, ...this.#whyUnread(type, 'the input does not say') };
  }

  #whyUnread(type: ResourceType, otherwise: string): Unread {
    const resource = groupResourceOf(type);
    const { problems } = this.#snapshot.coverage;
    const known = problems.find((problem) => (problem.resource ?? '') === resource);
    const { reason, message } = known ?? { reason: 'truncated', message: otherwise };
    return { reason, message };
  }

  #of(type: ResourceType): readonly ObjectRecord[] {
    const { records } = this.#snapshot;
    this.#byResource ??= Map.groupBy(records, (record) => groupResourceOf(record.type));
    return this.#byResource.get(groupResourceOf(type)) ?? [];
  }

  /** Of two objects of one name the first one counts. */
  #byName(type: ResourceType): ReturnType<typeof byNamespaceAndName> {
    const resource = groupResourceOf(type);
    const index = this.#named.get(resource) ?? byNamespaceAndName(this.#of(type).toReversed());
    this.#named.set(resource, index);
    return index;
  }

  /** A snapshot with evidence was read in full: an object without facts there has none that are kept. */
  #seen(record: ObjectRecord): ObjectRecord {
    if (record.facts || !this.#snapshot.evidence || decidesByFacts(record.type)) return record;
    return { ...record, facts: {} };
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

/** The garbage collector's warnings of references into other namespaces, wherever they are. */
const warnings: Extract<Query, { ask: 'events' }> = {
  ask: 'events',
  type: eventType,
  namespace: undefined,
  fields: 'reason=OwnerRefInvalidNamespace',
};

/** What is asked when a snapshot is saved, as it is not about objects that a snapshot keeps. */
export const savedQueries: readonly Query[] = [warnings, ...permissionQueries];

/** An answer in the form in which a snapshot keeps it. */
export function encodeAnswer(query: Query, answer: Answer): Json {
  const key = queryKey(query);
  if (!('value' in answer)) return { key, ...answer };
  const { readAt, value } = answer;
  const events = query.ask === 'events' && (value as readonly KubeObject[]);
  return { key, readAt, value: events ? events.map(warningOf) : value };
}

/** Of an Event, what a diagnosis says of it. */
function warningOf(event: KubeObject): Json {
  const { apiVersion, kind, metadata, reason, message, lastTimestamp, involvedObject } = event;
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    involvedObject,
    reason,
    message,
    lastTimestamp,
  };
}

/**
 * Finds saved answers; undefined where there is none.
 * @internal
 */
export function savedAnswersIn(
  evidence: Evidence | undefined,
): (query: Query) => Answer | undefined {
  let byKey: Map<string, Answer> | undefined;
  return (query) => {
    byKey ??= new Map(
      readEvidence('answers', list(savedAnswer), evidence?.answers ?? []).map(
        ({ key, ...answer }) => [key, answer],
      ),
    );
    return byKey.get(queryKey(query)) ?? warningsAmong(byKey.get(queryKey(warnings)), query);
  };
}

/** Warnings about single objects are among all of them. */
function warningsAmong(all: Answer | undefined, query: Query): Answer | undefined {
  if (!all || query.ask !== 'events' || !query.fields?.includes(`,${warnings.fields}`))
    return undefined;
  if (!('value' in all)) return all;
  const uid = /(?:^|,)involvedObject\.uid=([^,]*)/.exec(query.fields)?.[1];
  const events = all.value as readonly KubeObject[];
  return {
    ...all,
    value: events.filter(
      (event) =>
        textAt(event, 'involvedObject.uid') === uid &&
        textAt(event, 'metadata.namespace') === query.namespace,
    ),
  };
}

/** An Event: more of it is read by those who asked. */
const event: Schema<KubeObject> = (value) => {
  const { metadata } = fields({ metadata: mapping })(value);
  return { ...mapping(value), apiVersion: 'v1', kind: 'Event', metadata };
};
const permission = fields({ allowed: boolean, reason: defaultTo('', text) });
const failedAnswer = fields({
  key: text,
  readAt: text,
  reason: text as Schema<ProblemReason>,
  message: text,
});
const givenAnswer = fields({
  key: text,
  readAt: text,
  value: (value) => (Array.isArray(value) ? list(event)(value) : permission(value)),
});
const savedAnswer: Schema<Answer & { readonly key: string }> = (value) =>
  mapping(value).message === undefined ? givenAnswer(value) : failedAnswer(value);
