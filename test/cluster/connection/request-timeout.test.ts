import { describe, expect, test } from 'vitest';
import { parseRequestTimeout } from '../../../src/cluster/connection/connection-settings.ts';

describe('parseRequestTimeout', () => {
  test.each([
    [undefined, 0],
    ['', 0],
    ['0', 0],
    ['30', 30_000],
    ['+5', 5000],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['250ms', 250],
    ['1us', 0.001],
    ['2µs', 0.002],
    ['-5s', 0],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseRequestTimeout(text)).toBe(milliseconds);
  });

  test.each(['-5', 'soon', '1x', '5 s', '1m30', 's', '1d', '1e3s'])('refuses %s', (text) => {
    expect(() => parseRequestTimeout(text)).toThrow(
      expect.objectContaining({
        code: 'invalid-request-timeout',
        exitCode: 2,
        message: `--request-timeout "${text}" is not a duration`,
      }),
    );
  });
});
