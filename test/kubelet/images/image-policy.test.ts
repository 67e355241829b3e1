import { expect, test } from 'vitest';
import { imageGcRuns } from '../../../src/kubelet/images/image-policy.ts';

const policy = { highThresholdPercent: 90, lowThresholdPercent: 80, minAge: 0, maxAge: 0 };

test('a high threshold of 100 without a maximum age turns passes off', () => {
  const full = { ...policy, highThresholdPercent: 100 };
  expect([policy, full, { ...full, maxAge: 1 }].map(imageGcRuns)).toEqual([true, false, true]);
});
