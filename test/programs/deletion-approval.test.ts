import { expect, test } from 'vitest';
import { approvalAnnotations, isApproved } from '../../src/programs/deletion-approval.ts';

const now = Date.parse('2026-06-01T12:00:00Z');

test.each([
  ['alice', '2026-06-01T12:00:01Z', true],
  ['alice', '2026-06-01T12:00:00Z', false],
  ['bob', '2026-06-01T13:00:00Z', false],
  ['alice', 'tomorrow', false],
  ['alice', '2027', false],
  ['alice', '2026-99-01T13:00:00Z', false],
  ['', '2026-06-01T13:00:00Z', false],
])('an approval for "%s" until %s counts for alice: %s', (user, until, counts) => {
  const annotations = { [approvalAnnotations.for]: user, [approvalAnnotations.until]: until };
  expect(isApproved(annotations, 'alice', now)).toBe(counts);
});

test('no deletion is approved without annotations', () => {
  expect(isApproved(undefined, 'alice', now)).toBe(false);
});
