import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDrawing, tellNowAndThen } from '../../src/shell/terminal/progress.ts';

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

test('where nothing can be drawn, a line every 30 seconds says what is waited for', () => {
  const end = tellNowAndThen();
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

test('a short step tells nothing', () => {
  const end = tellNowAndThen();
  startDrawing('Reading the cluster').stop();
  end();
  vi.advanceTimersByTime(300_000);
  expect(told).toEqual([]);
});
