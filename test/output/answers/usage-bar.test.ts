import { expect, test } from 'vitest';
import { usageBar } from '../../../src/output/answers/images.ts';

test.each([
  [0, 85, '[-----------------|--]'],
  [87, 85, '[#################|--]'],
  [100, 100, '[###################|]'],
  [50, 0, '[|#########----------]'],
])('%i %% used, threshold %i %%', (used, high, bar) => {
  expect(usageBar(used, high)).toBe(bar);
});
