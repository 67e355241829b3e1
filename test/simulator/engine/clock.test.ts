import { beforeEach, describe, expect, test } from 'vitest';
import { Clock } from '../../../src/simulator/engine/clock.ts';

let state: { changes: number };
let clock: Clock;
let events: string[];

beforeEach(() => {
  state = { changes: 0 };
  clock = new Clock(state);
  events = [];
});

function note(name: string): () => void {
  return () => events.push(`${clock.now} ${name}`);
}

describe('the clock', () => {
  test('runs what is due in the order of time, equals as they came', () => {
    const delays = [5, 1, 9, 1, 3, 7, 3, 0, 8, 2, 6, 4, 1, 10, 5];
    delays.forEach((delay, at) => {
      clock.after(delay, note(`${at}`));
    });
    expect(clock.run(100)).toBe('quiet');
    const expected = delays
      .map((delay, at) => [delay, at] as const)
      .sort(([a, i], [b, j]) => a - b || i - j)
      .map(([delay, at]) => `${delay} ${at}`);
    expect(events).toEqual(expected);
  });

  test('keeps the order of many that are due together, and of those added meanwhile', () => {
    for (let at = 0; at < 50; at++) {
      clock.after(3, () => {
        note(`${at}`)();
        clock.after(0, note(`${at} again`));
      });
    }
    clock.run(100);
    const numbers = Array.from({ length: 50 }, (_, at) => at);
    expect(events).toEqual([
      ...numbers.map((at) => `3 ${at}`),
      ...numbers.map((at) => `3 ${at} again`),
    ]);
  });

  test('ends at the deadline, and goes on from there', () => {
    clock.after(10, note('first'));
    clock.after(20, note('second'));
    expect([clock.run(15), clock.now, events]).toEqual(['deadline', 15, ['10 first']]);
    expect([clock.run(20), clock.now]).toEqual(['quiet', 20]);
    expect(events).toEqual(['10 first', '20 second']);
  });

  test('runs a task until it waits, and passes on what it returned', () => {
    function* task() {
      events.push(`${clock.now} began`);
      yield 3;
      events.push(`${clock.now} went on`);
      yield 4;
      return 'done';
    }
    clock.start(task(), (value) => note(value)());
    expect(events).toEqual(['0 began']);
    clock.run(100);
    expect(events).toEqual(['0 began', '3 went on', '7 done']);
  });

  test('is quiet where only attempts are left that would fail again', () => {
    clock.after(3, note('first'));
    clock.retryAfter(5, note('again'));
    expect([clock.run(1000), clock.now, events]).toEqual(['quiet', 3, ['3 first']]);
  });

  test('makes another attempt when something has changed since, however late, at the time that backing off leads to', () => {
    clock.retryAfter(5, note('again'));
    clock.after(30, () => {
      state.changes++;
    });
    clock.after(100, note('last'));
    expect(clock.run(1000)).toBe('quiet');
    // 5, then after 10 and 20: the change came before the third.
    expect(events).toEqual(['35 again', '100 last']);
  });

  test('waits a thousand seconds at most for another attempt', () => {
    clock.retryAfter(600_000, note('again'));
    clock.after(1_700_000, () => {
      state.changes++;
    });
    clock.run(10_000_000);
    expect(events).toEqual(['2600000 again']);
  });

  test('distinguishes attempts that failed in different states', () => {
    clock.retryAfter(5, note('old'));
    state.changes++;
    clock.retryAfter(50, note('new'));
    expect(clock.run(1000)).toBe('quiet');
    expect(events).toEqual(['5 old']);
  });

  test.each([
    ['an endless moment', 0, 0],
    ['endless moments', 5, 500],
  ])('gives up %s', (_, delay, end) => {
    const bounded = new Clock(state, 100);
    const goOn = () => {
      state.changes++;
      bounded.after(delay, goOn);
    };
    bounded.after(delay, goOn);
    expect([bounded.run(1000), bounded.now, state.changes]).toEqual(['endless', end, 100]);
    bounded.settle(1000);
    expect([bounded.now, state.changes]).toEqual([end, 100]);
  });

  test('settles what comes within a pause, and leaves the rest', () => {
    clock.after(5, () => {
      note('first')();
      clock.after(8, note('second'));
    });
    clock.after(30, note('third'));
    clock.settle(8);
    expect([events, clock.now]).toEqual([['5 first', '13 second'], 13]);
  });
});
