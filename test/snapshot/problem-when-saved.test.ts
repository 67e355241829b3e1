import { expect, test } from 'vitest';
import { problemWhenSaved } from '../../src/snapshot/coverage.ts';

test.each([
  [
    'discovery-failed',
    'the API metrics.k8s.io/v1beta1 is not answering, so the kinds it serves are unknown',
    'the API metrics.k8s.io/v1beta1 was not answering, so the kinds it serves are unknown (when old.json was saved)',
  ],
  [
    'timed-out',
    'cannot list pods: no answer in 30s',
    'could not list pods: no answer in 30s (when old.json was saved)',
  ],
  ['not-in-input', 'the input contains no pods', 'the input contains no pods'],
] as const)('%s of a saved snapshot was so when it was saved', (reason, message, saved) => {
  expect(problemWhenSaved({ reason, message }, 'old.json')).toEqual({ reason, message: saved });
});
