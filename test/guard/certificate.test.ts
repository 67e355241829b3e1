import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCertificate } from '../../src/guard/certificate.ts';
import { trustedBundle } from '../../src/guard/trusted-certificates.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const day = 86_400_000;
const made = (lasts = day) => makeCertificate(['127.0.0.1'], { now, lasts }).certificate;

test('a certificate is for the names that the API server asks, signs itself and ends in time', () => {
  const names = ['guard.kubectl-gc.svc', '127.0.0.1'];
  const { certificate, key, expires } = makeCertificate(names, { now, lasts: 14 * day });
  const read = new X509Certificate(certificate);
  expect(read.checkHost('guard.kubectl-gc.svc')).toBe('guard.kubectl-gc.svc');
  expect(read.checkHost('other.kubectl-gc.svc')).toBeUndefined();
  expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(read.verify(read.publicKey)).toBe(true);
  expect([Date.parse(read.validTo), expires]).toEqual([now + 14 * day, now + 14 * day]);
  expect(Date.parse(read.validFrom)).toBeLessThan(now);
  expect(key).toContain('BEGIN PRIVATE KEY');
});

test('a bundle keeps the certificates of other replicas, and those that are over leave it', () => {
  const [own, other, over] = [made(), made(2 * day), made(-1)];
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  expect(trustedBundle(`${over}${other}${broken}`, own, now)).toBe(`${own}${other}`);
  expect(trustedBundle(`${own}${other}`, own, now)).toBe(`${own}${other}`);
});

test('after many restarts the bundle contains its own certificate and the newest others', () => {
  const others = Array.from({ length: 12 }, (_, index) => made((index + 1) * day));
  const own = made();
  const bundle = trustedBundle(others.join(''), own, now);
  expect(bundle).toBe([own, ...others.slice(5).reverse()].join(''));
});
