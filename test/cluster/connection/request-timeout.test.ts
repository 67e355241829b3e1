import { expect, test } from 'vitest';
import { parseRequestTimeout } from '../../../src/cluster/connection/connection-settings.ts';
import { pairsOf } from '../../support/rows.ts';

// Durations are held by the tests of go-syntax.
const limits = pairsOf('0 0   30 30000   +5 5000   30s 30000   1m30s 90000   250ms 250   -5s 0');

test('a request timeout is whole seconds or a duration, in milliseconds, and none by default', () => {
  expect(limits.map(([text]) => parseRequestTimeout(text))).toEqual(
    limits.map(([, milliseconds]) => Number(milliseconds)),
  );
  expect([undefined, ''].map(parseRequestTimeout)).toEqual([0, 0]);
});

test.each(['-5', 'soon', '5 s', '1m30'])('refuses %s', (text) => {
  expect(() => parseRequestTimeout(text)).toThrow(
    expect.objectContaining({
      code: 'invalid-request-timeout',
      exitCode: 2,
      message: expect.stringContaining(`"${text}" is not a duration`),
    }),
  );
});
