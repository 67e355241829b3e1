import { expect, test } from 'vitest';
import { ApiFailure } from '../../src/cluster/api-failure.ts';
import { UnreadableJson } from '../../src/cluster/read-body.ts';
import { GcError } from '../../src/errors.ts';
import {
  type Failure,
  failureIn,
  isNotFound,
  messageOf,
  whenDeleting,
} from '../../src/perform/failure.ts';

const of = (code: number, reason: string): Failure => ({ message: 'm', status: { code, reason } });

test('kubectl words a failure by what the server gives as its reason', () => {
  const failures = [{ message: 'm' }, of(401, 'Unauthorized'), of(403, 'Forbidden'), of(502, '')];
  expect(failures.map(messageOf).join('\n')).toMatchInlineSnapshot(`
    "m
    error: You must be logged in to the server (m)
    Error from server (Forbidden): m
    Error from server: m"
  `);
});

test('the file is named that an object came from', () => {
  const failure = of(403, 'Forbidden');
  expect(whenDeleting(undefined, failure)).toBe(failure);
  const named = whenDeleting('a.yaml', failure);
  expect([named.status, named.message.includes('"a.yaml"')]).toEqual([failure.status, true]);
});

test('only a 404 with its reason shows that an object does not exist', () => {
  const failures = [of(404, 'NotFound'), of(404, ''), of(410, 'NotFound'), { message: 'm' }];
  expect(failures.map(isNotFound)).toEqual([true, false, false, false]);
});

test('a refusal of the server has its status, and an answer that is none has no status', () => {
  expect(
    failureIn(new ApiFailure(403, 'm', { reason: 'Forbidden', name: 'a', continue: '' })),
  ).toEqual(of(403, 'Forbidden'));
  for (const malformed of [new ApiFailure(502, 'a page'), new UnreadableJson('a page')])
    expect(failureIn(malformed)).toEqual({ message: expect.stringMatching(/: a page$/) });
});

test('another error is no failure of the server', () => {
  const error = new GcError('the connection was refused', { code: 'connection-refused' });
  expect(() => failureIn(error)).toThrow(error);
});
