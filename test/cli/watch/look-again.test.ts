import { expect, test } from 'vitest';
import { WatchCache } from '../../../src/cluster/follow/following.ts';
import { GcError } from '../../../src/errors.ts';
import { orphansReport } from '../../../src/questions/orphans/document.ts';
import type { WatchView } from '../../../src/shell/watch/look-again.ts';
import { lookAgainAndAgain, skippedIn } from '../../../src/shell/watch/look-again.ts';
import { graphOf } from '../../support/builders.ts';

const report = orphansReport(graphOf([]));
const answer = { report, taken: { observedAt: '2026-01-31T12:00:00Z' }, remarks: ['a remark'] };
const unreachable = new GcError('unreachable', { code: 'unreachable' });

/** Looks until the view was called so often; each call of `ask` is told its number, from 1. */
async function looks(times: number, ask: (look: number) => Promise<typeof answer>) {
  const following = new WatchCache(() => undefined);
  const ended = new AbortController();
  const calls: string[] = [];
  const called = async (call: string) => {
    calls.push(call);
    if (calls.length >= times) ended.abort();
    // Whatever follows is a look that a change asked for.
    following.changes += 1;
    following.bell.ring();
  };
  const view: WatchView = {
    show: ({ changes, lines }) => called(`${changes} ${lines.join()}`),
    fail: (message) => called(`failed: ${message}`),
    tell: () => undefined,
    redrawDue: () => undefined,
    redraw: async () => undefined,
    close: async () => undefined,
  };
  let look = 0;
  await lookAgainAndAgain(view, following, () => ask(++look), ended.signal);
  return calls;
}

test('a change is looked at, and a look that fails is said and tried again', async () => {
  const calls = await looks(3, async (look) => {
    if (look === 2) throw unreachable;
    return answer;
  });
  expect(calls).toEqual(['0 a remark', 'failed: unreachable', '2 a remark']);
});

test('a first look that fails is an error, and a bug is one at any time', async () => {
  await expect(looks(1, () => Promise.reject(unreachable))).rejects.toBe(unreachable);
  const bug = new TypeError('a bug');
  await expect(looks(9, async (look) => (look === 2 ? Promise.reject(bug) : answer))).rejects.toBe(
    bug,
  );
});

test.each([
  [49, 100, undefined],
  [1000, 1000, expect.stringContaining('1000 changes in 1.0 s')],
])('%i changes in %i ms: %s', (changes, milliseconds, said) => {
  expect(skippedIn(changes, milliseconds)).toEqual(said);
});
