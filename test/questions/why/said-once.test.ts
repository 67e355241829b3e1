import { expect, test } from 'vitest';
import { sayingOnce } from '../../../src/questions/why/said-once.ts';

const failure =
  'conversion webhook for example.com/v1, Kind=Widget failed: tls: failed to verify certificate: x509: certificate signed by unknown authority';

test('a long error is said once, with what each report puts in front of it', () => {
  const say = sayingOnce();
  expect([`it does not answer: ${failure}`, `1 remaining: ${failure}`, failure].map(say)).toEqual([
    `it does not answer: ${failure}`,
    '1 remaining (as above)',
    'conversion webhook for example.com/v1, Kind=Widget failed (as above)',
  ]);
});

test('short ends and other errors stay as they are', () => {
  const say = sayingOnce();
  const texts = [
    'one: not found',
    'two: not found',
    `three: ${failure}`,
    `four: ${failure}, again`,
  ];
  expect(texts.map(say)).toEqual(texts);
});
