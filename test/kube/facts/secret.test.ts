import { expect, test } from 'vitest';
import { readSecretFacts } from '../../../src/kube/facts/secret.ts';

const type = 'bootstrap.kubernetes.io/token';
const encoded = (text: string) => Buffer.from(text).toString('base64');

function expirationOf(secret: object): string | undefined {
  return readSecretFacts({ type, ...secret })?.expiration;
}

test.each([
  '2026-01-01T00:00:00Z',
  '2024-02-29T23:59:59.123456789+09:00',
  '2026-12-31T00:00:00-00:00',
])('keeps %s unchanged', (time) => {
  expect(expirationOf({ data: { expiration: encoded(time) } })).toBe(time);
});

test.each([
  'hush',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00Z hush',
  '2026-01-01T00:00:00Z\n',
])('%j is not kept', (text) => {
  expect(expirationOf({ data: { expiration: encoded(text) } })).toBe('unreadable');
});

test.each([
  ['no data', {}, undefined],
  ['nothing written', { data: { expiration: '' } }, undefined],
  ['data that is no base64', { data: { expiration: '?' } }, 'unreadable'],
  ['data of another type', { data: { expiration: 7 } }, undefined],
  [
    'stringData wins, as on the server',
    { data: { expiration: encoded('hush') }, stringData: { expiration: '2026-01-01T00:00:00Z' } },
    '2026-01-01T00:00:00Z',
  ],
])('%s', (_, secret, expiration) => {
  expect(expirationOf(secret)).toBe(expiration);
});
