import { expect, test } from 'vitest';
import { readAllWhole, readWhole } from '../../src/why/inquiry.ts';
import { pod } from '../support/builders.ts';

const at = { state: 'read', what: 'pods', readAt: '2026-01-03T00:00:00Z' } as const;
const bare = pod('bare');
const whole = pod('whole', { facts: { nodeName: '' } });

test('what only spec and status answer was not read where they were not', () => {
  const unread = [readWhole({ ...at, value: bare }), readAllWhole({ ...at, value: [whole, bare] })];
  const truncated = { ...at, state: 'unread', reason: 'truncated', message: expect.any(String) };
  expect(unread).toEqual([truncated, truncated]);
  const messages = unread.map((one) => ('message' in one ? one.message : ''));
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "the input contains only its metadata, not its spec and status
    the input contains only metadata of 1 of 2 objects, not spec and status"
  `);
  expect(readWhole({ ...at, value: whole })).toEqual({ ...at, value: whole });
  expect(readWhole({ ...at, value: undefined })).toEqual({ ...at, value: undefined });
});
