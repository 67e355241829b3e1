import { expect, test } from 'vitest';
import { jsonValues } from '../../../src/files/parsing/parse-json.ts';

test('JSON is cut between values, not within strings', () => {
  expect(jsonValues(' {"a":"}"} [1,{"b":2}]{')).toEqual([' {"a":"}"}', ' [1,{"b":2}]', '{']);
});

test('JSON is cut between values that are broken, too', () => {
  expect(jsonValues('{"a":1}}\n{"b":"\\"}"}"x')).toEqual(['{"a":1}', '}', '\n{"b":"\\"}"}', '"x']);
});
