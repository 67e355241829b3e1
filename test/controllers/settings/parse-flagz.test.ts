import { expect, test } from 'vitest';
import { parseFlagz } from '../../../src/controllers/settings/command-line.ts';

const head =
  '\nkube-apiserver flagz\nWarning: This endpoint is not meant to be machine parseable.\n';

test.each([':', ': ', '=', ' '])('names and values separated by %j', (separator) => {
  const line = (name: string, value: string) => `${name}${separator}${value}\n`;
  const text = `${head}${line('event-ttl', '2h0m0s')}${line('v', '0')}${line('cert', '')}${line('labels', 'a=b:c')}`;
  expect([...(parseFlagz(text) ?? [])]).toEqual([
    ['event-ttl', '2h0m0s'],
    ['v', '0'],
    ['cert', ''],
    ['labels', 'a=b:c'],
  ]);
});

test('other text is none', () => {
  expect([parseFlagz(head), parseFlagz('<html>'), parseFlagz('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
