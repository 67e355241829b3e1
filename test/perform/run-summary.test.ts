import { expect, test } from 'vitest';
import { referenceTo } from '../../src/kube/object-reference.ts';
import type { Happening } from '../../src/perform/progress-event.ts';
import { RunSummary } from '../../src/perform/run-summary.ts';
import { configMap } from '../support/builders.ts';
import { deletionsOf, planned, requestFor } from './send/plans.ts';

const [a, b] = [configMap('a'), configMap('b')];
const [request, second] = [requestFor(a), requestFor(b)];
const object = referenceTo(a);

function noted(...events: readonly Happening[]) {
  const summary = new RunSummary(deletionsOf(a, b));
  for (const event of events) summary.note({ at: '', ...event });
  return summary;
}

const sent = (one = request) => ({ type: 'sent', request: one, code: 200 }) as const;
const skipped = (reason: 'gone' | 'not-sent') =>
  ({ type: 'skipped', request: second, reason, message: '' }) as const;
const refused = { type: 'refused', request: second, code: 403, reason: '', message: '' } as const;
const left = { type: 'left', object, because: '', blockedBy: [] } as const;
const difference = {
  type: 'difference',
  object: planned(a, 'kept'),
  predicted: 'kept',
  observed: 'gone',
} as const;
const unplanned = { type: 'unplanned', object, owner: referenceTo(b), gone: false } as const;
const watch = { type: 'watch', resource: 'configmaps', state: 'lost', message: '' } as const;

test.each<[string, readonly Happening[], { unsent?: string[]; surprises?: number }, boolean]>([
  ['an accepted request and one that was not needed', [sent(), skipped('gone')], {}, false],
  ['a refused request: its refusal was reported', [sent(), refused], {}, false],
  ['a request that was not sent', [sent(), skipped('not-sent')], { unsent: ['b'] }, true],
  ['no answer', [], { unsent: ['a', 'b'] }, true],
  ['a broken watch', [sent(), sent(second), watch], {}, false],
  ['an object that is left', [sent(), sent(second), left], {}, true],
  ['another end than planned', [sent(), sent(second), difference], { surprises: 1 }, true],
  ['an unplanned object', [sent(), sent(second), unplanned], { surprises: 1 }, true],
])('a user has to know of %s', (_, events, { unsent = [], surprises = 0 }, isEventful) => {
  const summary = noted(...events);
  expect(summary.unsent.map(({ name }) => name)).toEqual(unsent);
  expect([summary.surprises.length, summary.isEventful]).toEqual([surprises, isEventful]);
});

test.each([
  ['gone', true],
  ['recreated', true],
  ['terminating', false],
  ['kept', false],
] as const)('an object that was observed to be %s is gone: %s', (observation, isGone) => {
  const summary = noted({ type: 'observed', object, observation });
  expect([summary.isGone(a.uid), summary.isGone(b.uid)]).toEqual([isGone, false]);
});
