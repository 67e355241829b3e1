import { expect, test } from 'vitest';
import { textAt } from '../../src/kube/json-value.ts';
import { MetadataOnly, seenObjectOf, wholeOf } from '../../src/kube/record-codec.ts';
import { readAllWhole, readWhole } from '../../src/why/inquiry.ts';
import { pod } from '../support/builders.ts';

const at = { state: 'read', what: 'pods', readAt: '2026-01-03T00:00:00Z' } as const;
const bare = seenObjectOf(pod('bare'));
const whole = seenObjectOf(pod('whole', { facts: { nodeName: '' } }));

test('a record without facts is an object of which only metadata was read', () => {
  expect([bare instanceof MetadataOnly, wholeOf(bare), wholeOf(whole)]).toEqual([
    true,
    undefined,
    whole,
  ]);
});

test('what only spec and status answer was not read where they were not', () => {
  const reason = 'truncated';
  const message = 'the input holds only its metadata, not its spec and status';
  expect(readWhole({ ...at, value: bare })).toEqual({ ...at, state: 'unread', reason, message });
  expect(readWhole({ ...at, value: whole })).toEqual({ ...at, value: whole });
  expect(readWhole({ ...at, value: undefined })).toEqual({ ...at, value: undefined });
  expect(readAllWhole({ ...at, value: [whole, bare] })).toEqual({
    ...at,
    state: 'unread',
    reason,
    message: 'of 1 of 2 objects the input holds only metadata, not spec and status',
  });
});

test('the compiler does not let code read fields of what may be metadata alone', () => {
  // @ts-expect-error: it may have no spec to read.
  expect(textAt(bare, 'spec.nodeName')).toBe('');
});
