import { expect, test } from 'vitest';
import { eventType } from '../../src/kube/core-types.ts';
import { encodeAnswer, savedAnswersIn, savedQueries } from '../../src/why/answer-from-snapshot.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';

const readAt = '2026-01-03T00:00:00Z';
const event = (namespace: string, uid: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `e-${uid}`, namespace, uid: `event-${uid}` },
  involvedObject: { kind: 'ConfigMap', name: 'x', namespace, uid },
  reason: 'OwnerRefInvalidNamespace',
  message: 'wrong namespace',
  lastTimestamp: readAt,
});
const [warnings, mayGet, mayList] = savedQueries as [Query, Query, Query];
const answers: readonly (readonly [Query, Answer])[] = [
  [warnings, { readAt, value: [event('shop', 'a'), event('shop', 'b'), event('other', 'a')] }],
  [mayGet, { readAt, value: { allowed: true, reason: '' } }],
  [mayList, { readAt, reason: 'forbidden', message: 'no' }],
];
const evidence = {
  answers: JSON.parse(
    JSON.stringify(answers.map(([query, answer]) => encodeAnswer(query, answer))),
  ),
};
const saved = savedAnswersIn(evidence);
const about = (uid: string, namespace: string): Query => ({
  ask: 'events',
  type: eventType,
  namespace,
  fields: `involvedObject.uid=${uid},reason=OwnerRefInvalidNamespace`,
});

test('saved answers are given again', () => {
  expect(answers.map(([query]) => saved(query))).toEqual(answers.map(([, answer]) => answer));
});

test('the warnings about one object are found among all', () => {
  expect(saved(about('a', 'shop'))).toEqual({ readAt, value: [event('shop', 'a')] });
  expect(saved(about('c', 'shop'))).toEqual({ readAt, value: [] });
});

test('what was not asked has no answer', () => {
  expect(savedAnswersIn(undefined)(warnings)).toBe(undefined);
  expect(savedAnswersIn({})(about('a', 'shop'))).toBe(undefined);
  const others: Query = {
    ask: 'events',
    type: eventType,
    namespace: 'shop',
    fields: 'reason=Killing',
  };
  expect(saved(others)).toBe(undefined);
});

test('an answer that is none is refused', () => {
  const damaged = savedAnswersIn({ answers: [{ key: 'x', readAt, value: 1 }] });
  expect(() => damaged(warnings)).toThrow('its evidence.answers[0].value is 1, not a mapping');
});
