import { expect, test } from 'vitest';
import { readAllWhole, readWhole } from '../../src/why/inquiry.ts';
import { pod } from '../support/builders.ts';

const at = { state: 'read', what: 'pods', readAt: '2026-01-03T00:00:00Z' } as const;
const bare = pod('bare');
const whole = pod('whole', { facts: { nodeName: '' } });

test('what only spec and status answer was not read where they were not', () => {
  const reason = 'truncated';
  const message = 'the input holds only its metadata, not its spec and status';
  expect(readWhole({ ...at, value: bare })).toEqual({
    state: 'unread',
    what: at.what,
    readAt: at.readAt,
    reason,
    message,
  });
  expect(readWhole({ ...at, value: whole })).toEqual({ ...at, value: whole });
  expect(readWhole({ ...at, value: undefined })).toEqual({ ...at, value: undefined });
  expect(readAllWhole({ ...at, value: [whole, bare] })).toEqual({
    ...at,
    value: undefined,
    state: 'unread',
    reason,
    message: 'of 1 of 2 objects the input holds only metadata, not spec and status',
  });
});
