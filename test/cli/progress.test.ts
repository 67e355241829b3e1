import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { redrawing, reportAtIntervals, startDrawing } from '../../src/shell/terminal/progress.ts';

/** A clock that the test moves, and what is written to stderr, which is no terminal here. */
let told: string[] = [];
beforeEach(() => {
  told = [];
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    told.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('without a terminal, a line every 30 seconds shows what the command waits for', () => {
  const end = reportAtIntervals();
  vi.advanceTimersByTime(29_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['Still working.\n']);
  const reading = startDrawing('Reading the cluster');
  reading.update('Reading the cluster: 3 of 40 kinds, 200 objects');
  const backup = startDrawing('Writing a backup');
  vi.advanceTimersByTime(30_000);
  backup.stop();
  vi.advanceTimersByTime(30_000);
  reading.stop();
  vi.advanceTimersByTime(30_000);
  end();
  vi.advanceTimersByTime(300_000);
  expect(told.slice(1)).toEqual([
    'Waiting: Writing a backup\n',
    'Waiting: Reading the cluster: 3 of 40 kinds, 200 objects\n',
    'Still working.\n',
  ]);
});

test('a short step prints nothing', () => {
  const end = reportAtIntervals();
  startDrawing('Reading the cluster').stop();
  end();
  vi.advanceTimersByTime(300_000);
  expect(told).toEqual([]);
});

test('many simultaneous changes are drawn twice: the first, and the last when the interval is over', () => {
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

test('cancelled progress is not drawn any more, and the next change is drawn immediately', () => {
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
