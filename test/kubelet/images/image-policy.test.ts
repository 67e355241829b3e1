import { expect, test } from 'vitest';
import { imageGcRuns, imagePolicyFault } from '../../../src/kubelet/images/image-record.ts';

const policy = { highThresholdPercent: 90, lowThresholdPercent: 80, minAge: 0, maxAge: 0 };

test.each([
  [2, 1, undefined],
  [-1, 1, 'invalid HighThresholdPercent -1, must be in range [0-100]'],
  [101, 1, 'invalid HighThresholdPercent 101, must be in range [0-100]'],
  [2, -1, 'invalid LowThresholdPercent -1, must be in range [0-100]'],
  [2, 101, 'invalid LowThresholdPercent 101, must be in range [0-100]'],
  [1, 2, 'LowThresholdPercent 2 can not be higher than HighThresholdPercent 1'],
])('TestValidateImageGCPolicy: high %i, low %i', (high, low, fault) => {
  const given = { ...policy, highThresholdPercent: high, lowThresholdPercent: low };
  expect(imagePolicyFault(given)).toBe(fault);
});

test('a high threshold of 100 without a maximum age turns passes off', () => {
  const full = { ...policy, highThresholdPercent: 100 };
  expect([policy, full, { ...full, maxAge: 1 }].map(imageGcRuns)).toEqual([true, false, true]);
});
