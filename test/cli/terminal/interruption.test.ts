import { expect, test } from 'vitest';
import { computing, withInterruption } from '../../../src/shell/terminal/interruption.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = () => signals.map((signal) => process.listenerCount(signal));

test('while something is computed no signal has a listener, and afterwards each has its own again', async () => {
  const before = listeners();
  await withInterruption(async () => {
    const listening = listeners();
    expect(listening).toEqual(before.map((count) => count + 1));
    expect(computing(listeners)).toEqual([0, 0, 0]);
    expect(listeners()).toEqual(listening);
    const fail = () => {
      throw new Error('planted');
    };
    expect(() => computing(fail)).toThrow('planted');
    expect(listeners()).toEqual(listening);
  });
  expect(listeners()).toEqual(before);
});
