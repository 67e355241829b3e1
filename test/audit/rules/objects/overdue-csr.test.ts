import { expect, test } from 'vitest';
import { overdueCsr } from '../../../../src/audit/rules/credentials.ts';
import type { Condition } from '../../../../src/kube/object-record.ts';
import { builderOf } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const request = builderOf('certificates.k8s.io/v1', 'CertificateSigningRequest');
const csr = (conditions: readonly Condition[], creationTimestamp = '2026-01-01T00:00:00Z') =>
  request('agent-1', { creationTimestamp, facts: { conditions } });
const denied = (lastUpdateTime: string) =>
  csr([{ type: 'Denied', status: 'True', lastUpdateTime }]);
const command = 'kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1';
const at = 'CertificateSigningRequest agent-1';

test('the cleaner does not know its conditions', () => {
  expect(violationsOf(overdueCsr, [csr([{ type: 'UnderReview', status: 'True' }])])).toEqual([
    {
      at,
      message: 'created 2d ago, it has only conditions that the cleaner does not know: UnderReview',
      command,
    },
  ]);
});

const approved = [{ type: 'Approved', status: 'True' }];
const words = {
  unissued: 'it was approved and never issued, which the cleaner of this version does not look at',
  other: 'it has only conditions that the cleaner does not know: Approved',
};

test.each([
  ['was approved before v1.35 and never issued', { conditions: approved }, words.unissued],
  [
    'was issued, and neither says when nor can be read',
    { conditions: approved, certificate: {} },
    words.other,
  ],
])('a request stays that %s', (_, facts, why) => {
  const record = request('agent-1', { creationTimestamp: '2026-01-01T00:00:00Z', facts });
  expect(violationsOf(overdueCsr, [record], { serverVersion: 'v1.34.4' })).toEqual([
    { at, message: `created 2d ago, ${why}`, command },
  ]);
});

test('the cleaner should have come', () => {
  expect(violationsOf(overdueCsr, [denied('2026-01-02T00:00:00Z')])).toEqual([
    {
      at,
      message: 'it was denied an hour before, and has been due for deletion for 22h',
      command,
      severity: 'warning',
      confidence: 'likely',
      consequence:
        'never collected while certificatesigningrequest-cleaner-controller does not get through an hourly pass: it is off, or restarts too often',
    },
  ]);
});

test('the cleaner is switched off', () => {
  const settings = { controllers: ['*', '-csrcleaner'] };
  expect(violationsOf(overdueCsr, [denied('2026-01-02T22:30:00Z')], { settings })).toEqual([
    {
      at,
      message:
        'it was denied an hour before, and has been due for deletion for 29m; certificatesigningrequest-cleaner-controller is switched off',
      command,
    },
  ]);
});

test.each([
  ['the cleaner comes for', denied('2026-01-02T22:30:00Z')],
  ['is pending', csr([], '2026-01-02T12:00:00Z')],
  [
    'is under review since today',
    csr([{ type: 'UnderReview', status: 'True' }], '2026-01-02T12:00:00Z'),
  ],
])('a request is left alone that %s', (_, record) => {
  expect(violationsOf(overdueCsr, [record])).toEqual([]);
});
