import { eventType } from '../kube/core-types.ts';
import { type Json, textAt } from '../kube/json-value.ts';
import type { KubeObject } from '../kube/record-codec.ts';
import type { ProblemReason } from '../snapshot/coverage.ts';
import { type Evidence, readEvidence } from '../snapshot/evidence.ts';
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
import { type Answer, type Query, queryKey } from './inquiry.ts';

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

/** Finds saved answers; undefined where there is none. */
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
