import { expect, test } from 'vitest';
import { Clock } from '../../../src/simulator/engine/clock.ts';
import { type Outcome, WorkQueue } from '../../../src/simulator/engine/work-queue.ts';

/** A queue whose work takes 10 ms and leads to these outcomes in turn, and when it began. */
function queueOf(...outcomes: readonly Outcome[]) {
  const state = { changes: 0 };
  const clock = new Clock(state);
  const begun: string[] = [];
  const left = [...outcomes];
  const queue = new WorkQueue<string>({
    clock,
    *work(key) {
      begun.push(`${key} at ${clock.now}`);
      yield 10;
      state.changes++;
      return left.shift() ?? 'forget';
    },
    retry: (failures) => 5 * 2 ** failures,
  });
  const run = () => {
    clock.run(1_000_000);
    return begun;
  };
  return { queue, clock, run };
}

test('works once more on what is added while it is worked on, however often that is', () => {
  const { queue, clock, run } = queueOf();
  queue.add('a');
  for (const time of [1, 2, 3]) clock.after(time, () => queue.add('a'));
  queue.add('b');
  expect(run()).toEqual(['a at 0', 'b at 0', 'a at 10']);
});

test('adds an item at the earliest of the times for which that was planned', () => {
  const { queue, run } = queueOf();
  expect([300, 100, 200].map((delay) => queue.addAfter('a', delay))).toEqual([true, true, false]);
  expect(run()).toEqual(['a at 100']);
});

test('waits longer after each failure in turn, and not after success', () => {
  const { queue, clock, run } = queueOf('retry', 'retry', 'forget', 'retry');
  queue.add('a');
  clock.after(100, () => queue.add('a'));
  expect(run()).toEqual(['a at 0', 'a at 15', 'a at 35', 'a at 100', 'a at 115']);
});

test('looks again after the time that the work says', () => {
  const { queue, run } = queueOf({ after: 1000, isWaiting: false });
  queue.add('a');
  expect(run()).toEqual(['a at 0', 'a at 1010']);
});
