import { expect, test } from 'vitest';
import { answerOf, RealClock, type Wait } from '../../src/runner/real-clock.ts';
import type { Task } from '../../src/simulator/engine/clock.ts';

const far = 1_000_000;
const rethrow = (error: unknown) => {
  throw error;
};

function* asking(answer: Promise<string>, told: string[]): Task<string, Wait> {
  told.push('asks');
  const text = yield* answerOf(answer);
  told.push(text);
  return text;
}

test('the clock is quiet once every task has ended and every timer has run', async () => {
  const clock = new RealClock(rethrow);
  const told: string[] = [];
  const answer = Promise.withResolvers<string>();
  clock.start(asking(answer.promise, told), (value) => {
    clock.after(1, () => told.push(`after ${value}`));
  });
  const quiet = clock.quiet().then(() => told.push('quiet'));
  answer.resolve('an answer');
  await quiet;
  expect(told).toEqual(['asks', 'an answer', 'after an answer', 'quiet']);
});

test('a retry is not waited for while nothing has changed since it failed', async () => {
  const clock = new RealClock(rethrow);
  const told: string[] = [];
  clock.retryAfter(far, () => told.push('again'));
  await clock.quiet();
  expect(told).toEqual([]);
  clock.stop();
});

test('a retry that failed in another state is made immediately when quiet is asked for', async () => {
  const clock = new RealClock(rethrow);
  const told: string[] = [];
  const attempt = () => {
    told.push('again');
    clock.retryAfter(far, attempt);
  };
  clock.retryAfter(far, attempt);
  clock.changes += 1;
  await clock.quiet();
  await clock.quiet();
  expect(told).toEqual(['again']);
  clock.stop();
});

test('an error of a task or a timer is reported, not lost', async () => {
  const told: unknown[] = [];
  const clock = new RealClock((error) => told.push(error));
  const failure = new Error('no answer');
  clock.start(asking(Promise.reject(failure), []), () => told.push('done'));
  clock.after(0, () => {
    throw failure;
  });
  await expect.poll(() => told).toEqual([failure, failure]);
  clock.stop();
});

test('no task runs after a stop, and none is awaited', async () => {
  const clock = new RealClock(rethrow);
  const told: string[] = [];
  clock.after(5, () => told.push('late'));
  const quiet = clock.quiet();
  clock.stop();
  await quiet;
  clock.after(0, () => told.push('later'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual([]);
});
