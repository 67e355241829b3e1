import { describe, expect, test } from 'vitest';
import { csrCleaner, csrExpiry } from '../../../src/controllers/credentials/csr-cleaner.ts';
import { podCertificateRequestCleaner } from '../../../src/controllers/credentials/podcertificaterequest-cleaner.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { builderOf, customType, objectOfType, servedTypes } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, decided, now, timed } from '../decided.ts';

const csr = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest');
const minute = 60_000;
const valid = { notAfter: '2026-03-01T00:00:00Z' };

/** `Approved 50, Failed 120`: types, and minutes since they were updated. */
function factsOf(text: string, certificate?: ObjectFacts['certificate']): ObjectFacts {
  const conditions = text
    .split(', ')
    .filter(Boolean)
    .map((entry) => {
      const [type = '', minutes = ''] = entry.split(' ');
      return { type, status: 'True', lastUpdateTime: ago(Number(minutes) * minute) };
    });
  return { ...(conditions.length > 0 && { conditions }), ...(certificate && { certificate }) };
}

describe('TestCleanerWithApprovedExpiredCSR', () => {
  const certificates = { valid, expired: { notAfter: ago(minute) }, unparseable: {} };
  // Conditions and the minutes since, the certificate, and how many minutes ago it was created.
  const rows = rowsOf(`
    no delete approved not passed deadline           | Approved 50              | valid       | 1    | keep
    no delete approved passed deadline not issued    | Approved 50              |             | 1    | keep
    delete approved passed deadline                  | Approved 120             | valid       | 1    | delete
    no delete denied not passed deadline             | Denied 50                |             | 1    | keep
    delete denied passed deadline                    | Denied 120               |             | 1    | delete
    no delete failed not passed deadline             | Approved 120, Failed 50  |             | 1    | keep
    delete failed passed deadline                    | Approved 120, Failed 120 |             | 1    | delete
    no delete pending not passed deadline            |                          |             | 300  | keep
    delete pending passed deadline                   |                          |             | 1500 | delete
    delete approved unissued past deadline           | Approved 1500            |             | 1    | delete
    no delete approved unissued not past deadline    | Approved 300             |             | 1    | keep
    no delete approved not passed deadline unexpired | Approved 50              | valid       | 1    | keep
    delete approved not passed deadline expired      | Approved 50              | expired     | 1    | delete
    delete approved passed deadline unparseable      | Approved 120             | unparseable | 1    | delete
  `);
  test.each(rows)('%s', (_, conditions = '', certificate = '', minutes, result) => {
    const facts = factsOf(conditions, certificates[certificate as keyof typeof certificates]);
    const creationTimestamp = ago(Number(minutes) * minute);
    const expiry = csrExpiry(csr('a', { facts, creationTimestamp }), 36);
    expect(expiry !== undefined && expiry.at <= now ? 'delete' : 'keep').toBe(result);
  });

  test('before v1.35, one that was approved and never issued stays (CSR-3)', () => {
    const approved = csr('a', { facts: factsOf('Approved 9000') });
    expect(csrExpiry(approved, 34)).toBeUndefined();
    expect(csrExpiry(approved, 35)?.because).toMatchInlineSnapshot(
      `"it was approved a day before and never issued"`,
    );
    const ends = (serverVersion: string) => decided(csrCleaner, [approved], { serverVersion });
    expect([ends('v1.34.4'), ends('v1.35.4')]).toEqual([[], ['a']]);
  });

  test('exactly an hour is not older than an hour (CSR-3)', () => {
    expect(csrExpiry(csr('a', { facts: factsOf('Denied 60') }), 36)?.at).toBe(now + 1);
  });

  test('custom conditions alone are never cleaned, nor those without a time (CSR-6)', () => {
    const timeless = { conditions: [{ type: 'Denied', status: 'True' }] };
    const expiries = [factsOf('Custom 9000'), timeless].map((facts) =>
      csrExpiry(csr('a', { facts }), 36),
    );
    expect(expiries).toEqual([undefined, undefined]);
  });
});

// It looks at them every five minutes.
test.each([
  ['Pending request within the threshold should be left alone', 14, [['a', 60, 360]]],
  ['Terminal request within the threshold should be left alone', 14, [['a', 60, 360]]],
  ['Pending request outside the threshold should be deleted', 16, [['a', 0, 300]]],
  ['Terminal request outside the threshold should be deleted', 16, [['a', 0, 300]]],
])('TestPCRCleaner: %s', (_, minutes, times) => {
  const requests = customType(
    'podcertificaterequests.certificates.k8s.io/v1beta1 PodCertificateRequest',
  );
  const types = new ResourceTypes([...servedTypes.all, requests], { exhaustive: true });
  const request = objectOfType(requests, 'a', { creationTimestamp: ago(minutes * minute) });
  expect(timed(podCertificateRequestCleaner, [request], { types })).toEqual(times);
  const [decision] = decide(podCertificateRequestCleaner, [request], { types });
  expect(decision?.options).toEqual({ uid: request.uid });
});

test('the first of several due times of a signing request counts and gives the reason', () => {
  const records = [
    csr('expired', { facts: factsOf('Approved 50', { notAfter: ago(minute) }) }),
    csr('failed', { facts: factsOf('Failed 90, Denied 120') }),
    csr('custom', { facts: factsOf('Custom 90', { notAfter: ago(minute) }) }),
  ];
  const reasons = decide(csrCleaner, records).map(
    ({ object, because }) => `${object.name}: ${because}`,
  );
  expect(reasons.join('\n')).toMatchInlineSnapshot(`
    "expired: its certificate has expired
    failed: it was denied an hour before"
  `);
});

test('a pass an hour, from an hour after the start (CSR-1, CSR-2)', () => {
  const denied = csr('a', { facts: factsOf('Denied 30') });
  expect(timed(csrCleaner, [denied])).toEqual([['a', 1800, 5400]]);
  const memory = { startedAt: now - 45 * minute };
  expect(timed(csrCleaner, [denied], { memory })).toEqual([['a', 4500, 4560]]);
});
