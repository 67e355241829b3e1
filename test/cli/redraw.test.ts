import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { redrawing } from '../../src/shell/terminal/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('many changes at once are drawn twice: the first, and the last when the interval is over', () => {
  let state = 0;
  const drawn: number[] = [];
  const redraw = redrawing(() => drawn.push(state), 100);
  for (state = 1; state <= 9; state++) redraw.update();
  state = 9;
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(99);
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(drawn).toEqual([1, 9]);
  vi.advanceTimersByTime(10_000);
  expect(drawn).toEqual([1, 9]);
});

test('what was cancelled is not drawn any more, and the next change is drawn at once', () => {
  let count = 0;
  const redraw = redrawing(() => {
    count += 1;
  }, 100);
  redraw.update();
  redraw.update();
  redraw.cancel();
  vi.advanceTimersByTime(1000);
  expect(count).toBe(1);
  redraw.update();
  expect(count).toBe(2);
});
